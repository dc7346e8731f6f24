package dev.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.millrace.core.WaitStrategy;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** What the tests of caches share. */
final class Caches {
  static final long LEAST_BYTES = 1 << 16;
  static final long TICK_NANOS = 1_000_000;

  private Caches() {}

  /** A small cache in one shard. */
  static CacheOptions options() {
    return CacheOptions.ofBytes(LEAST_BYTES).withShards(1);
  }

  /** One of a few MiB. */
  static CacheOptions largeOptions() {
    return CacheOptions.ofBytes(1 << 22).withShards(1);
  }

  static OffHeapCache<String, String> ofText(CacheOptions options) {
    return OffHeapCache.of(Codec.utf8(), Codec.utf8(), options);
  }

  /** Text where it lies. */
  static String text(MemorySegment memory, long offset, long size) {
    return new String(memory.asSlice(offset, size).toArray(JAVA_BYTE), ISO_8859_1);
  }

  /** A body that may throw anything. */
  interface Throwing<T> {
    T call() throws Throwable;
  }

  /** Throws what a body throws, though the compiler does not expect it. */
  @SuppressWarnings("unchecked")
  static <T, E extends Throwable> T sneaky(Throwing<T> body) throws E {
    try {
      return body.call();
    } catch (Throwable e) {
      throw (E) e;
    }
  }

  /** Throws a failure, or returns null if there is none. */
  @SuppressWarnings("TypeParameterUnusedInFormals") // null is of any type
  static <T> T failWith(Throwable failure) {
    return sneaky(
        () -> {
          if (failure != null) {
            throw failure;
          }
          return null;
        });
  }

  /**
   * A user's codec, of text with one byte for each character, that calls a test with each value.
   */
  record Latin(UnaryOperator<String> hook) implements Codec<String> {
    static final Latin PLAIN = new Latin(UnaryOperator.identity());

    @Override
    public long size(String value) {
      return hook.apply(value).length();
    }

    @Override
    public long write(String value, MemorySegment memory) {
      MemorySegment.copy(value.getBytes(ISO_8859_1), 0, memory, JAVA_BYTE, 0, value.length());
      return value.length();
    }

    @Override
    public String read(MemorySegment memory) {
      return hook.apply(text(memory, 0, memory.byteSize()));
    }
  }

  /** A clock that a test sets; it did not begin at 0. */
  static final class Clock implements LongSupplier {
    private static final long BEGIN = -WaitStrategy.FOREVER / 2;

    long nanos;

    @Override
    public long getAsLong() {
      return BEGIN + nanos;
    }
  }
}
