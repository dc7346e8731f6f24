package dev.millrace.cache;

import java.lang.foreign.MemorySegment;

/**
 * Reads a value in place, for {@link OffHeapCache#read}.
 *
 * <p>Writers do not wait for it. If they overwrite the value while it is being read, what it reads
 * is anything at all; then what it returned or threw is dropped, and it is called again for the
 * value's new place, or not at all if the key has left. A reader must therefore have no side
 * effects, and must return, whatever bytes it finds: no loop may depend on a number in the value
 * without a limit.
 *
 * @param <R> what it returns
 * @since 0.1.0
 */
@FunctionalInterface
public interface ValueReader<R> {
  /**
   * Reads a value.
   *
   * @param memory the cache's memory, read-only, which holds other entries too; do not use it after
   *     the call
   * @param offset where the value begins, a multiple of 8
   * @param size the value's size in bytes
   * @return what {@link OffHeapCache#read} is to return
   */
  R read(MemorySegment memory, long offset, long size);
}
