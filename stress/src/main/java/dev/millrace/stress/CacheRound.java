package dev.millrace.stress;

import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.EvictionListener.Cause;
import dev.millrace.cache.OffHeapCache;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.core.Measured;
import dev.millrace.stress.CacheWorker.Fault;
import dev.millrace.stress.spec.Counts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads that do with a cache all that one can do with it; each byte of each value is checked, and
 * that versions of a key never fall. In the end the numbers must agree with what was done. Then the
 * threads go on, and the cache is closed beside them.
 *
 * @param <K> the keys
 * @param <V> the values
 */
final class CacheRound<K, V> implements Callable<Counts> {
  private static final long CLOSE_NANOS = 50_000_000;

  private final CacheShape shape;
  private final int threads;
  private final long operationsEach;
  private final long nanos;
  private final Fault fault;
  private final CacheForm<K, V> form;
  private final long nativeBytes = Measured.nativeBytesInUse();
  private final OffHeapCache<K, V> cache;
  private final CacheOptions options;
  private final List<CacheWorker<K, V>> workers = new ArrayList<>();
  private final LongAdder told = new LongAdder();
  private final Map<String, Long> most = new HashMap<>(); // of each counter, so far
  private final Crew crew;
  private volatile boolean isEnding;

  private CacheRound(
      CacheShape shape,
      long bytes,
      int threads,
      long operations,
      long nanos,
      long seed,
      Fault fault,
      CacheForm<K, V> form) {
    this.shape = shape;
    this.threads = threads;
    this.operationsEach = Math.ceilDiv(operations, threads);
    this.nanos = nanos;
    this.fault = fault;
    this.form = form;
    this.options = shape.options(bytes);
    this.cache =
        shape.tells()
            ? OffHeapCache.of(form.keys(), form.values(), options, this::onLeave)
            : OffHeapCache.of(form.keys(), form.values(), options);
    this.crew = new Crew("" + this, () -> isEnding = true, () -> cache.metrics().toString());
    CacheVersions versions = new CacheVersions(threads, shape.keysEach(bytes, threads));
    long room = cache.maxEntryBytes() - EntryTable.entryBytes(form.mostKeyBytes(), 0);
    long expires = shape == CacheShape.EXPIRING ? CacheShape.EXPIRES.toNanos() : 0;
    for (int i = 0; i < threads; i++) {
      Fault its = i == 0 ? fault : Fault.NONE;
      workers.add(
          new CacheWorker<>(
              cache, form, versions, (int) room, expires, i, seed * threads + i, its));
    }
    crew.watch("operations must go on", this::steps);
  }

  /**
   * Makes a round.
   *
   * @param bytes of the cache, unless the shape says other
   * @param operations after how many the threads stop
   * @param nanos how long they work at most
   * @param seed of all that is random
   * @param fault what the first thread does wrong
   */
  static CacheRound<?, ?> of(
      CacheShape shape,
      long bytes,
      int threads,
      long operations,
      long nanos,
      long seed,
      Fault fault) {
    return shape.tells()
        ? new CacheRound<>(
            shape, bytes, threads, operations, nanos, seed, fault, CacheForm.foreign())
        : new CacheRound<>(
            shape, bytes, threads, operations, nanos, seed, fault, CacheForm.plain());
  }

  @Override
  public String toString() {
    return "OffHeapCache(%s, %d) %d threads".formatted(shape, options.bytes(), threads);
  }

  private long steps() {
    return workers.stream().mapToLong(CacheWorker::steps).sum();
  }

  private void onLeave(K key, V value, Cause cause) {
    CacheValue seen = new CacheValue();
    form.look().accept(value, seen);
    long number = form.numberOf().applyAsLong(key);
    boolean isItsKey = seen.size < Long.BYTES || CacheValue.keyOf(seen.identity) == number;
    QueueRound.check(seen.isWhole && isItsKey, "value must leave whole, with its key", key);
    told.increment();
  }

  /** Runs to the end; throws an {@link AssertionError} if the cache does not keep its word. */
  @Override
  public Counts call() throws Exception {
    try {
      long end = System.nanoTime() + nanos;
      for (CacheWorker<K, V> worker : workers) {
        BooleanSupplier isOver =
            () -> isEnding || worker.steps() >= operationsEach || System.nanoTime() - end >= 0;
        crew.start("worker", () -> worker.run(isOver));
      }
      crew.watchUntil(crew::isDone, this::sample);
      Counts counts = settle();
      if (fault != Fault.LEAK) {
        closeBeside();
      }
      return counts;
    } finally {
      if (fault != Fault.LEAK) {
        cache.close();
      }
      Counts.check("native bytes in use", Measured.nativeBytesInUse(), nativeBytes);
    }
  }

