package dev.millrace.stress;

import dev.millrace.cache.CacheOptions;
import java.time.Duration;

/** The caches of the soak. */
enum CacheShape {
  /** As many shards as it likes. */
  SHARDS,
  /** All in one shard, so that its lock is wanted by all, and entries may be large. */
  ONE_SHARD,
  /** Bounded by the number of entries, too. */
  ENTRIES,
  /** Entries expire, most of them before they are evicted. */
  EXPIRING,
  /** As small as a cache can be. */
  TINY,
  /** With a listener, text as keys, and a codec that is not the library's own. */
  TOLD;

  static final Duration EXPIRES = Duration.ofMillis(20);

  private static final long LEAST_BYTES = 1 << 16;
  private static final long TYPICAL_BYTES = 256;
  private static final long BYTES_OF_BOUNDED = 1 << 11; // fewer entries than there is room for
  private static final long BYTES_PER_KEY = 256; // more keys than there is room for

  CacheOptions options(long bytes) {
    CacheOptions options =
        CacheOptions.ofBytes(this == TINY ? LEAST_BYTES : bytes)
            .withTypicalEntryBytes(TYPICAL_BYTES)
            .skippingTooLarge();
    return switch (this) {
      case SHARDS, TOLD -> options;
      case ONE_SHARD, TINY -> options.withShards(1);
      case ENTRIES -> options.withMaxEntries(bytes / BYTES_OF_BOUNDED);
      case EXPIRING -> options.withExpireAfterWrite(EXPIRES);
    };
  }

  /** How many keys there are, for each of some threads. */
  int keysEach(long bytes, int threads) {
    long keys = Math.min(options(bytes).bytes() / BYTES_PER_KEY, CacheValue.MOST_KEYS);
    return Math.toIntExact(keys / threads);
  }

  boolean tells() {
    return this == TOLD;
  }
}
