package dev.millrace.bench.memory;

import static dev.millrace.bench.memory.Memory.BLOCK_BYTES;

/**
 * A pass by a loop that all kinds share, as in Flink's benchmarks: one call that depends on the
 * kind per element. How it is compiled hangs on what has gone through it before.
 */
final class Loop {
  private Loop() {}

  static void write(Memory memory, Access access, int seed) {
    switch (access) {
      case BYTE -> writeBytes(memory, seed);
      case BLOCK -> writeBlocks(memory, seed);
      case INT -> writeInts(memory, seed);
      case LONG -> writeLongs(memory, seed);
    }
  }

  static long read(Memory memory, Access access) {
    return switch (access) {
      case BYTE -> readBytes(memory);
      case BLOCK -> readBlocks(memory);
      case INT -> readInts(memory);
      case LONG -> readLongs(memory);
    };
  }

  private static void writeBytes(Memory memory, int seed) {
    int end = memory.sizeBytes();
    for (int offset = 0; offset < end; offset++) {
      memory.putByte(offset, (byte) (seed + offset));
    }
  }

  private static long readBytes(Memory memory) {
    int end = memory.sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset++) {
      sum += memory.getByte(offset);
    }
    return sum;
  }

  private static void writeBlocks(Memory memory, int seed) {
    byte[] block = memory.block();
    int end = memory.sizeBytes();
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      Memory.stamp(block, seed + offset);
      memory.putBlock(offset, block);
    }
  }

  private static long readBlocks(Memory memory) {
    byte[] block = memory.block();
    int end = memory.sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += BLOCK_BYTES) {
      memory.getBlock(offset, block);
      sum += Memory.mark(block);
    }
    return sum;
  }

  private static void writeInts(Memory memory, int seed) {
    int end = memory.sizeBytes();
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      memory.putInt(offset, seed + offset);
    }
  }

  private static long readInts(Memory memory) {
    int end = memory.sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Integer.BYTES) {
      sum += memory.getInt(offset);
    }
    return sum;
  }

  private static void writeLongs(Memory memory, int seed) {
    int end = memory.sizeBytes();
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      memory.putLong(offset, (long) seed + offset);
    }
  }

  private static long readLongs(Memory memory) {
    int end = memory.sizeBytes();
    long sum = 0;
    for (int offset = 0; offset < end; offset += Long.BYTES) {
      sum += memory.getLong(offset);
    }
    return sum;
  }
}
