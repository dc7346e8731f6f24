package dev.millrace.cache.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.ring.Ring;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The memory of a shard: an index of hashes, and segments of entries. Readers search both while a
 * writer changes them. The writer decides where entries go and which ones leave: see {@link Shard}.
 *
 * <pre>
 * | epochs of the segments | index: buckets of 8 words | segment 0 | segment 1 | ...
 *
 *   word of the index; 0 if the place is free
 *    63       40 39     38 37                    0
 *   +-----------+---------+-----------------------+
 *   | tag       | reads   | address of entry / 8  |
 *   +-----------+---------+-----------------------+
 *
 *   entry, at a multiple of 8
 *   +-------------------------+---------------------------------+-----+-----+-------+-----+
 *   | hash 32, value bytes 32 | key bytes 20, slot 4, expiry 40 | key | pad | value | pad |
 *   +-------------------------+---------------------------------+-----+-----+-------+-----+
 * </pre>
 *
 * <p>A hash has two buckets. Its word is in one of their sixteen slots, and stays in that slot as
 * long as the key is present. The entry says which slot that is. Padding behind a key is zero.
 *
 * <p><b>Roles.</b> Any number of threads may read. One thread at a time may write, and must hold
 * the shard's lock.
 *
 * <p><b>Progress.</b> Reading is lock-free: a reader tries again only if a writer has changed what
 * it was reading. Writing is wait-free, and never waits for a reader.
 */
public final class EntryTable {
  /*
   * A reader finds a word, reads the epoch of the segment that the word points into, and then reads
   * the word again. If the word is unchanged, the segment had that epoch while the word was
   * current. Then the reader reads the entry, and the epoch again. If the epoch is unchanged, the
   * bytes read are those of the entry.
   *
   * Invariants: before a segment is reused, first every word that points into it changes, and then
   * its epoch. An entry never changes. Epochs only rise. Non-invariant: the word may no longer be
   * current when the entry is validated. It was current when it was read the second time, which is
   * when the lookup takes effect.
   *
   * A  WORD.setRelease in link, move     ->  WORD.getAcquire in search      the entry; the epoch of
   *                                                                         its segment
   * B  releaseFence in startSegment      ->  acquireFence in isValid,       a reader of bytes of a
   *                                          then EPOCH.getOpaque           later entry sees a later
   *                                                                         epoch
   * C  EPOCH.setRelease in startSegment  ->  EPOCH.getAcquire in search     the words that pointed
   *                                                                         into the segment changed
   */
  private static final VarHandle WORD = Ring.STAMP;
  private static final VarHandle EPOCH = Ring.STAMP;
  private static final VarHandle BYTES = Ring.STAMP;

  /** The longest key, in bytes. */
  public static final long MAX_KEY_BYTES = (1L << 20) - 1;

  /** The expiry of an entry that never expires. */
  public static final long NEVER = (1L << 40) - 1;

  /** How many slots a bucket of the index has. */
  public static final int WAYS = 8;

  private static final int NEARLY_FULL = 2; // free slots
  static final long NONE = -1;
  static final long ONE_READ = 1L << 38;
  static final long MOST_READS = 3 * ONE_READ;

  static final long HEADER_BYTES = 2 * Long.BYTES;
  private static final long BUCKET_BYTES = WAYS * Long.BYTES;
  private static final long LINE_BYTES = 64;
  private static final int UNIT_SHIFT = 3; // addresses count units of 8 bytes
  private static final long ADDRESSES = ONE_READ - 1;
  private static final int TAG_SHIFT = 40;
  private static final long TAGS = -1L << TAG_SHIFT;
  private static final int WAY_SHIFT = 40; // above the expiry
  private static final int KEY_BYTES_SHIFT = 44;
  private static final long ALL_BITS = -1;

  private final MemorySegment memory;
  private final long indexAt;
  private final long buckets;
  private final long dataAt;
  private final int segmentShift;
  private final int segmentCount;

  /**
   * Makes an empty table in {@code memory}, which must be native, zeroed, aligned to 64 bytes, and
   * have room for {@link #overheadBytes} and the segments. Each of the {@code buckets} of the index
   * has room for eight entries. {@code segmentShift} is the binary logarithm of a segment's size.
   */
  public EntryTable(MemorySegment memory, long buckets, int segmentCount, int segmentShift) {
    this.memory = memory;
    this.indexAt = indexAt(segmentCount);
    this.buckets = buckets;
    this.dataAt = overheadBytes(buckets, segmentCount);
    this.segmentShift = segmentShift;
    this.segmentCount = segmentCount;
  }

  private static long indexAt(int segmentCount) {
    return (segmentCount * (long) Long.BYTES + LINE_BYTES - 1) & -LINE_BYTES;
  }

