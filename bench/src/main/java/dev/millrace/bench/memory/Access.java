package dev.millrace.bench.memory;

/** What is read and written at a time. */
public enum Access {
  /** Single bytes. */
  BYTE(Byte.BYTES),
  /** Arrays of 1024 bytes, copied in and out. */
  BLOCK(Memory.BLOCK_BYTES),
  /** Ints, in the machine's byte order. */
  INT(Integer.BYTES),
  /** Longs, in the machine's byte order. */
  LONG(Long.BYTES);

  private final int elementBytes;

  Access(int elementBytes) {
    this.elementBytes = elementBytes;
  }

  int elementBytes() {
    return elementBytes;
  }
}
