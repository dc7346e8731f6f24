package dev.millrace.bench.memory;

/**
 * A memory of some kind, as Flink's {@code MemorySegment} is one: an abstract class with accessors
 * for single elements, which {@link Loop} calls without knowing the kind.
 *
 * <p>All offsets are in bytes. A loop that writes gives the element at an offset the value {@code
 * seed + offset}, cut to its type, so that all kinds hold the same; one that reads adds up what is
 * there. A block is {@linkplain #stamp stamped} with that value and otherwise constant.
 */
abstract sealed class Memory implements AutoCloseable
    permits MillraceMemory,
        ArrayMemory,
        ArrayViewMemory,
        BufferMemory,
        AgronaMemory,
        SegmentMemory {
  /** The size of a block. */
  static final int BLOCK_BYTES = 1024;

  private final int sizeBytes;
  private final byte[] block = new byte[BLOCK_BYTES];

  Memory(int sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  /** How much memory it is. */
  final int sizeBytes() {
    return sizeBytes;
  }

  /** Where a loop over blocks copies from and to. */
  final byte[] block() {
    return block;
  }

  /** Tells a block from others, at both ends. */
  static void stamp(byte[] block, int value) {
    block[0] = (byte) (value >> 10); // what changes from block to block
    block[BLOCK_BYTES - 1] = (byte) (value >> 18);
  }

  /** What of a block goes into the checksum. */
  static int mark(byte[] block) {
    return block[0] + block[BLOCK_BYTES - 1];
  }

  abstract void putByte(int offset, byte value);

  abstract byte getByte(int offset);

  abstract void putBlock(int offset, byte[] source);

  abstract void getBlock(int offset, byte[] target);

  abstract void putInt(int offset, int value);

  abstract int getInt(int offset);

  abstract void putLong(int offset, long value);

  abstract long getLong(int offset);

  /** Frees what is not the garbage collector's to free. */
  @Override
  public void close() {}
}
