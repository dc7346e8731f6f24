package dev.millrace.cache;

import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.UUID;

/**
 * Writes keys or values of one type to memory and reads them back. Use a codec that a method of
 * this interface returns, or write a codec for a type of your own:
 *
 * {@snippet file="Examples.java" region="codec"}
 *
 * <p>The cache compares and hashes keys by their bytes, so equal keys must have equal bytes, and
 * different keys must have different bytes.
 *
 * <p><b>Roles.</b> Several threads may call any method at the same time, so a codec of your own
 * must be thread-safe.
 *
 * <p><b>Failure.</b> If a codec throws an exception, the cache passes it on to the caller and stays
 * unchanged. If a codec writes more or fewer bytes than it announced, the cache throws an {@link
 * IllegalStateException}. The message names the codec and the type.
 *
 * <p><b>Memory.</b> The memory that a codec gets is native, aligned to 8 bytes, and exactly as long
 * as the value to write or read. Nothing changes the memory during a read. Do not use the memory
 * after the codec has returned.
 *
 * @param <T> the type of the keys or values, which are never null
 * @since 0.1.0
 */
public interface Codec<T> {
  /**
   * Returns how many bytes a value takes.
   *
   * @param value the value
   * @return the number, 0 or more
   */
  long size(T value);

  /**
   * Writes a value.
   *
   * @param value the value
   * @param memory receives the bytes, and is as long as {@link #size} said
   * @return how many bytes were written, which must be the whole memory
   */
  long write(T value, MemorySegment memory);

  /**
   * Reads a value.
   *
   * @param memory the bytes that were written
   * @return the value
   */
  T read(MemorySegment memory);

  /**
   * Returns a codec for text, stored in UTF-8.
   *
   * @return the codec, which throws {@link IllegalArgumentException} for text with an unpaired
   *     surrogate, because UTF-8 cannot encode it
   */
  static Codec<String> utf8() {
    return Codecs.UTF_8;
  }

  /**
   * Returns a codec for byte arrays. The codec copies arrays. As keys, arrays are equal if their
   * contents are equal.
   *
   * @return the codec
   */
  static Codec<byte[]> bytes() {
    return Codecs.BYTES;
  }

  /**
   * Returns a codec for 64-bit numbers.
   *
   * @return the codec
   */
  static Codec<Long> longs() {
    return Codecs.LONGS;
  }

  /**
   * Returns a codec for 32-bit numbers.
   *
   * @return the codec
   */
  static Codec<Integer> ints() {
    return Codecs.INTS;
  }

  /**
   * Returns a codec for 128-bit identifiers.
   *
   * @return the codec
   */
  static Codec<UUID> uuids() {
    return Codecs.UUIDS;
  }

  /**
   * Returns a codec for Java records. The components of the records may have the types that a
   * {@code RecordQueue} stores in its slots: numbers, booleans, characters, enums, dates and times,
   * text with {@link dev.millrace.flyweight.Utf8}, arrays with {@link
   * dev.millrace.flyweight.Length}, and records of these types. Putting a record fails if the value
   * of a component does not fit. As keys, records are equal if the bytes of their components,
   * including arrays, are equal.
   *
   * @param <R> the record
   * @param type the record's class, which must be in the unnamed module, public in an exported
   *     package, or in a package that is open to {@code dev.millrace.flyweight}
   * @return the codec
   * @throws IllegalArgumentException if a component cannot be stored, in which case the message
   *     names it, or if the class cannot be accessed
   * @throws UnsupportedOperationException if no class can be made at run time, as in a native image
   */
  static <R extends Record> Codec<R> records(Class<R> type) {
    return Codecs.records(type, null);
  }

  /**
   * Returns a codec for Java records that only a lookup can access. One example is a record in a
   * package that its named module does not open.
   *
   * @param <R> the record
   * @param type the record's class
   * @param lookup a lookup of a class that can make such records and read their components, usually
   *     {@link MethodHandles#lookup()}
   * @return the codec
   * @throws IllegalArgumentException if a component cannot be stored, in which case the message
   *     names it, or if the lookup cannot access the class
   * @throws UnsupportedOperationException if no class can be made at run time, as in a native image
   */
  static <R extends Record> Codec<R> records(Class<R> type, MethodHandles.Lookup lookup) {
    return Codecs.records(type, Checks.notNull("lookup", lookup));
  }
}
