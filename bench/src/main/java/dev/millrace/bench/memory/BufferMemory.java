package dev.millrace.bench.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A {@link ByteBuffer} on the heap or off it: two classes of the JDK's behind one call site each.
 */
final class BufferMemory extends Memory {
  private final ByteBuffer buffer;

  private BufferMemory(ByteBuffer buffer) {
    super(buffer.capacity());
    this.buffer = buffer.order(ByteOrder.nativeOrder());
  }

  /** Allocates it on the heap. */
  static Memory onHeap(int sizeBytes) {
    return new BufferMemory(ByteBuffer.allocate(sizeBytes));
  }

  /** Allocates it off the heap. */
  static Memory direct(int sizeBytes) {
    return new BufferMemory(ByteBuffer.allocateDirect(sizeBytes));
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

  @Override
  void writeBytes(int seed) {
    ByteBuffer buffer = this.buffer;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset++) {
      buffer.put(offset, (byte) (seed + offset));
    }
  }

  @Override
  long readBytes() {
    ByteBuffer buffer = this.buffer;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset++) {
      sum += buffer.get(offset);
    }
    return sum;
  }

  @Override
  void writeBlocks(int seed) {
    ByteBuffer buffer = this.buffer;
    byte[] block = block();
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      stamp(block, seed + offset);
      buffer.put(offset, block);
    }
  }

  @Override
  long readBlocks() {
    ByteBuffer buffer = this.buffer;
    byte[] block = block();
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      buffer.get(offset, block);
      sum += mark(block);
    }
    return sum;
  }

  @Override
  void writeInts(int seed) {
    ByteBuffer buffer = this.buffer;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      buffer.putInt(offset, seed + offset);
    }
  }

  @Override
  long readInts() {
    ByteBuffer buffer = this.buffer;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      sum += buffer.getInt(offset);
    }
    return sum;
  }

  @Override
  void writeLongs(int seed) {
    ByteBuffer buffer = this.buffer;
    int end = sizeBytes();
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      buffer.putLong(offset, (long) seed + offset);
    }
  }

  @Override
  long readLongs() {
    ByteBuffer buffer = this.buffer;
    int end = sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      sum += buffer.getLong(offset);
    }
    return sum;
  }
}
