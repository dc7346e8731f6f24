package dev.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** What the documentation shows, compiled. */
final class Snippets {
  private Snippets() {}

  static void cache() throws InterruptedException {
    // @start region="cache"
    try (OffHeapCache<Long, String> offers =
        OffHeapCache.of(
            Codec.longs(),
            Codec.utf8(),
            CacheOptions.ofBytes(1L << 30)
                .withTypicalEntryBytes(5_000)
                .withExpireAfterWrite(Duration.ofMinutes(10)))) {
      String description = offers.get(4711L, Snippets::load); // one load at a time for each key
      offers.put(4711L, description + ", sold");
    }
    // @end
  }

  private static String load(long number) {
    return "offer " + number;
  }

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
}
