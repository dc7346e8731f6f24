package dev.millrace.cache.internal;

import dev.millrace.cache.EvictionListener.Cause;

/**
 * A part of a cache: the entries of some hashes, which of them stay, and the lock of its writers.
 *
 * <p>Entries are appended to one of two queues, {@code small} and {@code main}. At the head of its
 * queue an entry is passed: it is moved to the tail of {@code main}, or it is evicted. S3-FIFO says
 * which: Yang, Zhang, Qiu, Yue, Vigfusson, <a href="https://doi.org/10.1145/3600006.3613147">FIFO
 * Queues Are All You Need for Cache Eviction</a> (2023). Each queue is a list of segments; one
 * whose entries were all passed is free for either.
 *
 * <p>Where we depart from it: sizes are in bytes unless the number of entries is bounded; a put
 * moves a bounded number of entries and bytes, and evicts the others it passes; until the first
 * eviction, what {@code small} has no room for goes to {@code main}; ghosts are fingerprints; and
 * an entry that finds no slot in the index takes that of another.
 */
public final class Shard {
  private static final int RESERVE = 2; // segments kept free for what is moved
  private static final int AHEAD = 2; // a put passes as many times its own size ahead of need
  private static final int MAX_MOVED = 16; // entries in one put
  private static final long MAX_MOVED_BYTES = 1 << 16; // of these, if there are several
  private static final int PARTS = 10; // of which small is one
  private static final int GHOST_PARTS = 9; // as many ghosts, in parts of the entries

  private final EntryTable table;
  private final long maxEntries;
  private final Departures departures;
  private final Mutex mutex = new Mutex();

  // of the lock's owner

  private final Fifo small;
  private final Fifo main;
  private final Ghosts ghosts;
  private final long[] fill; // where the entries of a segment end, unless it is a queue's last
  private final boolean[] isMain; // of each segment
  private final int[] free;
  private int freeCount;
  private long liveBytes;
  private boolean hasEvicted;
  private int moved; // entries by the put under way
  private long movedBytes;
  private long moves;
  private long crowdedOut;

  /** Called for each entry that leaves, under the lock, while its bytes are still there. */
  public interface Departures {
    /** Called for an entry, whose key and value are at these offsets in the shard's memory. */
    void add(long keyAt, long keyBytes, long valueAt, long valueBytes, Cause cause);
  }

  /**
   * Makes an empty shard over an empty table of at least 8 segments. It holds at most {@code
   * maxEntries}, or any number if that is {@link Long#MAX_VALUE}.
   */
  public Shard(EntryTable table, long maxEntries, Departures departures) {
    int segments = table.segmentCount();
    this.table = table;
    this.maxEntries = maxEntries;
    this.departures = departures;
    this.small = new Fifo(segments);
    this.main = new Fifo(segments);
    this.ghosts = new Ghosts(Math.min(maxEntries, table.maxEntries()), table.buckets());
    this.fill = new long[segments];
    this.isMain = new boolean[segments];
    this.free = new int[segments];
    freeAll();
  }

  /** The memory of its entries, which readers search without the lock. */
  public EntryTable table() {
    return table;
  }

  /** Takes the lock of the writers. All that follows wants it. */
  public void lock() {
    mutex.lock();
  }

  /** Gives the lock back. */
  public void unlock() {
    mutex.unlock();
  }

  // ---- what writers do; they have the lock ----

