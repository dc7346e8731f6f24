/**
 * A cache in native memory, bounded in bytes. However much it holds, the garbage collector sees
 * only a few objects. Begin with {@link dev.millrace.cache.OffHeapCache} and with a {@link
 * dev.millrace.cache.Codec} for its keys and one for its values. Any thread may call the cache,
 * {@code get} returns a new object each time, and {@code close()} frees the memory.
 *
 * @since 0.1.0
 */
package dev.millrace.cache;
