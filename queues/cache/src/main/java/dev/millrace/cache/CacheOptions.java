package dev.millrace.cache;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The options of a cache: how much it holds, and for how long.
 *
 * @param bytes how much native memory the cache takes, index and headers included
 * @param maxEntries how many entries it holds at most, or {@link Long#MAX_VALUE}
 * @param typicalEntryBytes about how many bytes the key and the value of an entry take: see {@link
 *     #withTypicalEntryBytes}
 * @param shards how many parts it is divided into, or 0 to choose by the number of processors
 * @param expireAfterWriteNanos how long an entry stays, or {@link WaitStrategy#FOREVER}
 * @param clock nanoseconds since any fixed point, never decreasing
 * @param skipsTooLarge whether an entry that is too large is left out; otherwise storing it throws
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
   * Makes options.
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
   * Makes options with the defaults: no limit but the memory, entries of about 128 bytes, which
   * stay until they are evicted.
   *
   * @param bytes how much native memory the cache has, from 64 KiB to 1 TiB
   * @return the options
   * @throws IllegalArgumentException if it is out of that range
   */
  public static CacheOptions ofBytes(long bytes) {
    return new CacheOptions(
        bytes, Long.MAX_VALUE, TYPICAL_BYTES, 0, WaitStrategy.FOREVER, System::nanoTime, false);
  }

  /**
   * Returns a copy with a limit on the number of entries, too.
   *
   * @param limit how many entries the cache holds at most; each shard has an equal part
   * @return the changed options
   * @throws IllegalArgumentException if it is not positive
   */
  public CacheOptions withMaxEntries(long limit) {
    return new CacheOptions(
        bytes, limit, typicalEntryBytes, shards, expireAfterWriteNanos, clock, skipsTooLarge);
  }

  /**
   * Returns a copy for entries of another size. The index has room for as many entries as would
   * fill the memory with this size, so a number too large wastes memory on entries that do not fit
   * into the index; one too small, on the index. Within a factor of two it matters little.
   *
   * @param size how many bytes the key and the value of an entry take, on average or below
   * @return the changed options
   * @throws IllegalArgumentException if it is not positive
   */
  public CacheOptions withTypicalEntryBytes(long size) {
    return new CacheOptions(
        bytes, maxEntries, size, shards, expireAfterWriteNanos, clock, skipsTooLarge);
  }

  /**
   * Returns a copy with another number of shards. Writers of one shard wait for each other, and the
   * largest entry takes a 64th of a shard, up to a 128th.
   *
   * @param number how many, in 1..1,024
   * @return the changed options
   * @throws IllegalArgumentException if it is out of that range
   */
  public CacheOptions withShards(int number) {
    Checks.inRange("shards", number, 1, MOST_SHARDS);
    return new CacheOptions(
        bytes, maxEntries, typicalEntryBytes, number, expireAfterWriteNanos, clock, skipsTooLarge);
  }

  /**
   * Returns a copy whose entries expire. One that would expire more than 34 years after the cache
   * was made never does.
   *
   * @param time how long an entry stays after it was stored; up to a millisecond longer
   * @return the changed options
   * @throws IllegalArgumentException if it is not positive
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
   * Returns a copy with another clock for the expiry, such as a test's.
   *
   * @param nanoTime nanoseconds since any fixed point, never decreasing
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
   * Returns a copy that leaves out entries that are too large, and counts them, instead of throwing
   * an exception.
   *
   * @return the changed options
   */
  public CacheOptions skippingTooLarge() {
    return new CacheOptions(
        bytes, maxEntries, typicalEntryBytes, shards, expireAfterWriteNanos, clock, true);
  }
}
