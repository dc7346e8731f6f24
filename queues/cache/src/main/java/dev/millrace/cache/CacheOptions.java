package dev.millrace.cache;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The options of a cache: how much the cache holds, and for how long.
 *
 * @param bytes how much native memory the cache takes, including its index and headers
 * @param maxEntries the most entries the cache holds, or {@link Long#MAX_VALUE} for no limit
 * @param typicalEntryBytes an estimate of how many bytes the key and the value of an entry take
 *     together: see {@link #withTypicalEntryBytes}
 * @param shards how many parts the cache is divided into, or 0 to derive the number from the number
 *     of processors
 * @param expireAfterWriteNanos how long an entry stays, or {@link WaitStrategy#FOREVER} if entries
 *     do not expire
 * @param clock returns nanoseconds since any fixed point, and never goes back
 * @param skipsTooLarge whether to skip an entry that is too large instead of throwing an exception
 * @since 0.1.0
 */
public record CacheOptions(
    long bytes,
    long maxEntries,
    long typicalEntryBytes,
    int shards,
    long expireAfterWriteNanos,
    LongSupplier clock,
    boolean skipsTooLarge) {
  private static final long LEAST_BYTES = 1 << 16;
  private static final long MOST_BYTES = 1L << 40;
  private static final long TYPICAL_BYTES = 128;
  private static final int MOST_SHARDS = 1 << 10;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public CacheOptions {
    Checks.inRange("bytes", bytes, LEAST_BYTES, MOST_BYTES);
    Checks.inRange("maxEntries", maxEntries, 1, Long.MAX_VALUE);
    Checks.inRange("typicalEntryBytes", typicalEntryBytes, 1, MOST_BYTES);
    Checks.inRange("shards", shards, 0, MOST_SHARDS);
    Checks.inRange("expireAfterWriteNanos", expireAfterWriteNanos, 1, WaitStrategy.FOREVER);
    Checks.notNull("clock", clock);
  }

  /**
   * Makes options with the given amount of memory, and the defaults for everything else. Memory is
   * the only limit, the typical entry takes 128 bytes, and entries stay until they are evicted.
   *
   * @param bytes how much native memory the cache has, from 64 KiB to 1 TiB
   * @return the options
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static CacheOptions ofBytes(long bytes) {
    return new CacheOptions(
        bytes, Long.MAX_VALUE, TYPICAL_BYTES, 0, WaitStrategy.FOREVER, System::nanoTime, false);
  }

  /**
   * Returns a copy that also limits the number of entries.
   *
   * @param limit the most entries the cache holds, divided equally among the shards
   * @return the changed options
   * @throws IllegalArgumentException if {@code limit} is not positive
   */
  public CacheOptions withMaxEntries(long limit) {
    return new CacheOptions(
        bytes, limit, typicalEntryBytes, shards, expireAfterWriteNanos, clock, skipsTooLarge);
  }

  /**
   * Returns a copy for entries of a different size. The index has room for as many entries of the
   * given size as would fill the memory. If {@code size} is too large, the index is full before the
   * memory is. If {@code size} is too small, the index takes more memory than necessary. An error
   * of up to a factor of two matters little.
   *
   * @param size how many bytes the key and the value of an entry take on average, or a smaller
   *     number
   * @return the changed options
   * @throws IllegalArgumentException if {@code size} is not positive
   */
  public CacheOptions withTypicalEntryBytes(long size) {
    return new CacheOptions(
        bytes, maxEntries, size, shards, expireAfterWriteNanos, clock, skipsTooLarge);
  }

  /**
   * Returns a copy with a different number of shards. Writers in the same shard wait for each
   * other. The largest permitted entry is usually a fraction of a shard, so with more shards the
   * limit is lower: see {@link OffHeapCache#maxEntryBytes}.
   *
   * @param number the number of shards, in 1..1,024
   * @return the changed options
   * @throws IllegalArgumentException if {@code number} is out of range
   */
  public CacheOptions withShards(int number) {
    Checks.inRange("shards", number, 1, MOST_SHARDS);
    return new CacheOptions(
        bytes, maxEntries, typicalEntryBytes, number, expireAfterWriteNanos, clock, skipsTooLarge);
  }

  /**
   * Returns a copy whose entries expire. An entry that would expire more than 34 years after the
   * cache was made never expires.
   *
   * @param time how long an entry stays after it was stored. An entry may stay up to a millisecond
   *     longer
   * @return the changed options
   * @throws IllegalArgumentException if {@code time} is not positive
   */
  public CacheOptions withExpireAfterWrite(Duration time) {
    return new CacheOptions(
        bytes,
        maxEntries,
        typicalEntryBytes,
        shards,
        Checks.nanos("time", time),
        clock,
        skipsTooLarge);
  }

  /**
   * Returns a copy that uses a different clock for expiry. For example, a test can use a clock of
   * its own to control the time.
   *
   * @param nanoTime returns nanoseconds since any fixed point, and never goes back
   * @return the changed options
   */
  public CacheOptions withClock(LongSupplier nanoTime) {
    return new CacheOptions(
        bytes,
        maxEntries,
        typicalEntryBytes,
        shards,
        expireAfterWriteNanos,
        nanoTime,
        skipsTooLarge);
  }

  /**
   * Returns a copy that makes the cache skip and count an entry that is too large, instead of
   * throwing an exception.
   *
   * @return the changed options
   */
  public CacheOptions skippingTooLarge() {
    return new CacheOptions(
        bytes, maxEntries, typicalEntryBytes, shards, expireAfterWriteNanos, clock, true);
  }
}
