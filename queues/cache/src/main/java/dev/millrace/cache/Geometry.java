package dev.millrace.cache;

import dev.millrace.cache.internal.EntryTable;

/**
 * The division of a cache's memory.
 *
 * @param shards the number of shards
 * @param shardBytes the memory of each shard in bytes, a multiple of 64
 * @param buckets the number of buckets in a shard's index
 * @param segments the number of segments in a shard
 * @param segmentShift the binary logarithm of a segment's size in bytes
 */
record Geometry(int shards, long shardBytes, long buckets, int segments, int segmentShift) {
  private static final long SLOTS_PER_ENTRY_TENTHS = 14; // 1.4, so that hardly any entry finds none
  private static final int LEAST_BUCKETS = 2;
  private static final int SEGMENTS = 64; // at least, and fewer than twice as many
  private static final int LEAST_SEGMENTS = 16; // if entries are large
  private static final int LEAST_SEGMENT_SHIFT = 8;
  private static final int SEGMENT_ENTRIES = 4; // at least, of the typical size
  private static final int MOST_ENTRY_SHIFT = 32; // a header has 32 bits for the value's size
  private static final long LINE_BYTES = 64;
  private static final int SHARDS_PER_PROCESSOR = 4;
  private static final int ROOMY_SEGMENT_ENTRIES = 8; // leaves at most a sixteenth unused
  private static final long LEAST_SHARD_ENTRIES = 512;

  static Geometry of(CacheOptions options, int processors) {
    if (options.shards() > 0) {
      return divide(options, options.shards());
    }
    int shards = Integer.highestOneBit(SHARDS_PER_PROCESSOR * processors);
    while (shards > 1 && !isRoomy(options, shards)) {
      shards /= 2;
    }
    return divide(options, shards);
  }

  /**
   * Returns whether shards are large enough to be worthwhile, and to waste little memory at the
   * ends of segments.
   */
  private static boolean isRoomy(CacheOptions options, int shards) {
    long entry = EntryTable.entryBytes(options.typicalEntryBytes(), 0);
    return options.bytes() / shards / (2 * SEGMENTS) >= ROOMY_SEGMENT_ENTRIES * entry
        && options.maxEntries() / shards >= LEAST_SHARD_ENTRIES;
  }

  private static Geometry divide(CacheOptions options, int shards) {
    long shardBytes = options.bytes() / shards / LINE_BYTES * LINE_BYTES;
    long entry = EntryTable.entryBytes(options.typicalEntryBytes(), 0);
    long perShard = Math.ceilDiv(options.maxEntries(), shards);
    long withSlots = 10 * entry + SLOTS_PER_ENTRY_TENTHS * Long.BYTES;
    long entries = Math.min(perShard, shardBytes / withSlots * 10);
    long buckets = LEAST_BUCKETS + entries * SLOTS_PER_ENTRY_TENTHS / (10 * EntryTable.WAYS);
    long room = shardBytes - EntryTable.overheadBytes(buckets, 2 * SEGMENTS);
    int least = SEGMENTS;
    while (least > LEAST_SEGMENTS && room / least < 2 * SEGMENT_ENTRIES * entry) {
      least /= 2;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, room / least));
    if (shift < LEAST_SEGMENT_SHIFT || 1L << shift < entry || options.maxEntries() < shards) {
      throw new IllegalArgumentException(
          "cache is too small: bytes=%d, shards=%d, typicalEntryBytes=%d, maxEntries=%d"
              .formatted(
                  options.bytes(), shards, options.typicalEntryBytes(), options.maxEntries()));
    }
    return new Geometry(shards, shardBytes, buckets, (int) (room >>> shift), shift);
  }

  long maxEntryBytes() {
    return 1L << Math.min(segmentShift, MOST_ENTRY_SHIFT);
  }
}
