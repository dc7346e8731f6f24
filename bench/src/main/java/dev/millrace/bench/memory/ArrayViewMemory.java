package dev.millrace.bench.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A {@code byte[]} seen as bytes, ints and longs by the handles that the JDK has for it. */
final class ArrayViewMemory extends Memory {
  private final byte[] array;

  private ArrayViewMemory(int sizeBytes) {
    super(sizeBytes);
    this.array = new byte[sizeBytes];
  }

  /** Allocates it. */
  static Memory of(int sizeBytes) {
    return new ArrayViewMemory(sizeBytes);
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

  @Override
  void writeBytes(int seed) {
    byte[] array = this.array;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset++) {
      BYTE.set(array, offset, (byte) (seed + offset));
    }
  }

  @Override
  long readBytes() {
    byte[] array = this.array;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset++) {
      sum += (byte) BYTE.get(array, offset);
    }
    return sum;
  }

  @Override
  void writeBlocks(int seed) {
    byte[] array = this.array;
    byte[] block = block();
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      stamp(block, seed + offset);
      System.arraycopy(block, 0, array, offset, BLOCK_BYTES);
    }
  }

  @Override
  long readBlocks() {
    byte[] array = this.array;
    byte[] block = block();
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      System.arraycopy(array, offset, block, 0, BLOCK_BYTES);
      sum += mark(block);
    }
    return sum;
  }

  @Override
  void writeInts(int seed) {
    byte[] array = this.array;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      INT.set(array, offset, seed + offset);
    }
  }

  @Override
  long readInts() {
    byte[] array = this.array;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      sum += (int) INT.get(array, offset);
    }
    return sum;
  }

  @Override
  void writeLongs(int seed) {
    byte[] array = this.array;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      LONG.set(array, offset, (long) seed + offset);
    }
  }

  @Override
  long readLongs() {
    byte[] array = this.array;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      sum += (long) LONG.get(array, offset);
    }
    return sum;
  }

  private static final VarHandle BYTE =
      MethodHandles.arrayElementVarHandle(byte[].class).withInvokeExactBehavior();
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder())
          .withInvokeExactBehavior();
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder())
          .withInvokeExactBehavior();
}
