/**
 * A cache in native memory, bounded in bytes, of which the garbage collector sees a few objects
 * however much it holds. Begin with {@link dev.millrace.cache.OffHeapCache}, and a {@link
 * dev.millrace.cache.Codec} for its keys and for its values. Any thread may call it, {@code get}
 * returns a new object each time, and {@code close()} frees the memory.
 *
 * @since 0.1.0
 */
package dev.millrace.cache;
