package dev.millrace.bench.cache;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/**
 * A cache as the measurements use it, with numbers as keys.
 *
 * @param <V> the values
 * @param get returns a value, or null
 * @param put stores a value
 * @param load returns a value, which it makes and stores if there is none
 * @param ends reads the first and the last byte of a value: see {@link SpeedFork#ends}
 * @param entries how many there are
 * @param nativeBytes off the heap, by the cache's own count or the JVM's
 */
record Cached<V>(
    Function<Long, V> get,
    BiConsumer<Long, V> put,
    BiFunction<Long, Function<Long, V>, V> load,
    ToIntFunction<Long> ends,
    LongSupplier entries,
    LongSupplier nativeBytes,
    Closeable memory)
    implements Closeable {
  /** Makes one of bytes that has no way of its own to load, nor to read in place. */
  static Cached<byte[]> of(
      Function<Long, byte[]> get,
      BiConsumer<Long, byte[]> put,
      LongSupplier entries,
      LongSupplier nativeBytes,
      Closeable memory) {
    return new Cached<>(
        get,
        put,
        (key, loader) -> load(get, put, key, loader),
        key -> SpeedFork.ends(get.apply(key)),
        entries,
        nativeBytes,
        memory);
  }

  private static <V> V load(
      Function<Long, V> get, BiConsumer<Long, V> put, Long key, Function<Long, V> loader) {
    V value = get.apply(key);
    if (value == null) {
      value = loader.apply(key);
      put.accept(key, value);
    }
    return value;
  }

  /** A cache of texts, stored as UTF-8 in one of bytes. */
  static Cached<String> texts(Cached<byte[]> bytes) {
    Function<Long, String> get =
        key -> {
          byte[] value = bytes.get.apply(key);
          return value == null ? null : new String(value, StandardCharsets.UTF_8);
        };
    BiConsumer<Long, String> put =
        (key, text) -> bytes.put.accept(key, text.getBytes(StandardCharsets.UTF_8));
    return new Cached<>(
        get,
        put,
        (key, loader) -> load(get, put, key, loader),
        bytes.ends,
        bytes.entries,
        bytes.nativeBytes,
        bytes.memory);
  }

  @Override
  public void close() throws IOException {
    memory.close();
  }
}