  /** Returns how many bytes of memory a table needs in addition to its segments. */
  public static long overheadBytes(long buckets, int segmentCount) {
    return indexAt(segmentCount) + buckets * BUCKET_BYTES;
  }

  /** Returns how many bytes of memory an entry takes. */
  public static long entryBytes(long keyBytes, long valueBytes) {
    return HEADER_BYTES + Probe.padded(keyBytes) + Probe.padded(valueBytes);
  }

  /** Returns the whole memory, to which all offsets refer. */
  public MemorySegment memory() {
    return memory;
  }

  // ---- places ----

  private static long tagOf(long hash) {
    return (hash * Hash.ODD) & TAGS;
  }

  private static long addressOf(long word) {
    return (word & ADDRESSES) << UNIT_SHIFT;
  }

  private static boolean isSameEntry(long word, long other) {
    return ((word ^ other) & ~MOST_READS) == 0;
  }

  /**
   * Returns the offset of the first bucket of a hash if {@code which} is 0, or of the second if it
   * is 1.
   */
  private long bucketAt(long hash, int which) {
    long bits = which == 0 ? hash : (hash * Hash.ODD) ^ (hash >>> 32);
    return indexAt + (((bits & 0xFFFF_FFFFL) * buckets) >>> 32) * BUCKET_BYTES;
  }

  int segmentOf(long at) {
    return (int) ((at - dataAt) >>> segmentShift);
  }

  long segmentAt(int segment) {
    return dataAt + ((long) segment << segmentShift);
  }

  private long epochAt(long at) {
    return (long) segmentOf(at) * Long.BYTES;
  }

  int segmentCount() {
    return segmentCount;
  }

  long segmentBytes() {
    return 1L << segmentShift;
  }

  long buckets() {
    return buckets;
  }

  long maxEntries() {
    return buckets * WAYS;
  }

  // ---- reading ----

  /**
   * Finds the entry of the probe's key at the time {@code now}, in the unit of expiries, and notes
   * its place in the probe. The caller reads the entry and then calls {@link #isValid}. If that
   * returns false, the caller must discard what it has read and search again. Returns false if the
   * key was absent or expired at some time during the call.
   */
  public boolean find(Probe probe, long now) {
    long hash = Hash.spread(probe.hash());
    long tag = tagOf(hash);
    return findIn(bucketAt(hash, 0), tag, probe, now) || findIn(bucketAt(hash, 1), tag, probe, now);
  }

  private boolean findIn(long bucketAt, long tag, Probe probe, long now) {
    int candidates = matches(bucketAt, TAGS, tag); // linearizes a miss, with the other bucket
    while (candidates != 0) {
      if (search(firstOf(candidates, bucketAt), TAGS, tag, probe, now)) {
        return true;
      }
      candidates &= candidates - 1;
    }
    return false;
  }

  /**
   * Returns which words of a bucket equal {@code bits} under {@code mask}, as one bit for each
   * word. Has no branch to mispredict.
   */
  @Speculative
  private int matches(long bucketAt, long mask, long bits) {
    int matches = 0;
    for (int i = 0; i < WAYS; i++) {
      // plain: search reads it again. The reads of one call come before those of the next, because
      // each has taken a probe before. Only the writer itself changes what a writer looks for
      long word = (long) WORD.get(memory, bucketAt + i * (long) Long.BYTES);
      long difference = (word ^ bits) & mask;
      matches |= (int) (~(difference | -difference) >>> 63) << i;
    }
    return matches;
  }

  /** Returns the slot of the first match in a bucket. */
  private static long firstOf(int matches, long bucketAt) {
    return bucketAt + Integer.numberOfTrailingZeros(matches) * (long) Long.BYTES;
  }

  /**
   * Finds the first entry from the slot {@code from} on that has not expired at the time {@code
   * now}, in the unit of expiries, and notes its place in the probe. The caller reads the entry and
   * then calls {@link #isValid}. If that returns false, the caller must discard what it has read
   * and search again from the same slot. Slots are numbered from 0. Returns the entry's slot, or -1
   * if there are no more entries.
   */
  public long findFrom(long from, Probe probe, long now) {
    for (long slot = indexAt + from * Long.BYTES; slot < dataAt; slot += Long.BYTES) {
      if (search(slot, 0, 0, probe, now)) {
        return (slot - indexAt) / Long.BYTES;
      }
    }
    return NONE;
  }

