package dev.millrace.cache;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Reads a value in place, for {@link OffHeapCache#read}.
 *
 * <p>Writers do not wait for a reader. If a writer overwrites the value while it is being read, the
 * reader may see any bytes at all. After a read during which the value was overwritten, the cache
 * discards the reader's result or exception and, if the key is still in the cache, calls the reader
 * again with the value's new offset. A reader must therefore have no side effects, and must
 * terminate no matter which bytes it finds. For example, a loop whose length depends on a number in
 * the value needs an upper limit.
 *
 * @param <R> the type of the result
 * @since 0.1.0
 */
@FunctionalInterface
public interface ValueReader<R extends @Nullable Object> {
  /**
   * Reads a value.
   *
   * @param memory the cache's memory, read-only, which also holds other entries. Do not use the
   *     memory after the reader has returned
   * @param offset the offset of the value, a multiple of 8
   * @param size the value's size in bytes
   * @return the result that {@link OffHeapCache#read} returns
   */
  R read(MemorySegment memory, long offset, long size);
}
