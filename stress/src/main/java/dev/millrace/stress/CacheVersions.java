package dev.millrace.stress;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Which versions of a key a cache may return. A bound is twice the oldest such version; one more,
 * and that version must not come either.
 *
 * <p>A key is stored and removed by one thread. Every fourth of a thread's keys is not: any thread
 * loads it, and its own only removes it. For versions must be stored in the order in which they are
 * made, as those of loads are: of one key there is one at a time, and a load that is not the last
 * to have begun is not stored.
 */
final class CacheVersions {
  private static final int LOADED_OF = 4;

  private final int threads;
  private final int keys;
  private final AtomicLongArray pairs; // of a key: its newest version, and the bound

  CacheVersions(int threads, int keysEach) {
    this.threads = threads;
    this.keys = threads * (keysEach / LOADED_OF * LOADED_OF);
    this.pairs = new AtomicLongArray(2 * keys);
  }

  int keys() {
    return keys;
  }

  int keysEach() {
    return keys / threads;
  }

  /** A key of a thread. */
  int key(int thread, int number) {
    return number * threads + thread;
  }

  int ownerOf(int key) {
    return key % threads;
  }

  /** The key of a thread that is nearest to another one. */
  int nearest(int key, int thread) {
    return key - key % threads + thread;
  }

  boolean isLoaded(int key) {
    return key / threads % LOADED_OF == 0;
  }

  /** The key to load that is nearest to another one. */
  int nearestLoaded(int key) {
    return key - key / threads % LOADED_OF * threads;
  }

  /** The key to store that is nearest to another one of the same thread. */
  int nearestStored(int key) {
    return isLoaded(key) ? key + threads : key;
  }

  /** Makes a version, before it is stored. */
  long begin(int key) {
    return pairs.incrementAndGet(2 * key);
  }

  /** The newest version that may be stored. */
  long newest(int key) {
    return pairs.get(2 * key);
  }

  /** The bound of a key for calls that begin now. */
  long bound(int key) {
    return pairs.get(2 * key + 1);
  }

  /** Raises the bound, after the call that was the reason; by the key's owner. */
  void raise(int key, long bound) {
    pairs.setRelease(2 * key + 1, bound);
  }

  static long from(long version) {
    return 2 * version;
  }

  static long after(long version) {
    return 2 * version + 1;
  }

  /** The bound once the oldest version that it allows is gone as well. */
  static long afterMiss(long bound) {
    return bound | 1;
  }

  static boolean isAllowed(long version, long bound) {
    return 2 * version >= bound;
  }
}
