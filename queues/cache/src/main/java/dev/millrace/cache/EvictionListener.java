package dev.millrace.cache;

/**
 * Called once for each entry that leaves a cache, after it has left, in the thread whose call made
 * it leave. No lock is held, so a listener may call the cache. If several threads change one key,
 * its entries may be reported out of order.
 *
 * <p>An entry is reported when its memory is needed or its key changes, so one that expires is not
 * reported at once. A cache with a listener copies what leaves.
 *
 * @param <K> the keys
 * @param <V> the values
 * @since 0.1.0
 */
@FunctionalInterface
public interface EvictionListener<K, V> {
  /** Why an entry has left. */
  enum Cause {
    /** Other entries needed its memory, or its slot in the index. */
    EVICTED,
    /** It had expired when it was removed or replaced, or its memory was needed. */
    EXPIRED,
    /** Its key was stored again. */
    REPLACED,
    /** Its key was removed, or the cache was cleared. */
    REMOVED
  }

  /**
   * Called after an entry has left. What it throws goes to the caller of the cache, after the other
   * entries that left were reported.
   *
   * @param key the key
   * @param value the value
   * @param cause why it left
   */
  void onLeave(K key, V value, Cause cause);
}
