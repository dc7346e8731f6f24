package dev.millrace.bench.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A {@link ByteBuffer} on the heap or off it: two classes of the JDK's behind one call site each.
 */
final class BufferMemory extends Memory {
  private final ByteBuffer buffer;

  /** On the heap or off it, of any byte order. */
  BufferMemory(ByteBuffer buffer) {
    super(buffer.capacity());
    this.buffer = buffer.order(ByteOrder.nativeOrder());
  }

  @Override
  void putByte(int offset, byte value) {
    buffer.put(offset, value);
  }

  @Override
  byte getByte(int offset) {
    return buffer.get(offset);
  }

  @Override
  void putBlock(int offset, byte[] source) {
    buffer.put(offset, source);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    buffer.get(offset, target);
  }

  @Override
  void putInt(int offset, int value) {
    buffer.putInt(offset, value);
  }

  @Override
  int getInt(int offset) {
    return buffer.getInt(offset);
  }

  @Override
  void putLong(int offset, long value) {
    buffer.putLong(offset, value);
  }

  @Override
  long getLong(int offset) {
    return buffer.getLong(offset);
  }
}
