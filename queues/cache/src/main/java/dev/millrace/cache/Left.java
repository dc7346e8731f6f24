package dev.millrace.cache;

import dev.millrace.cache.EvictionListener.Cause;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies of the entries that have left during one call. They are reported once no lock is held. */
final class Left {
  private final Arena arena = Arena.ofConfined();
  private final List<Entry> entries = new ArrayList<>();

  private record Entry(MemorySegment key, MemorySegment value, Cause cause) {}

  void add(MemorySegment memory, long keyAt, long keyBytes, long at, long bytes, Cause cause) {
    entries.add(new Entry(copy(memory, keyAt, keyBytes), copy(memory, at, bytes), cause));
  }

  private MemorySegment copy(MemorySegment memory, long at, long size) {
    MemorySegment copy = arena.allocate(size, Long.BYTES);
    MemorySegment.copy(memory, at, copy, 0, size);
    return copy;
  }

  /** Reports all entries. Returns the first failure, with later ones suppressed, or null. */
  @SuppressWarnings("ReferenceEquality") // no exception suppresses itself
  <K, V> @Nullable Throwable report(
      Codec<K> keys,
      Codec<V> values,
      EvictionListener<? super K, ? super V> to,
      @Nullable Throwable before) {
    Throwable failure = before;
    try (arena) {
      for (Entry one : entries) {
        try {
          to.onLeave(read(keys, one.key), read(values, one.value), one.cause);
        } catch (Throwable e) { // report the others, whatever was thrown
          if (failure == null) {
            failure = e;
          } else if (failure != e) {
            failure.addSuppressed(e);
          }
        }
      }
    }
    return failure;
  }

  private static <T> T read(Codec<T> codec, MemorySegment copy) {
    return OffHeapCache.decode(codec, copy, 0, copy.byteSize());
  }
}
