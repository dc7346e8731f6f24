package dev.millrace.stress;

import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.EvictionListener.Cause;
import dev.millrace.cache.OffHeapCache;
import dev.millrace.stress.CacheWorker.Seen;
import dev.millrace.stress.spec.Counts;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that read, store, remove, load and iterate in a cache. Each byte of each value is
 * checked, and no version of a key may come back. In the end the metrics must agree with what was
 * done. Then the threads go on, and the cache is closed while they do.
 */
final class CacheRound extends Round {
  private static final Duration EXPIRES = Duration.ofMillis(20);
  private static final int BYTES_PER_KEY = 256; // more keys than there is room for

  /** The caches of the soak. */
  enum Shape {
    /** As many shards as the cache chooses. */
    SHARDS,
    /** One shard, for whose lock all threads compete, and whose entries may be large. */
    ONE_SHARD,
    /** Bounded by the number of entries, too. */
    ENTRIES,
    /** Entries expire, most of them before they are evicted. */
    EXPIRING,
    /** As small as a cache can be, with a listener. */
    TINY
  }

  final int keys;
  final long expireNanos;

  /** By key, the newest version that may be stored. */
  final AtomicLongArray newest;

  /**
   * By key, the bound for calls that begin now: twice the oldest version that may be read; one
   * more, and that version must not come either.
   */
  final AtomicLongArray bounds;

  /** The cache; null before it is made. */
  OffHeapCache<Long, byte[]> cache;

  private final Shape shape;
  private final CacheOptions options;
  private final List<CacheWorker> workers = new ArrayList<>();
  private final LongAdder reported = new LongAdder();
  private final Map<String, Long> most = new HashMap<>(); // of each counter, so far
  private volatile boolean isEnding;

  /** Makes a round on a cache of a size in bytes, which some shapes override. */
  CacheRound(Load load, Shape shape, long bytes, long seed) {
    super(load, seed);
    this.shape = shape;
    CacheOptions its =
        CacheOptions.ofBytes(shape == Shape.TINY ? 1 << 16 : bytes)
            .withTypicalEntryBytes(BYTES_PER_KEY)
            .skippingTooLarge();
    this.options =
        switch (shape) {
          case SHARDS -> its;
          case ONE_SHARD, TINY -> its.withShards(1);
          case ENTRIES -> its.withMaxEntries(bytes >>> 11); // fewer than there is room for
          case EXPIRING -> its.withExpireAfterWrite(EXPIRES);
        };
    this.name = "OffHeapCache(%s, %d)".formatted(shape, options.bytes());
    this.expireNanos = shape == Shape.EXPIRING ? EXPIRES.toNanos() : Long.MAX_VALUE / 2;
    int each = (int) (options.bytes() / BYTES_PER_KEY) / load.producers;
    this.keys = each / CacheWorker.LOADED_OF * CacheWorker.LOADED_OF * load.producers;
    this.newest = new AtomicLongArray(keys);
    this.bounds = new AtomicLongArray(keys);
  }

  private void onLeave(Long key, byte[] value, Cause cause) {
    Seen seen = Seen.in(MemorySegment.ofArray(value), 0, value.length);
    Counts.check(seen.isWhole() && seen.key() == key, "value must leave whole, with its key", key);
    reported.increment();
  }

  @Override
  Counts run() throws Exception {
    cache =
        shape == Shape.TINY
            ? OffHeapCache.of(Codec.longs(), Codec.bytes(), options, this::onLeave)
            : OffHeapCache.of(Codec.longs(), Codec.bytes(), options);
    state = cache::metrics;
    close = this::endAndClose;
    for (int i = 0; i < load.producers; i++) {
      workers.add(new CacheWorker(this, i));
      watch(workers.getLast()::steps);
    }
    long end = System.nanoTime() + nanos;
    long each = records / load.producers;
    for (CacheWorker worker : workers) {
      start("worker", () -> worker.run(() -> worker.steps() > each || System.nanoTime() - end > 0));
    }
    join();
    Counts counts = settle();
    if (load.fault != Fault.LEAK) {
      workers.forEach(worker -> start("worker", () -> runUntilClosed(worker)));
      LockSupport.parkNanos(EXPIRES.toNanos());
      close.run(); // while it is used: each call returns, or says that the cache is closed
      join();
    }
    return counts;
  }

  private void endAndClose() {
    isEnding = true;
    cache.close();
  }

  private void runUntilClosed(CacheWorker worker) throws InterruptedException {
    try {
      worker.run(() -> isEnding);
    } catch (IllegalStateException | CompletionException e) {
      boolean isClosed =
          e.getMessage().equals("cache is closed") || e.getCause() instanceof IllegalStateException;
      if (!isEnding || !isClosed) {
        throw e;
      }
    }
  }

  /** What holds while others write: numbers are not of one moment, but each is within bounds. */
  @Override
  void sample() {
    Map<String, Long> metrics = cache.metrics();
    long room = metrics.get("capacityBytes") - metrics.get("indexBytes");
    Counts.checkWithin("bytes", metrics.get("bytes"), 0, room);
    Counts.checkWithin("lostBytes", metrics.get("lostBytes"), 0, room);
    Counts.checkWithin("entries", metrics.get("entries"), 0, options.maxEntries());
    for (String counter : cache.counters()) {
      long before = most.merge(counter, metrics.get(counter), Math::max);
      Counts.checkWithin(counter, metrics.get(counter), before, Long.MAX_VALUE);
    }
  }

  /** Compares the numbers with what was done, and with the entries that are there. */
  private Counts settle() {
    Counts counts = new Counts();
    workers.forEach(worker -> counts.add(worker.counts));
    Map<String, Long> metrics = cache.metrics();
    Counts.check("lookups", metrics.get("hits") + metrics.get("misses"), counts.get("lookups"));
    Counts.check("loads", metrics.get("loads"), counts.get("loaded"));
    Counts.check("load failures", metrics.get("loadFailures"), counts.get("not loaded"));
    Counts.check("rejected", metrics.get("rejected"), counts.get("too large"));
    for (Cause cause : Cause.values()) {
      String name = cause.name().toLowerCase(Locale.ROOT);
      counts.add(name, metrics.get(name)).add("left", metrics.get(name));
    }
    long left = counts.get("left");
    long stored = counts.get("stored");
    long storedOrLoaded = stored + counts.get("loaded");
    Counts.checkWithin("entries and those that left", cache.size() + left, stored, storedOrLoaded);
    Counts.check(
        "entries reported to the listener", reported.sum(), shape == Shape.TINY ? left : 0);
    long[] found = workers.getFirst().iterate(Integer.MAX_VALUE);
    boolean mayExpire = shape == Shape.EXPIRING;
    Counts.checkWithin("entries iterated", found[0], mayExpire ? 0 : cache.size(), cache.size());
    Counts.checkWithin("bytes iterated", found[1], mayExpire ? 0 : cache.bytes(), cache.bytes());
    long capacity = metrics.get("capacityBytes");
    long all = cache.bytes() + metrics.get("lostBytes") + metrics.get("indexBytes");
    Counts.checkWithin("capacityBytes", capacity, all, options.bytes());
    return counts.add("moved", metrics.get("moved"));
  }
}
