import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  record Quote(long time, double price) {}

  // @start region="codec"
  static final Codec<Quote> QUOTES =
      new Codec<>() {
        @Override
        public long size(Quote quote) {
          return 16;
        }

        @Override
        public long write(Quote quote, MemorySegment memory) {
          memory.set(JAVA_LONG, 0, quote.time());
          memory.set(JAVA_DOUBLE, 8, quote.price());
          return 16;
        }

        @Override
        public Quote read(MemorySegment memory) {
          return new Quote(memory.get(JAVA_LONG, 0), memory.get(JAVA_DOUBLE, 8));
        }
      };

  // @end

  void codec() {
    try (OffHeapCache<Long, Quote> quotes =
        OffHeapCache.of(Codec.longs(), QUOTES, CacheOptions.ofBytes(1L << 20))) {
      quotes.put(1L, new Quote(2, 100.25));
      assert quotes.get(1L).equals(new Quote(2, 100.25));
    }
  }

  private String read;

  void cache() throws InterruptedException {
    // @start region="cache"
    CacheOptions options =
        CacheOptions.ofBytes(64L << 20)
            .withTypicalEntryBytes(5_000)
            .withExpireAfterWrite(Duration.ofMinutes(10));
    try (OffHeapCache<Long, String> cache = OffHeapCache.of(Codec.longs(), Codec.utf8(), options)) {
      String offer = cache.get(4711L, this::load); // one load at a time for each key
      cache.put(4711L, offer + ", sold");
      read = cache.get(4711L); // a new string each time
    }
    // @end
    assert read.equals("offer 4711, sold");
  }

  private String load(long number) {
    return "offer " + number;
  }
}
