package dev.millrace.stress;

import dev.millrace.cache.Codec;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * How the keys and values of the cache soak look to the cache.
 *
 * @param <K> the keys
 * @param <V> the values
 * @param keyOf makes a key from its number
 * @param numberOf finds the number of a key
 * @param mostKeyBytes of a key
 * @param valueOf makes a value
 * @param look takes a value apart
 */
record CacheForm<K, V>(
    Codec<K> keys,
    LongFunction<K> keyOf,
    ToLongFunction<K> numberOf,
    int mostKeyBytes,
    Codec<V> values,
    ValueMaker<V> valueOf,
    BiConsumer<V, CacheValue> look) {
  private static final int TEXT_BYTES = 48;
  private static final String DOTS = ".".repeat(TEXT_BYTES);

  /** Makes a value. */
  interface ValueMaker<V> {
    /** Makes a value of an identity and a size, which for once is not the identity's. */
    V make(long identity, int size);
  }

  /** Numbers, and arrays: with these codecs a cache reads in place, and copies once. */
  static CacheForm<Long, byte[]> plain() {
    return new CacheForm<>(
        Codec.longs(),
        key -> key,
        key -> key,
        Long.BYTES,
        Codec.bytes(),
        CacheForm::array,
        (array, value) -> value.read(MemorySegment.ofArray(array), 0, array.length));
  }

  /** Text of several lengths, and objects, whose codec is not the library's own. */
  static CacheForm<String, CacheValue.Item> foreign() {
    return new CacheForm<>(
        Codec.utf8(),
        key -> key + DOTS.substring((int) (key % (TEXT_BYTES / 2))),
        key -> Long.parseLong(key.substring(0, key.indexOf('.'))),
        TEXT_BYTES + Long.BYTES,
        CacheValue.Item.CODEC,
        (identity, size) -> new CacheValue.Item(identity, size, true),
        CacheForm::copy);
  }

  private static byte[] array(long identity, int size) {
    byte[] array = new byte[size];
    CacheValue.write(MemorySegment.ofArray(array), 0, identity, size);
    return array;
  }

  private static void copy(CacheValue.Item item, CacheValue value) {
    value.identity = item.identity();
    value.size = item.size();
    value.isWhole = item.isWhole();
  }
}
