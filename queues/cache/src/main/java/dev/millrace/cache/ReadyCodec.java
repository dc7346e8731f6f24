package dev.millrace.cache;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One of the library's own codecs. These are trusted to stay within their bounds, so they get no
 * slice of the memory, and allocate nothing but what they return.
 *
 * @param <T> the type
 */
abstract class ReadyCodec<T> implements Codec<T> {
  private final String name;
  private final boolean readsAnything;

  /**
   * Makes a codec.
   *
   * @param name the name used in messages
   * @param readsAnything whether the codec can read bytes that are being overwritten. The result is
   *     then discarded
   */
  ReadyCodec(String name, boolean readsAnything) {
    this.name = name;
    this.readsAnything = readsAnything;
  }

  final boolean canReadAnything() {
    return readsAnything;
  }

  /** Writes a value at {@code offset}, a multiple of 8. */
  abstract void write(T value, MemorySegment memory, long offset);

  /** Reads a value of {@code size} bytes at {@code offset}, a multiple of 8. */
  abstract T read(MemorySegment memory, long offset, long size);

  /**
   * Returns the bytes of {@code value} if they are in an array or one can be made quickly, or null
   * otherwise.
   */
  byte @Nullable [] array(T value) {
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
