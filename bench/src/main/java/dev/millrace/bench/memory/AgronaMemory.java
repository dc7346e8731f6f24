package dev.millrace.bench.memory;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Agrona's buffer over direct memory, with its bounds checks on, as they are by default. */
final class AgronaMemory extends Memory {
  private final UnsafeBuffer buffer;

  private AgronaMemory(int sizeBytes) {
    super(sizeBytes);
    this.buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(sizeBytes));
  }

  /** Allocates it. */
  static Memory of(int sizeBytes) {
    return new AgronaMemory(sizeBytes);
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

  @Override
  void writeBytes(int seed) {
    UnsafeBuffer buffer = this.buffer;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset++) {
      buffer.putByte(offset, (byte) (seed + offset));
    }
  }

  @Override
  long readBytes() {
    UnsafeBuffer buffer = this.buffer;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset++) {
      sum += buffer.getByte(offset);
    }
    return sum;
  }

  @Override
  void writeBlocks(int seed) {
    UnsafeBuffer buffer = this.buffer;
    byte[] block = block();
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      stamp(block, seed + offset);
      buffer.putBytes(offset, block);
    }
  }

  @Override
  long readBlocks() {
    UnsafeBuffer buffer = this.buffer;
    byte[] block = block();
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      buffer.getBytes(offset, block);
      sum += mark(block);
    }
    return sum;
  }

  @Override
  void writeInts(int seed) {
    UnsafeBuffer buffer = this.buffer;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      buffer.putInt(offset, seed + offset);
    }
  }

  @Override
  long readInts() {
    UnsafeBuffer buffer = this.buffer;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      sum += buffer.getInt(offset);
    }
    return sum;
  }

  @Override
  void writeLongs(int seed) {
    UnsafeBuffer buffer = this.buffer;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      buffer.putLong(offset, (long) seed + offset);
    }
  }

  @Override
  long readLongs() {
    UnsafeBuffer buffer = this.buffer;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      sum += buffer.getLong(offset);
    }
    return sum;
  }
}