  /**
   * Stores the key and the value that a probe holds, in place of what the key had. The entry must
   * fit into a segment. {@code now} is the time in the unit of expiries; the entry expires at
   * {@code expiry}, or never if that is {@link EntryTable#NEVER}.
   */
  public void put(Probe probe, long expiry, long now) {
    moved = 0;
    movedBytes = 0;
    long size = EntryTable.entryBytes(probe.keyBytes(), probe.valueBytes());
    long slot = table.slotOf(probe);
    Fifo fifo;
    long reads = 0;
    if (slot == EntryTable.NONE) {
      boolean returns = ghosts.remove(Hash.spread(probe.hash()), entries() * GHOST_PARTS / PARTS);
      fifo = returns || isFilling() ? main : small;
      while (entries() >= maxEntries) {
        passOne(now);
      }
    } else {
      fifo = fifoOf(table.entryAt(slot));
      reads = Math.min(EntryTable.MOST_READS, table.readsAt(slot) + EntryTable.ONE_READ);
    }
    long at = makeRoom(fifo, size, now);
    boolean isNew = slot == EntryTable.NONE || !table.isUsed(slot); // it may have been passed
    if (isNew) {
      slot = table.slotFor(probe);
    }
    table.write(probe, at, expiry, slot);
    if (table.isUsed(slot)) {
      crowdedOut += isNew ? 1 : 0;
      leave(table.entryAt(slot), isNew ? Cause.EVICTED : Cause.REPLACED, now);
    }
    fifo.entries++;
    liveBytes += size;
    table.link(slot, probe, at, reads);
  }

  /**
   * Whether the probe's key is there and has not expired at the time {@code now}, in the unit of
   * expiries.
   */
  public boolean contains(Probe probe, long now) {
    long slot = table.slotOf(probe);
    return slot != EntryTable.NONE && table.expiryAt(table.entryAt(slot)) > now;
  }

  /**
   * Removes the probe's key. Returns false if it was not there, or had expired at the time {@code
   * now}, in the unit of expiries.
   */
  public boolean remove(Probe probe, long now) {
    long slot = table.slotOf(probe);
    if (slot == EntryTable.NONE) {
      return false;
    }
    boolean isExpired = table.expiryAt(table.entryAt(slot)) <= now;
    leave(table.entryAt(slot), Cause.REMOVED, now);
    table.unlink(slot);
    return !isExpired;
  }

  /**
   * Removes all entries; those that have expired at the time {@code now}, in the unit of expiries,
   * are reported as such.
   */
  public void clear(long now) {
    for (long slot = table.usedSlot(0);
        slot != EntryTable.NONE;
        slot = table.usedSlot(slot + Long.BYTES)) {
      leave(table.entryAt(slot), Cause.REMOVED, now);
      table.unlink(slot);
    }
    small.clear();
    main.clear();
    ghosts.clear();
    hasEvicted = false;
    freeAll();
  }

  private void freeAll() {
    freeCount = 0;
    for (int segment = free.length - 1; segment >= 0; segment--) {
      free[freeCount++] = segment;
    }
  }

  // ---- numbers ----

  /** How many entries there are, with those that have expired and were not passed yet. */
  public long entries() {
    return small.entries + main.entries;
  }

  /** How many bytes of memory the entries take, with headers and padding. */
  public long liveBytes() {
    return liveBytes;
  }

  /**
   * How many bytes of memory are of no use until they are passed: of entries that have left, and
   * unused ends of segments.
   */
  public long lostBytes() {
    return (free.length - freeCount) * table.segmentBytes()
        - small.room()
        - main.room()
        - liveBytes;
  }

  /** How many entries gave way because the index had no slot for another. */
  public long crowdedOut() {
    return crowdedOut;
  }

  /** How many entries were moved instead of evicted. */
  public long moves() {
    return moves;
  }

  // ---- making room ----

  private long bytes() {
    return free.length * table.segmentBytes();
  }

  private boolean isBoundedByEntries() {
    return maxEntries != Long.MAX_VALUE;
  }

  /** Whether nothing was evicted yet, though small has its share: then main takes what is new. */
  private boolean isFilling() {
    boolean isSmallFull =
        isBoundedByEntries() ? small.entries >= maxEntries / PARTS : small.bytes >= bytes() / PARTS;
    return isSmallFull && !hasEvicted;
  }

