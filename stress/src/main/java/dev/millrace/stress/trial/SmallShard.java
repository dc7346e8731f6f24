package dev.millrace.stress.trial;

import dev.millrace.cache.internal.EntryTable;
import dev.millrace.cache.internal.Probe;
import dev.millrace.cache.internal.Shard;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.ring.Ring;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A shard of a cache with room for three entries. A segment holds one, so a put that evicts writes
 * to memory that was just in use. Keys are numbers with the same hash. A value is a number and its
 * multiples, so that words of several values do not fit together.
 */
public final class SmallShard {
  /** In place of a number: the key is absent. */
  public static final long ABSENT = 0;

  /** In place of a number: words of several values, or of another key. */
  public static final long TORN = -99;

  private static final VarHandle WORD = Ring.STAMP;
  private static final long HASH = 7;
  private static final int BUCKETS = 1;
  private static final int SEGMENTS = 5; // of which a put leaves two free
  private static final int SEGMENT_SHIFT = 6;
  private static final long WORDS = 3;
  private static final int PROBE_BYTES = 64;
  private static final long OTHER_KEY = -1;

  private final EntryTable table;
  private final Shard shard;

  /**
   * Makes an empty shard. Its puts soon use memory again, but not the first three.
   *
   * @param arena of its memory
   */
  public SmallShard(Arena arena) {
    long bytes = EntryTable.overheadBytes(BUCKETS, SEGMENTS) + (SEGMENTS << SEGMENT_SHIFT);
    MemorySegment memory = arena.allocate(bytes, Long.SIZE);
    table = new EntryTable(memory, BUCKETS, SEGMENTS, SEGMENT_SHIFT);
    shard = new Shard(table, Long.MAX_VALUE, (keyAt, keyBytes, at, valueBytes, cause) -> {});
  }

  /**
   * Makes a probe, which each thread needs one of.
   *
   * @param arena of its memory
   * @return the probe
   */
  public static Probe newProbe(Arena arena) {
    return new Probe(arena.allocate(PROBE_BYTES, Long.BYTES));
  }

  /**
   * Stores a key and removes it, until the memory is used up.
   *
   * @param probe of this thread
   */
  public void fill(Probe probe) {
    for (int i = 0; i < SEGMENTS; i++) {
      put(probe, OTHER_KEY, 1);
    }
    remove(probe, OTHER_KEY);
  }

  // ---- writing ----

  private static void useKey(Probe probe, long key) {
    WORD.set(probe.memory(), probe.startKey(Long.BYTES), key);
    probe.endKey(HASH);
  }

  private static void use(Probe probe, long key, long number) {
    useKey(probe, key);
    long at = probe.startValue(WORDS * Long.BYTES);
    for (long i = 0; i < WORDS; i++) {
      WORD.set(probe.memory(), at + i * Long.BYTES, (i + 1) * number);
    }
  }

  /**
   * Stores a number.
   *
   * @param probe of this thread
   * @param key the key
   * @param number above 0
   */
  public void put(Probe probe, long key, long number) {
    use(probe, key, number);
    shard.lock();
    shard.put(probe, EntryTable.NEVER, 0);
    shard.unlock();
  }

  /**
   * Stores a number without the lock, as no thread must.
   *
   * @param probe of this thread
   * @param key the key
   * @param number above 0
   */
  public void putUnlocked(Probe probe, long key, long number) {
    use(probe, key, number);
    shard.put(probe, EntryTable.NEVER, 0);
  }

  /**
   * Stores a number unless the key has one.
   *
   * @param probe of this thread
   * @param key the key
   * @param number above 0
   * @return whether it was stored
   */
  public boolean putIfAbsent(Probe probe, long key, long number) {
    use(probe, key, number);
    shard.lock();
    boolean isAbsent = !shard.contains(probe, 0);
    if (isAbsent) {
      shard.put(probe, EntryTable.NEVER, 0);
    }
    shard.unlock();
    return isAbsent;
  }

  /**
   * Removes a key.
   *
   * @param probe of this thread
   * @param key the key
   * @return whether it was there
   */
  public boolean remove(Probe probe, long key) {
    useKey(probe, key);
    shard.lock();
    boolean was = shard.remove(probe, 0);
    shard.unlock();
    return was;
  }

  /** Removes all keys. */
  public void clear() {
    shard.lock();
    shard.clear(0);
    shard.unlock();
  }

  /**
   * How many entries there are, while nobody writes.
   *
   * @return the number
   */
  public long entries() {
    return shard.entries();
  }

  // ---- reading ----

  /**
   * Looks a key up.
   *
   * @param probe of this thread
   * @param key the key
   * @return its number, {@link #ABSENT} or {@link #TORN}
   */
  public long get(Probe probe, long key) {
    useKey(probe, key);
    while (table.find(probe, 0)) {
      long number = read(probe);
      if (table.isValid(probe)) {
        table.touch(probe);
        return number;
      }
    }
    return ABSENT;
  }

  /**
   * Looks a key up and does not ask whether what it read is valid, as no reader must.
   *
   * @param probe of this thread
   * @param key the key
   * @return its number, {@link #ABSENT}, {@link #TORN}, or anything
   */
  public long getUnchecked(Probe probe, long key) {
    useKey(probe, key);
    return table.find(probe, 0) ? read(probe) : ABSENT;
  }

  @Speculative
  private long read(Probe probe) {
    long number = wordAt(probe, 0);
    boolean isWhole = probe.foundBytes() == WORDS * Long.BYTES;
    for (int i = 1; isWhole && i < WORDS; i++) {
      isWhole = wordAt(probe, i) == (i + 1) * number;
    }
    return isWhole ? number : TORN;
  }

  @Speculative
  private long wordAt(Probe probe, int index) {
    return (long) WORD.get(table.memory(), probe.valueAt() + (long) index * Long.BYTES);
  }
}
