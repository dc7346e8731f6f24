package dev.millrace.cache.internal;

import dev.millrace.cache.EvictionListener.Cause;

/**
 * A part of a cache. It has the entries of some hashes, decides which of them stay, and has the
 * lock of their writers.
 *
 * <p>Entries are appended to one of two queues, {@code small} and {@code main}. At the head of its
 * queue an entry is passed: it is either moved to the tail of {@code main} or evicted. S3-FIFO
 * decides which: Yang, Zhang, Qiu, Yue, Vigfusson, <a
 * href="https://doi.org/10.1145/3600006.3613147">FIFO Queues Are All You Need for Cache
 * Eviction</a> (2023). Each queue is a list of segments. A segment whose entries have all been
 * passed is free for either queue.
 *
 * <p>We depart from the paper in five points. Sizes are in bytes unless the number of entries is
 * bounded. A put moves a bounded number of entries and bytes, and evicts the other entries that it
 * passes. Until the first eviction, entries for which {@code small} has no room go to {@code main}.
 * Ghosts are fingerprints. An entry that finds no free slot in the index takes the slot of another
 * entry.
 */
public final class Shard {
  private static final int RESERVE = 2; // segments kept free for moved entries
  private static final int AHEAD = 2; // a put passes this many times its own size ahead of need
  private static final int MAX_MOVED = 16; // entries moved by one put
  // bytes moved by one put, if it moves several entries
  private static final long MAX_MOVED_BYTES = 1 << 16;
  private static final int PARTS = 10; // small has one of them
  private static final int GHOST_PARTS = 9; // the number of ghosts, in parts of the entries

  private final EntryTable table;
  private final long maxEntries;
  private final Departures departures;
  private final Mutex mutex = new Mutex();

  // used by the owner of the lock

  private final Fifo small;
  private final Fifo main;
  private final Ghosts ghosts;
  private final long[] fill; // where the entries of a segment end, unless it is a queue's last
  private final boolean[] isMain; // whether each segment is in main
  private final int[] free;
  private int freeCount;
  private long liveBytes;
  private boolean hasEvicted;
  private int moved; // entries moved by the current put
  private long movedBytes;
  private long moves;
  private long crowdedOut;

  /** Learns about each entry that leaves. */
  public interface Departures {
    /**
     * Called under the lock for an entry that leaves, while its bytes are still there. The offsets
     * of its key and value refer to the shard's memory.
     */
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

  /** Returns the table of the entries, which readers search without the lock. */
  public EntryTable table() {
    return table;
  }

  /** Takes the lock of the writers. Callers of all methods below must hold it. */
  public void lock() {
    mutex.lock();
  }

  /** Gives the lock back. */
  public void unlock() {
    mutex.unlock();
  }

  // ---- what writers do; they have the lock ----

  /**
   * Stores the key and the value that a probe holds, replacing any earlier value of the key. The
   * entry must fit into a segment. {@code now} is the time in the unit of expiries. The entry
   * expires at {@code expiry}, or never if that is {@link EntryTable#NEVER}.
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
    // making room may have evicted it
    boolean isNew = slot == EntryTable.NONE || !table.isUsed(slot);
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
   * Returns whether the probe's key is present and has not expired at the time {@code now}, in the
   * unit of expiries.
   */
  public boolean contains(Probe probe, long now) {
    long slot = table.slotOf(probe);
    return slot != EntryTable.NONE && table.expiryAt(table.entryAt(slot)) > now;
  }

  /**
   * Removes the probe's key. Returns false if the key was absent or had expired at the time {@code
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
   * Removes all entries. Those that have expired at the time {@code now}, in the unit of expiries,
   * are reported as expired.
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

  /**
   * Returns how many entries there are, including those that have expired but were not passed yet.
   */
  public long entries() {
    return small.entries + main.entries;
  }

  /** Returns how many bytes of memory the entries take, including headers and padding. */
  public long liveBytes() {
    return liveBytes;
  }

  /**
   * Returns how many bytes of memory are of no use until they are passed. These are the bytes of
   * entries that have left, and the unused ends of segments.
   */
  public long lostBytes() {
    return (free.length - freeCount) * table.segmentBytes()
        - small.room()
        - main.room()
        - liveBytes;
  }

  /** Returns how many entries had to leave because the index had no free slot for another entry. */
  public long crowdedOut() {
    return crowdedOut;
  }

  /** Returns how many entries were moved instead of evicted. */
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

  /**
   * Returns whether nothing has been evicted yet although small already has its share. In that case
   * new entries go to main.
   */
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

  /** Makes room for an entry of {@code size} bytes at the tail of a queue. Returns its offset. */
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

  /** Removes an entry from the counts and reports it. Its slot still points to it. */
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