  private boolean isMainsTurn() {
    return isBoundedByEntries()
        ? main.entries > maxEntries - maxEntries / PARTS
        : main.bytes > bytes() / PARTS * (PARTS - 1);
  }

  private Fifo fifoOf(long at) {
    return isMain[table.segmentOf(at)] ? main : small;
  }

  /** Makes room for an entry at the tail of a queue. */
  private long makeRoom(Fifo fifo, long size, long now) {
    long due = AHEAD * size; // so that no put has to pass a whole segment
    while (freeCount <= RESERVE && due > 0) {
      long before = small.bytes + main.bytes;
      if (!passOne(now)) {
        break;
      }
      due -= before - small.bytes - main.bytes;
    }
    long at = append(fifo, size);
    while (at == EntryTable.NONE) {
      passOne(now);
      at = append(fifo, size);
    }
    return at;
  }

  private long append(Fifo fifo, long size) {
    if (fifo.room() < size) {
      if (freeCount == 0) {
        return EntryTable.NONE;
      }
      addSegment(fifo);
    }
    long at = fifo.tail;
    fifo.tail += size;
    fifo.bytes += size;
    return at;
  }

  private void addSegment(Fifo fifo) {
    if (fifo.segmentCount() > 0) {
      fill[fifo.lastSegment()] = fifo.tail;
    }
    int segment = free[--freeCount];
    isMain[segment] = fifo == main;
    table.startSegment(segment);
    fifo.addSegment(segment, table.segmentAt(segment), table.segmentBytes());
  }

  /** Passes the oldest entry of the queue whose turn it is. Returns false if there is none. */
  private boolean passOne(long now) {
    Fifo fifo = isMainsTurn() ? main : small;
    if (fifo.isEmpty()) {
      fifo = fifo == main ? small : main;
    }
    if (fifo.isEmpty()) {
      return false;
    }
    int segment = fifo.firstSegment();
    if (fifo.segmentCount() > 1 && fifo.head == fill[segment]) {
      long unused = table.segmentAt(segment + 1) - fifo.head;
      fifo.removeSegment(unused);
      fifo.head = table.segmentAt(fifo.firstSegment());
      free[freeCount++] = segment;
      return true;
    }
    long at = fifo.head;
    long size = table.sizeAt(at);
    fifo.head += size;
    fifo.bytes -= size;
    long slot = table.slotOfEntry(at);
    if (slot != EntryTable.NONE) {
      pass(fifo, slot, at, size, now);
    }
    return true;
  }

  /** Moves an entry to the tail of main, or evicts it. */
  private void pass(Fifo fifo, long slot, long at, long size, long now) {
    long reads = table.readsAt(slot);
    boolean isExpired = table.expiryAt(at) <= now;
    boolean isWorthIt = reads >= (fifo == main ? 1 : 2) * EntryTable.ONE_READ;
    if (isWorthIt && !isExpired && mayMove(size)) {
      long to = append(main, size);
      if (to != EntryTable.NONE) {
        moved++;
        movedBytes += size;
        moves++;
        fifo.entries--;
        main.entries++;
        table.move(slot, to, fifo == main ? reads - EntryTable.ONE_READ : 0);
        return;
      }
    }
    hasEvicted = true;
    leave(at, Cause.EVICTED, now);
    table.unlink(slot);
    if (fifo == small && !isExpired) {
      ghosts.add(table.hashAt(at));
    }
  }

  private boolean mayMove(long size) {
    return moved < MAX_MOVED && (moved == 0 || movedBytes + size <= MAX_MOVED_BYTES);
  }

  /** Counts an entry out and reports it. Its slot still points to it. */
  private void leave(long at, Cause cause, long now) {
    fifoOf(at).entries--;
    liveBytes -= table.sizeAt(at);
    departures.add(
        EntryTable.keyAt(at),
        table.keyBytesAt(at),
        table.valueAt(at),
        table.valueBytesAt(at),
        table.expiryAt(at) <= now ? Cause.EXPIRED : cause);
  }
}
