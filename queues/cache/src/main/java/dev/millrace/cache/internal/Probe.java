package dev.millrace.cache.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What one call works with: the entry that it stores, or the key of it that it looks up, and the
 * entry that it found. Belongs to one thread at a time; {@link Probes} hands it out.
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

  /** Of a probe for one call. */
  static final int NO_PLACE = -1;

  private final MemorySegment own;
  private final int place;
  private Arena arena; // of what the probe's own memory cannot hold, or null
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
   * Makes a probe for one user. Its own memory is native, aligned to 8, and holds small entries; it
   * may be empty.
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

  /** Drops what it holds. */
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
   * Makes room for a key of {@code size} bytes, zeroed so that padding is always the same. Returns
   * where the key begins in {@link #memory}.
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

  /** Sets the key's hash, that of the bytes written. */
  public void endKey(long newHash) {
    hash = newHash;
  }

  /**
   * Makes room for the value to store, of {@code size} bytes; returns where it begins in {@link
   * #memory}.
   */
  public long startValue(long size) {
    valueBytes = size;
    array = null;
    return reserveBehindKey(size);
  }

  /** Sets the value to store, whose bytes are copied when it is stored. */
  public void useArray(byte[] value) {
    valueBytes = value.length;
    array = value;
  }

  /**
   * Copies what was found, which a writer may be changing, to where a value would be; returns where
   * the copy begins in {@link #memory}.
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

  /** Where the key ends, with its padding. */
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
   * The memory with the key and the value: native, good until the probe is given back or makes
   * room.
   */
  public MemorySegment memory() {
    return memory;
  }

  /** The key's hash, as given to {@link #endKey}. */
  public long hash() {
    return hash;
  }

  /** The size of the key in bytes. */
  public long keyBytes() {
    return keyBytes;
  }

  /** The size of the value to store, in bytes. */
  public long valueBytes() {
    return valueBytes;
  }

  /** The value to store, if it is not in the memory; else null. */
  byte[] array() {
    return array;
  }

  // ---- what it found ----

  /** Notes a word of the index. */
  void at(long newSlot, long newWord, long newEpoch) {
    slot = newSlot;
    word = newWord;
    epoch = newEpoch;
  }

  /** Notes an entry. */
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

  /** Where the found key begins: its offset in the shard's memory. */
  public long keyAt() {
    return keyAt;
  }

  /** The size of the found key in bytes. */
  public long foundKeyBytes() {
    return foundKeyBytes;
  }

  /** Where the found value begins: its offset in the shard's memory. */
  public long valueAt() {
    return valueAt;
  }

  /** The size of the found value in bytes. */
  public long foundBytes() {
    return foundBytes;
  }
}
