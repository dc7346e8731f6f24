package dev.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.millrace.cache.EvictionListener.Cause;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.cache.internal.Probe;
import dev.millrace.cache.internal.Shard;
import dev.millrace.core.internal.Metrics;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A shard, together with everything else that its lock guards: the loads in progress, the entries
 * to be reported, and counts.
 *
 * @param <V> the values
 */
final class Part<V> implements Shard.Departures {
  /** The metrics of a part. Only the holder of the lock may read them. */
  static final Metrics<Part<?>> METRICS =
      Metrics.<Part<?>>none()
          .counter("loads", part -> part.loaded)
          .counter("loadFailures", part -> part.loadFailures)
          .counter("rejected", part -> part.rejected)
          .counter("evicted", part -> part.evicted)
          .counter("expired", part -> part.expired)
          .counter("replaced", part -> part.replaced)
          .counter("removed", part -> part.removed)
          .counter("crowdedOut", part -> part.shard.crowdedOut())
          .counter("moved", part -> part.shard.moves())
          .gauge("entries", part -> part.shard.entries())
          .gauge("bytes", part -> part.shard.liveBytes())
          .gauge("lostBytes", part -> part.shard.lostBytes());

  final Shard shard;
  final EntryTable table;

  /** The offset of this part's memory in the cache's memory. */
  final long offset;

  private final boolean reports;
  private final Map<Key, Load<V>> loads = new HashMap<>();
  private long evicted;
  private long expired;
  private long replaced;
  private long removed;
  private @Nullable Left toReport;
  private @Nullable OutOfMemoryError failure; // from copying an entry that was to be reported
  private long loaded;
  private long loadFailures;
  private long rejected;

  /**
   * The bytes of a key, and its hash. The hash is seeded, so that an attacker cannot choose
   * colliding keys.
   */
  private static final class Key {
    final byte[] bytes;
    final long hash;

    Key(Probe probe) {
      this.bytes = new byte[(int) probe.keyBytes()];
      this.hash = probe.hash();
      MemorySegment.copy(probe.memory(), JAVA_BYTE, Probe.KEY_AT, bytes, 0, bytes.length);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(hash);
    }
  }

  /** A load in progress. Other threads may wait for its result. */
  static final class Load<V> {
    final Thread thread = Thread.currentThread();
    private final CompletableFuture<Result<V>> result = new CompletableFuture<>();

    @SuppressWarnings("NullAway.Init") // set when the load begins
    private Key key;

    /** What the loader returned or threw. */
    record Result<V>(@Nullable V value, @Nullable Throwable failure) {}

    void end(@Nullable V value, @Nullable Throwable failure) {
      result.complete(new Result<>(value, failure));
    }

    Result<V> await() throws InterruptedException {
      try {
        return result.get(); // a pool compensates for a waiting worker
      } catch (ExecutionException e) {
        throw new AssertionError(e); // every load ends with a result
      }
    }
  }

  Part(MemorySegment all, int index, Geometry geometry, long maxEntries, boolean reports) {
    this.offset = index * geometry.shardBytes();
    this.table =
        new EntryTable(
            all.asSlice(offset, geometry.shardBytes()),
            geometry.buckets(),
            geometry.segments(),
            geometry.segmentShift());
    this.shard = new Shard(table, maxEntries, this);
    this.reports = reports;
  }

  /**
   * Gives {@code probe} the key that {@code load} began with, even if the key object has changed
   * since.
   */
  void useKey(Probe probe, Load<V> load) {
    byte[] bytes = load.key.bytes;
    long at = probe.startKey(bytes.length);
    MemorySegment.copy(bytes, 0, probe.memory(), JAVA_BYTE, at, bytes.length);
    probe.endKey(load.key.hash);
  }

  // ---- under the lock ----

  @Override
  public void add(long keyAt, long keyBytes, long valueAt, long valueBytes, Cause cause) {
    switch (cause) {
      case EVICTED -> evicted++;
      case EXPIRED -> expired++;
      case REPLACED -> replaced++;
      case REMOVED -> removed++;
    }
    if (reports) {
      try {
        toReport = toReport == null ? new Left() : toReport;
        toReport.add(table.memory(), keyAt, keyBytes, valueAt, valueBytes, cause);
      } catch (OutOfMemoryError e) { // thrown to the caller once the change is complete
        failure = e;
      }
    }
  }

  /**
   * Takes the entries that have left since the last call. Returns null if none has left, or if
   * there is no listener.
   */
  @Nullable Left takeLeft() {
    Left taken = toReport;
    toReport = null;
    return taken;
  }

  /** Takes the failure since the last call. Returns null if there was none. */
  @Nullable OutOfMemoryError takeFailure() {
    OutOfMemoryError taken = failure;
    failure = null;
    return taken;
  }

  /**
   * Begins to load the probe's key. Returns null, or the load of that key that is already in
   * progress.
   */
  @Nullable Load<V> begin(Load<V> load, Probe probe) {
    load.key = new Key(probe);
    return loads.putIfAbsent(load.key, load);
  }

  /** Ends a load. Returns false if the key was stored or removed since it began. */
  boolean end(Load<V> load, boolean isLoaded) {
    loaded += isLoaded ? 1 : 0;
    loadFailures += isLoaded ? 0 : 1;
    return loads.remove(load.key, load);
  }

  /** Makes sure that the result of a load in progress for the probe's key is not stored. */
  void supersede(Probe probe) {
    if (!loads.isEmpty()) {
      loads.remove(new Key(probe));
    }
  }

  void clear(long now) {
    loads.clear();
    shard.clear(now);
  }

  void reject() {
    rejected++;
  }
}
