package dev.millrace.bench.memory;

/** A pass by the loop that the kind has for itself: one call that depends on the kind per pass. */
final class OwnLoop {
  private OwnLoop() {}

  static void write(Memory memory, Access access, int seed) {
    switch (access) {
      case BYTE -> memory.writeBytes(seed);
      case BLOCK -> memory.writeBlocks(seed);
      case INT -> memory.writeInts(seed);
      case LONG -> memory.writeLongs(seed);
    }
  }

  static long read(Memory memory, Access access) {
    return switch (access) {
      case BYTE -> memory.readBytes();
      case BLOCK -> memory.readBlocks();
      case INT -> memory.readInts();
      case LONG -> memory.readLongs();
    };
  }
}
