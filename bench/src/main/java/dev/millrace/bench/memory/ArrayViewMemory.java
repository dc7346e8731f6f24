package dev.millrace.bench.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A {@code byte[]} seen as bytes, ints and longs by the handles that the JDK has for it. */
final class ArrayViewMemory extends Memory {
  private static final VarHandle BYTE =
      MethodHandles.arrayElementVarHandle(byte[].class).withInvokeExactBehavior();
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder())
          .withInvokeExactBehavior();
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder())
          .withInvokeExactBehavior();

  private final byte[] array;

  ArrayViewMemory(int sizeBytes) {
    super(sizeBytes);
    this.array = new byte[sizeBytes];
  }

  @Override
  void putByte(int offset, byte value) {
    BYTE.set(array, offset, value);
  }

  @Override
  byte getByte(int offset) {
    return (byte) BYTE.get(array, offset);
  }

  @Override
  void putBlock(int offset, byte[] source) {
    System.arraycopy(source, 0, array, offset, BLOCK_BYTES);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    System.arraycopy(array, offset, target, 0, BLOCK_BYTES);
  }

  @Override
  void putInt(int offset, int value) {
    INT.set(array, offset, value);
  }

  @Override
  int getInt(int offset) {
    return (int) INT.get(array, offset);
  }

  @Override
  void putLong(int offset, long value) {
    LONG.set(array, offset, value);
  }

  @Override
  long getLong(int offset) {
    return (long) LONG.get(array, offset);
  }
}
