package dev.millrace.cache;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.RecordCodec;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.UUID;

/**
 * How keys or values of a type are written to memory and read from it. Write one for a type of your
 * own, as here, or use one that this class returns:
 *
 * {@snippet file="Examples.java" region="codec"}
 *
 * <p>Keys are compared and hashed by their bytes. So equal keys must have equal bytes, and keys
 * that differ, different ones.
 *
 * <p><b>Roles.</b> Any number of threads may call any method at the same time.
 *
 * <p><b>Failure.</b> What a method throws goes to the caller of the cache, which stays as it was. A
 * codec that writes more or fewer bytes than it said gets an {@link IllegalStateException} that
 * names the codec and the type.
 *
 * <p><b>Memory.</b> It is native, aligned to 8 bytes, and holds what is written or read and nothing
 * else. Nothing changes it while it is read. Do not use it after the call.
 *
 * @param <T> the type; the cache passes no null
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
   * @param memory as long as {@link #size} said
   * @return how many bytes were written, which must be all
   */
  long write(T value, MemorySegment memory);

  /**
   * Reads a value.
   *
   * @param memory as long as what was written
   * @return the value
   */
  T read(MemorySegment memory);

  /**
   * Returns a codec of text, stored in UTF-8.
   *
   * @return the codec; it throws {@link IllegalArgumentException} for text with half of a surrogate
   *     pair, which UTF-8 cannot hold
   */
  static Codec<String> utf8() {
    return Codecs.UTF_8;
  }

  /**
   * Returns a codec of bytes. Arrays are copied; as keys they are equal if their bytes are.
   *
   * @return the codec
   */
  static Codec<byte[]> bytes() {
    return Codecs.BYTES;
  }

  /**
   * Returns a codec of 64-bit numbers.
   *
   * @return the codec
   */
  static Codec<Long> longs() {
    return Codecs.LONGS;
  }

  /**
   * Returns a codec of 32-bit numbers.
   *
   * @return the codec
   */
  static Codec<Integer> ints() {
    return Codecs.INTS;
  }

  /**
   * Returns a codec of 128-bit identifiers.
   *
   * @return the codec
   */
  static Codec<UUID> uuids() {
    return Codecs.UUIDS;
  }

  /**
   * Returns a codec of Java records, whose components may be of the types that a {@code
   * RecordQueue} stores in its slots: numbers, booleans, characters, enums, times, text with {@link
   * dev.millrace.flyweight.Utf8}, arrays with {@link dev.millrace.flyweight.Length}, and records of
   * these. All must fit: a value that does not is refused when it is put. As keys, records are
   * equal if their bytes are, and so are arrays in them.
   *
   * @param <R> the record
   * @param type its class: in the unnamed module, public in an exported package, or in a package
   *     that is open to {@code dev.millrace.flyweight}
   * @return the codec
   * @throws IllegalArgumentException if a component cannot be stored, naming it, or the class
   *     cannot be accessed
   */
  static <R extends Record> Codec<R> records(Class<R> type) {
    return Codecs.records(RecordCodec.of(type));
  }

  /**
   * Returns a codec of Java records that only a lookup can access, such as those of a named module
   * whose package is not open.
   *
   * @param <R> the record
   * @param type its class
   * @param lookup of a class that can make such records and read their components, usually {@link
   *     MethodHandles#lookup()}
   * @return the codec
   * @throws IllegalArgumentException if a component cannot be stored, naming it, or the lookup
   *     cannot access the class
   */
  static <R extends Record> Codec<R> records(Class<R> type, MethodHandles.Lookup lookup) {
    return Codecs.records(RecordCodec.of(type, Checks.notNull("lookup", lookup)));
  }
}
