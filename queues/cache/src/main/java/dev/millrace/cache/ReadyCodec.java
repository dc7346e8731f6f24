package dev.millrace.cache;

import java.lang.foreign.MemorySegment;

/**
 * One of the library's own codecs, which are trusted to stay within their bounds: they get no slice
 * of the memory, and allocate nothing but what they return.
 *
 * @param <T> the type
 */
abstract class ReadyCodec<T> implements Codec<T> {
  private final String name;
  private final boolean readsAnything;

  /**
   * Makes a codec.
   *
   * @param name for messages
   * @param readsAnything whether it can read bytes that are being overwritten; what it returns then
   *     is dropped
   */
  ReadyCodec(String name, boolean readsAnything) {
    this.name = name;
    this.readsAnything = readsAnything;
  }

  final boolean canReadAnything() {
    return readsAnything;
  }

  /** Writes a value from an offset on, a multiple of 8. */
  abstract void write(T value, MemorySegment memory, long offset);

  /** Reads a value from an offset on, a multiple of 8. */
  abstract T read(MemorySegment memory, long offset, long size);

  /** The bytes of a value that has them in an array, or can make one quickly; else null. */
  byte[] array(T value) {
    return null;
  }

  @Override
  public final long write(T value, MemorySegment memory) {
    write(value, memory, 0);
    return size(value);
  }

  @Override
  public final T read(MemorySegment memory) {
    return read(memory, 0, memory.byteSize());
  }

  @Override
  public final String toString() {
    return "Codec." + name;
  }
}
