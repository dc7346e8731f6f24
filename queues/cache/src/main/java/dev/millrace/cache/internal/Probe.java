package dev.millrace.cache.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The working memory of one call. It holds the entry that the call stores or the key that it looks
 * up, and the place of the entry that it has found. A probe belongs to one thread at a time. {@link
 * Probes} hands it out.
 *
 * <pre>
 * 0                         16
 * +-------------------------+-----+-----+-------+-----+
 * | header of an entry      | key | pad | value | pad |
 * +-------------------------+-----+-----+-------+-----+
 * </pre>
 */
public final class Probe {
  /** Where the key begins in {@link #memory}. */
  public static final long KEY_AT = EntryTable.HEADER_BYTES;

  /** The place of a probe that serves one call only. */
  static final int NO_PLACE = -1;

  private final MemorySegment own;
  private final int place;
  private Arena arena; // for what the probe's own memory cannot hold, or null
  private MemorySegment memory;
  private long keyBytes;
  private long valueBytes;
  private byte[] array; // the value to store, if it is not in the memory
  private long hash;

  // what was found

  private long slot; // in the index
  private long word; // in that slot
  private long epoch; // of the word's segment
  private long keyAt;
  private long foundKeyBytes;
  private long valueAt;
  private long foundBytes;
  private long expiry;

  /**
   * Makes a probe for one user. Its own memory, {@code own}, holds small entries. It must be native
   * and aligned to 8 bytes, and may be empty.
   */
  public Probe(MemorySegment own) {
    this(own, NO_PLACE);
  }

  Probe(MemorySegment own, int place) {
    this.own = own;
    this.place = place;
    this.memory = own;
  }

  int place() {
    return place;
  }

  /** Drops what the probe holds. */
  void clear() {
    array = null;
    keyBytes = 0; // an iterator's copy begins where a key would end
    if (arena != null) {
      memory = own;
      arena.close();
      arena = null;
    }
  }

  // ---- what it holds ----

  /**
   * Makes room for a key of {@code size} bytes, zeroed so that the padding is always the same.
   * Returns the offset of the key in {@link #memory}.
   */
  public long startKey(long size) {
    long end = KEY_AT + padded(size);
    reserve(end, 0);
    for (long at = KEY_AT; at < end; at += Long.BYTES) {
      memory.set(JAVA_LONG, at, 0);
    }
    keyBytes = size;
    return KEY_AT;
  }

  /** Sets the hash of the key, whose bytes must have been written. */
  public void endKey(long newHash) {
    hash = newHash;
  }

  /**
   * Makes room for a value of {@code size} bytes to store. Returns the offset of the value in
   * {@link #memory}.
   */
  public long startValue(long size) {
    valueBytes = size;
    array = null;
    return reserveBehindKey(size);
  }

  /** Sets the value to store. Its bytes are copied only when it is stored. */
  public void useArray(byte[] value) {
    valueBytes = value.length;
    array = value;
  }

  /**
   * Copies found bytes, which a writer may be changing, to where a value would be. Returns the
   * offset of the copy in {@link #memory}.
   */
  public long copy(MemorySegment source, long from, long size) {
    long at = reserveBehindKey(size);
    MemorySegment.copy(source, from, memory, at, size);
    return at;
  }

  private long reserveBehindKey(long size) {
    long at = keyEnd();
    reserve(at + padded(size), at);
    return at;
  }

  void setHeader(long first, long second) {
    memory.set(JAVA_LONG, 0, first);
    memory.set(JAVA_LONG, Long.BYTES, second);
  }

  /** Returns where the key ends, including its padding. */
  long keyEnd() {
    return KEY_AT + padded(keyBytes);
  }

  private void reserve(long size, long kept) {
    if (memory.byteSize() < size) {
      MemorySegment before = memory;
      Arena arenaBefore = arena;
      arena = Arena.ofConfined();
      memory = arena.allocate(size, Long.BYTES);
      MemorySegment.copy(before, 0, memory, 0, kept);
      if (arenaBefore != null) {
        arenaBefore.close();
      }
    }
  }

  static long padded(long bytes) {
    return (bytes + Long.BYTES - 1) & -Long.BYTES;
  }

  /**
   * Returns the native memory that holds the key and the value. It is good until the probe is given
   * back or makes room.
   */
  public MemorySegment memory() {
    return memory;
  }

  /** Returns the key's hash, as given to {@link #endKey}. */
  public long hash() {
    return hash;
  }

  /** Returns the size of the key in bytes. */
  public long keyBytes() {
    return keyBytes;
  }

  /** Returns the size of the value to store, in bytes. */
  public long valueBytes() {
    return valueBytes;
  }

  /** Returns the value to store if it is not in the memory, otherwise null. */
  byte[] array() {
    return array;
  }

  // ---- what it found ----

  /** Notes a word of the index and its slot. */
  void at(long newSlot, long newWord, long newEpoch) {
    slot = newSlot;
    word = newWord;
    epoch = newEpoch;
  }

  /** Notes the entry that was found. */
  void found(long newKeyAt, long newKeyBytes, long newBytes, long newExpiry) {
    keyAt = newKeyAt;
    foundKeyBytes = newKeyBytes;
    valueAt = newKeyAt + padded(newKeyBytes);
    foundBytes = newBytes;
    expiry = newExpiry;
  }

  long slot() {
    return slot;
  }

  long word() {
    return word;
  }

  long epoch() {
    return epoch;
  }

  long expiry() {
    return expiry;
  }

  /** Returns the offset of the found key in the shard's memory. */
  public long keyAt() {
    return keyAt;
  }

  /** Returns the size of the found key in bytes. */
  public long foundKeyBytes() {
    return foundKeyBytes;
  }

  /** Returns the offset of the found value in the shard's memory. */
  public long valueAt() {
    return valueAt;
  }

  /** Returns the size of the found value in bytes. */
  public long foundBytes() {
    return foundBytes;
  }
}
