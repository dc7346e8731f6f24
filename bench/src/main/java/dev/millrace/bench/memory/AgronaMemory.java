package dev.millrace.bench.memory;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Agrona's buffer over direct memory, with its bounds checks on, as they are by default. */
final class AgronaMemory extends Memory {
  private final UnsafeBuffer buffer;

  AgronaMemory(int sizeBytes) {
    super(sizeBytes);
    this.buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(sizeBytes));
  }

  @Override
  void putByte(int offset, byte value) {
    buffer.putByte(offset, value);
  }

  @Override
  byte getByte(int offset) {
    return buffer.getByte(offset);
  }

  @Override
  void putBlock(int offset, byte[] source) {
    buffer.putBytes(offset, source);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    buffer.getBytes(offset, target);
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