  /** What holds while others write: numbers are not of one moment, but each is within bounds. */
  private void sample() {
    Map<String, Long> metrics = cache.metrics();
    long room = metrics.get("capacityBytes") - metrics.get("indexBytes");
    Counts.checkWithin("bytes", metrics.get("bytes"), 0, room);
    Counts.checkWithin("lostBytes", metrics.get("lostBytes"), 0, room);
    Counts.checkWithin("entries", metrics.get("entries"), 0, options.maxEntries());
    for (String counter : cache.counters()) {
      long count = metrics.get(counter);
      Counts.checkWithin(counter, count, most.getOrDefault(counter, 0L), Long.MAX_VALUE);
      most.put(counter, count);
    }
  }

  // ---- the end ----

  private Counts settle() {
    Counts counts = new Counts();
    workers.forEach(worker -> counts.add(worker.counts()));
    Map<String, Long> metrics = cache.metrics();
    long bytes = metrics.get("bytes");
    long capacity = metrics.get("capacityBytes");
    Counts.checkWithin("capacityBytes", capacity, 1, options.bytes());
    Counts.checkWithin(
        "bytes in all", bytes + metrics.get("lostBytes") + metrics.get("indexBytes"), 1, capacity);
    Counts.checkWithin("entries", cache.size(), 0, options.maxEntries());
    Counts.check("lookups", metrics.get("hits") + metrics.get("misses"), counts.get("lookups"));
    Counts.check("loads", metrics.get("loads"), counts.get("loaded"));
    Counts.check("load failures", metrics.get("loadFailures"), counts.get("not loaded"));
    Counts.check("rejected", metrics.get("rejected"), counts.get("too large"));
    long left = 0;
    for (Cause cause : Cause.values()) {
      long its = metrics.get(cause.name().toLowerCase(Locale.ROOT));
      counts.add(cause.name().toLowerCase(Locale.ROOT), its);
      left += its;
    }
    long stored = cache.size() + left;
    Counts.checkWithin(
        "entries, with those that left",
        stored,
        counts.get("stored"),
        counts.get("stored") + counts.get("loaded"));
    Counts.check("entries told of", told.sum(), shape.tells() ? left : 0);
    checkEntries(bytes);
    return counts
        .add("moved", metrics.get("moved"))
        .add("crowded out", metrics.get("crowdedOut"))
        .add("most bytes", bytes)
        .add("most lost bytes", metrics.get("lostBytes"));
  }

  /** Goes through the entries: each right, and together as many bytes as they should. */
  private void checkEntries(long bytes) {
    CacheWorker<K, V> worker = workers.getFirst();
    long before = worker.counts().get("iterated");
    long found = worker.iterate(Integer.MAX_VALUE);
    long count = worker.counts().get("iterated") - before;
    boolean mayExpire = shape == CacheShape.EXPIRING;
    Counts.checkWithin("entries iterated", count, mayExpire ? 0 : cache.size(), cache.size());
    Counts.checkWithin("bytes iterated", found, mayExpire ? 0 : bytes, bytes);
  }

  /** Closes the cache beside its users: each call returns, or says that the cache is closed. */
  private void closeBeside() throws Exception {
    for (CacheWorker<K, V> worker : workers) {
      crew.start(
          "worker",
          () -> {
            try {
              worker.run(crew::hasFailed);
            } catch (IllegalStateException | CompletionException e) {
              checkClosed(e);
            }
          });
    }
    LockSupport.parkNanos(CLOSE_NANOS);
    isEnding = true;
    cache.close();
    crew.join();
    QueueRound.check(cache.metrics().get("bytes") >= 0, "metrics must outlive the cache", cache);
  }

  private void checkClosed(RuntimeException e) {
    boolean isOfAnother =
        e instanceof CompletionException && e.getCause() instanceof IllegalStateException;
    if (!isEnding || !(isOfAnother || "cache is closed".equals(e.getMessage()))) {
      throw e;
    }
  }
}