  /**
   * Returns whether {@code slot} has the probe's key, or any key if {@code tagBits} is 0, in an
   * entry that has not expired. Searches again if the entry does not match but may have been
   * overwritten.
   */
  private boolean search(long slot, long tagBits, long tag, Probe probe, long now) {
    long word = (long) WORD.getOpaque(memory, slot); // opaque: read again below
    while (word != 0 && (word & tagBits) == tag) {
      long epoch = (long) EPOCH.getAcquire(memory, epochAt(addressOf(word))); // acquire C
      long again = (long) WORD.getAcquire(memory, slot); // acquire A; linearizes a hit
      if (isSameEntry(word, again)) {
        probe.at(slot, again, epoch);
        if (locate(probe) && probe.expiry() > now && (tagBits == 0 || isSameKey(probe))) {
          return true;
        }
        if (isValid(probe)) {
          return false; // another key, or expired
        }
        again = (long) WORD.getOpaque(memory, slot); // opaque: read again above
      }
      word = again;
    }
    return false;
  }

  /**
   * Reads the header of the probe's entry. Returns false if no entry can have such a header. In
   * that case the entry is not valid.
   */
  @Speculative
  private boolean locate(Probe probe) {
    long at = addressOf(probe.word());
    long first = (long) BYTES.get(memory, at); // plain: validated later
    long second = (long) BYTES.get(memory, at + Long.BYTES); // plain: validated later
    probe.found(
        at + HEADER_BYTES, second >>> KEY_BYTES_SHIFT, first & 0xFFFF_FFFFL, second & NEVER);
    return probe.valueAt() + probe.foundBytes() <= segmentAt(segmentOf(at) + 1);
  }

