/**
 * A cache in native memory, bounded in bytes. However much the cache holds, the garbage collector
 * sees only a few objects. Begin with {@link dev.millrace.cache.OffHeapCache}, which needs one
 * {@link dev.millrace.cache.Codec} for its keys and one for its values. Any thread may call a
 * cache. Each {@code get} returns a new object, and {@code close()} frees the memory.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.cache;

import org.jspecify.annotations.NullMarked;
