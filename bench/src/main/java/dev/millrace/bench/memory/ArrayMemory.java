package dev.millrace.bench.memory;

/** An array of the type that is accessed, by its index: what Java does best. */
final class ArrayMemory extends Memory {
  private static final int INT_SHIFT = 2;
  private static final int LONG_SHIFT = 3;

  // Only the one that the access needs has elements.
  private final byte[] bytes;
  private final int[] ints;
  private final long[] longs;

  ArrayMemory(int sizeBytes, Access access) {
    super(sizeBytes);
    int count = sizeBytes / access.elementBytes();
    boolean isBytes = access == Access.BYTE || access == Access.BLOCK;
    this.bytes = new byte[isBytes ? sizeBytes : 0];
    this.ints = new int[access == Access.INT ? count : 0];
    this.longs = new long[access == Access.LONG ? count : 0];
  }

  @Override
  void putByte(int offset, byte value) {
    bytes[offset] = value;
  }

  @Override
  byte getByte(int offset) {
    return bytes[offset];
  }

  @Override
  void putBlock(int offset, byte[] source) {
    System.arraycopy(source, 0, bytes, offset, BLOCK_BYTES);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    System.arraycopy(bytes, offset, target, 0, BLOCK_BYTES);
  }

  @Override
  void putInt(int offset, int value) {
    ints[offset >> INT_SHIFT] = value;
  }

  @Override
  int getInt(int offset) {
    return ints[offset >> INT_SHIFT];
  }

  @Override
  void putLong(int offset, long value) {
    longs[offset >> LONG_SHIFT] = value;
  }

  @Override
  long getLong(int offset) {
    return longs[offset >> LONG_SHIFT];
  }
}