  @Speculative
  private boolean isSameKey(Probe probe) {
    long size = probe.keyBytes();
    if (probe.foundKeyBytes() != size) {
      return false;
    }
    MemorySegment key = probe.memory();
    for (long i = 0; i < size; i += Long.BYTES) {
      // plain: validated later; the probe's key belongs to this thread
      if ((long) BYTES.get(memory, probe.keyAt() + i) != (long) BYTES.get(key, HEADER_BYTES + i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the bytes read since the probe found its entry are those of the entry. Returns
   * false if a writer has overwritten it.
   */
  public boolean isValid(Probe probe) {
    VarHandle.acquireFence(); // acquire B: the entry is read before the epoch
    // opaque: the fence orders it
    return (long) EPOCH.getOpaque(memory, epochAt(addressOf(probe.word()))) == probe.epoch();
  }

  /** Counts a read of the entry that the probe found. */
  public void touch(Probe probe) {
    long word = probe.word();
    if ((word & MOST_READS) != MOST_READS) {
      // plain: the update continues the release sequence of the word that it read. atomic: fails if
      // the word has changed
      boolean _ = WORD.weakCompareAndSetPlain(memory, probe.slot(), word, word + ONE_READ);
    }
  }

  // ---- writing ----

  /** Finds the probe's key, expired or not. Returns its slot, or -1 if the key is absent. */
  long slotOf(Probe probe) {
    long hash = Hash.spread(probe.hash());
    long slot = slotIn(bucketAt(hash, 0), tagOf(hash), probe);
    return slot != NONE ? slot : slotIn(bucketAt(hash, 1), tagOf(hash), probe);
  }

  private long slotIn(long bucketAt, long tag, Probe probe) {
    for (int candidates = matches(bucketAt, TAGS, tag);
        candidates != 0;
        candidates &= candidates - 1) {
      long slot = firstOf(candidates, bucketAt);
      long word = wordAt(slot);
      if (word != 0) {
        probe.at(slot, word, 0);
        if (locate(probe) && isSameKey(probe)) {
          return slot;
        }
      }
    }
    return NONE;
  }

  /** Finds the slot that points to the entry at {@code at}. Returns -1 if the entry has left. */
  long slotOfEntry(long at) {
    long way =
        ((long) BYTES.get(memory, at + Long.BYTES) >>> WAY_SHIFT)
            & (2 * WAYS - 1); // plain: the writer's own
    long slot = bucketAt(hashAt(at), (int) way / WAYS) + (way & (WAYS - 1)) * Long.BYTES;
    return addressOf(wordAt(slot)) == at ? slot : NONE;
  }

  /** Returns which of the sixteen slots of a hash {@code slot} is, from 0. */
  private long wayOf(long hash, long slot) {
    long inFirst = slot - bucketAt(hash, 0);
    boolean isInFirst = inFirst >= 0 && inFirst < BUCKET_BYTES;
    long inBucket = isInFirst ? inFirst : BUCKET_BYTES + slot - bucketAt(hash, 1);
    return inBucket / Long.BYTES;
  }

  /**
   * Finds a slot for the probe's key, which must be new. The slot is in the first bucket, unless
   * that is nearly full and the second has more free slots. If the bucket is full, takes the slot
   * of the entry that was read least.
   */
  long slotFor(Probe probe) {
    long hash = Hash.spread(probe.hash());
    long first = bucketAt(hash, 0);
    long second = bucketAt(hash, 1);
    int inFirst = matches(first, ALL_BITS, 0);
    int inSecond = matches(second, ALL_BITS, 0);
    int free = Integer.bitCount(inFirst);
    boolean takesFirst = free >= NEARLY_FULL || free >= Integer.bitCount(inSecond);
    long bucketAt = takesFirst ? first : second;
    int matches = takesFirst ? inFirst : inSecond;
    return matches != 0 ? firstOf(matches, bucketAt) : leastRead(bucketAt);
  }

  /** Returns the slot of a full bucket whose entry was read least. */
  private long leastRead(long bucketAt) {
    long best = bucketAt;
    for (long slot = bucketAt; slot < bucketAt + BUCKET_BYTES; slot += Long.BYTES) {
      if (readsAt(slot) < readsAt(best)) {
        best = slot;
      }
    }
    return best;
  }

  /** Finds the first used slot from {@code from} on. Returns -1 if there is none. */
  long usedSlot(long from) {
    for (long slot = Math.max(from, indexAt); slot < dataAt; slot += Long.BYTES) {
      if (wordAt(slot) != 0) {
        return slot;
      }
    }
    return NONE;
  }

  private long wordAt(long slot) {
    return (long) WORD.getOpaque(memory, slot); // opaque: readers change only the reads in it
  }

  boolean isUsed(long slot) {
    return wordAt(slot) != 0;
  }

  /** Returns the offset of the entry that a slot points to. */
  long entryAt(long slot) {
    return addressOf(wordAt(slot));
  }

  /** Returns how often a slot's entry was read, as a multiple of {@link #ONE_READ}. */
  long readsAt(long slot) {
    return wordAt(slot) & MOST_READS;
  }

  /** Returns the hash of the entry at {@code at}. */
  long hashAt(long at) {
    return Hash.spread((long) BYTES.get(memory, at) >>> 32); // plain: the writer's own
  }

  long keyBytesAt(long at) {
    return (long) BYTES.get(memory, at + Long.BYTES) >>> KEY_BYTES_SHIFT; // plain: the writer's own
  }

  long valueBytesAt(long at) {
    return (long) BYTES.get(memory, at) & 0xFFFF_FFFFL; // plain: the writer's own
  }

  long expiryAt(long at) {
    return (long) BYTES.get(memory, at + Long.BYTES) & NEVER; // plain: the writer's own
  }

  static long keyAt(long at) {
    return at + HEADER_BYTES;
  }

  long valueAt(long at) {
    return keyAt(at) + Probe.padded(keyBytesAt(at));
  }

  /** Returns how many bytes of memory the entry at {@code at} takes. */
  long sizeAt(long at) {
    return entryBytes(keyBytesAt(at), valueBytesAt(at));
  }

  /** Prepares a segment for new entries. No word may point into it any more. */
  void startSegment(int segment) {
    long epochAt = (long) segment * Long.BYTES;
    long epoch = (long) EPOCH.get(memory, epochAt); // plain: only the writer changes it
    EPOCH.setRelease(memory, epochAt, epoch + 1); // release C: words were changed before
    VarHandle.releaseFence(); // release B: the epoch is written before new entries
  }

  /**
   * Writes the probe's key and value to {@code at}, where no word points yet. Later {@code slot}
   * will point there.
   */
  void write(Probe probe, long at, long expiry, long slot) {
    MemorySegment entry = probe.memory();
    long way = wayOf(Hash.spread(probe.hash()), slot);
    probe.setHeader(
        (probe.hash() << 32) | probe.valueBytes(),
        (probe.keyBytes() << KEY_BYTES_SHIFT) | (way << WAY_SHIFT) | expiry);
    byte[] array = probe.array();
    long inEntry = array == null ? probe.valueBytes() : 0;
    MemorySegment.copy(entry, 0, memory, at, probe.keyEnd() + inEntry);
    if (array != null) {
      copy(array, at + probe.keyEnd());
    }
  }

  private void copy(byte[] value, long at) {
    MemorySegment.copy(value, 0, memory, JAVA_BYTE, at, value.length);
  }

  /** Makes a slot point to an entry that was written. */
  void link(long slot, Probe probe, long at, long reads) {
    long word = tagOf(Hash.spread(probe.hash())) | reads | (at >>> UNIT_SHIFT);
    WORD.setRelease(memory, slot, word); // release A: the entry
  }

  /** Copies an entry and makes its slot point to the copy. */
  void move(long slot, long to, long reads) {
    long word = wordAt(slot);
    long at = addressOf(word);
    MemorySegment.copy(memory, at, memory, to, sizeAt(at));
    WORD.setRelease(
        memory, slot, (word & TAGS) | reads | (to >>> UNIT_SHIFT)); // release A: the copy
  }

  /** Frees a slot. */
  void unlink(long slot) {
    WORD.setOpaque(memory, slot, 0L); // opaque: startSegment releases it before the bytes change
  }
}
