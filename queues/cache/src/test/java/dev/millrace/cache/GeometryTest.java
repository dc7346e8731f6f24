package dev.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cache.internal.EntryTable;
import dev.millrace.core.WaitStrategy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a cache that is laid out larger than it was asked for, leaves memory unused or has too few
 * places for its entries.
 */
class GeometryTest {
  private static final int SLOTS = 8; // of a bucket

  /** With 0 for no limit of entries, and for shards by the number of processors. */
  @ParameterizedTest
  @CsvSource({
    // bytes, entries, typical, shards, processors: shards, buckets, segments, largest entry
    "65536, 0, 128, 0, 64, 1, 75, 58, 1024",
    "65536, 0, 128, 4, 2, 4, 19, 27, 512", // fewer segments rather than smaller entries
    "65536, 1, 128, 1, 2, 1, 2, 62, 1024",
    "65536, 0, 16, 1, 2, 1, 266, 92, 512",
    "65536, 0, 2000, 0, 2, 1, 7, 31, 2048",
    "70001, 0, 100, 4, 2, 4, 24, 29, 512",
    "1048576, 0, 128, 0, 16, 4, 296, 118, 2048", // shards have room for larger ones
    "1073741824, 0, 128, 0, 2, 8, 151342, 118, 1048576",
    "1073741824, 0, 128, 0, 3, 8, 151342, 118, 1048576", // a power of two
    "1073741824, 0, 128, 3, 2, 3, 403576, 79, 4194304",
    "1073741824, 1000, 128, 0, 2, 1, 177, 127, 8388608", // shards have entries enough
    "1073741824, 2000, 128, 0, 2, 2, 177, 127, 4194304",
    "1073741824, 0, 1000000, 0, 2, 1, 189, 127, 8388608",
    "1073741824, 0, 10000000, 1, 2, 1, 19, 31, 33554432",
    "1099511627776, 0, 128, 1, 2, 1, 1239784374, 118, 4294967296" // as large as headers can say
  })
  void of_givesWhatFits(
      long bytes,
      long entries,
      long typical,
      int asked,
      int processors,
      int shards,
      long buckets,
      int segments,
      long largest) {
    CacheOptions options =
        new CacheOptions(
            bytes,
            entries == 0 ? Long.MAX_VALUE : entries,
            typical,
            asked,
            WaitStrategy.FOREVER,
            System::nanoTime,
            false);
    Geometry geometry = Geometry.of(options, processors);
    long shardBytes = geometry.shardBytes();
    int shift = geometry.segmentShift();
    assertThat(geometry).isEqualTo(new Geometry(shards, shardBytes, buckets, segments, shift));
    assertThat(geometry.maxEntryBytes()).isEqualTo(largest);
    assertThat(bytes - shards * shardBytes).as("unused").isBetween(0L, 64L * shards - 1);
    long left =
        shardBytes - EntryTable.overheadBytes(buckets, segments) - ((long) segments << shift);
    assertThat(left).as("unused of a shard").isBetween(0L, (1L << shift) + 1_024);
    long usual = Math.min(entries == 0 ? Long.MAX_VALUE : entries, bytes / (16 + typical + 12));
    assertThat(buckets * SLOTS * shards).isGreaterThanOrEqualTo(usual * 14 / 10 - SLOTS);
  }
}
