package dev.millrace.cache;

/**
 * Called once for each entry that leaves a cache. The cache calls the listener after the entry has
 * left, in the thread whose call to the cache made the entry leave. The cache holds no lock while
 * it calls the listener, so a listener may call the cache. If several threads update the same key,
 * the entries of that key may be reported out of order.
 *
 * <p>An expired entry is not reported at once, but when its memory is needed, or when its key is
 * stored or removed. A cache with a listener copies each entry that leaves.
 *
 * @param <K> the keys
 * @param <V> the values
 * @since 0.1.0
 */
@FunctionalInterface
public interface EvictionListener<K, V> {
  /** Why an entry has left. */
  enum Cause {
    /** Other entries needed the entry's memory, or its slot in the index. */
    EVICTED,
    /** The entry had expired when it was removed or replaced, or when its memory was needed. */
    EXPIRED,
    /** A new value was stored for the entry's key. */
    REPLACED,
    /** The entry's key was removed, or the cache was cleared. */
    REMOVED
  }

  /**
   * Called after an entry has left. If this method throws an exception, the cache first reports the
   * other entries that have left, and then passes the exception on to the caller of the cache.
   *
   * @param key the key
   * @param value the value
   * @param cause why the entry left
   */
  void onLeave(K key, V value, Cause cause);
}
