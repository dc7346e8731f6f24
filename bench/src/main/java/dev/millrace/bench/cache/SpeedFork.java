package dev.millrace.bench.cache;

import dev.millrace.bench.cache.CacheContender.Room;
import dev.millrace.bench.cache.Sample.Found;
import dev.millrace.bench.harness.Child;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;

/**
 * What a JVM of its own does for {@link SpeedCommand}: threads read values for a time, by keys that
 * were drawn before.
 *
 * @param isZipf whether keys are drawn by Zipf's law from ten times as many as are cached, a miss
 *     is put, and so is every twentieth key; otherwise all keys are cached and equally likely
 * @param entries how many are cached
 * @param warmUpMillis before it is measured
 * @param millis how long it is measured
 */
record SpeedFork(
    CacheContender contender,
    boolean isZipf,
    int valueBytes,
    int entries,
    int threads,
    long warmUpMillis,
    long millis)
    implements Child.Job<Found> {
  static final String PER_SECOND = "operations/s";
  static final String HITS = "hits, %";

  /** In place of the sum of a value's ends where there is no value. */
  static final int ABSENT = Integer.MIN_VALUE;

  private static final int DRAWN_PER_ENTRY = 1 << 6;
  private static final int MOST_DRAWN = 1 << 21;
  private static final int RUN = 1 << 10; // operations between two readings of the clock
  private static final int WRITE_EVERY = 20;
  private static final int KEYS_PER_ENTRY = 10;
  private static final double EXPONENT = 0.99;
  private static final double LEAST_CACHED = 0.9;
  private static final int SPARE_PART = 4; // of the entries, room for as many more
  private static final long SPREADING = 0x9E37_79B9_7F4A_7C15L; // makes keys of ranks
  private static final int SEED = 1;

  /** A thread's. */
  private record Count(long operations, long hits, double perSecond) {}

  /** Returns the sum of the first and the last byte of a value, as a byte. */
  static int ends(byte[] value) {
    return value == null ? ABSENT : (byte) (value[0] + value[value.length - 1]);
  }

  /** Every byte is the key's lowest. */
  private byte[] value(Long key) {
    byte[] value = new byte[valueBytes];
    Arrays.fill(value, key.byteValue());
    return value;
  }

  @Override
  public String toString() {
    return "%s, %d B%s, threads: %d"
        .formatted(contender, valueBytes, isZipf ? " Zipf" : "", threads);
  }

  @Override
  public Found run() throws Exception {
    Room room = new Room(isZipf ? entries : entries + entries / SPARE_PART, valueBytes);
    try (Cached<byte[]> cache = contender.open(room);
        ExecutorService service = Executors.newFixedThreadPool(threads)) {
      Long[] keys = isZipf ? zipf() : cached(cache);
      if (isZipf) {
        for (int i = 0; i < keys.length; i += RUN) {
          readAndWrite(cache, keys, i);
        }
      }
      measure(service, cache, keys, warmUpMillis);
      return measure(service, cache, keys, millis);
    }
  }

  private Long[] zipf() {
    Zipf zipf = new Zipf(KEYS_PER_ENTRY * entries, EXPONENT, new SplittableRandom(SEED));
    return drawn(_ -> zipf.next() * SPREADING);
  }

  private Long[] drawn(IntFunction<Long> next) {
    int runs = Math.min(MOST_DRAWN, DRAWN_PER_ENTRY * entries) / RUN;
    Long[] keys = new Long[Math.max(1, runs) * RUN];
    Arrays.setAll(keys, next);
    return keys;
  }

  /** Fills the cache, which has room to spare; one that drops a few keys all the same may do so. */
  private Long[] cached(Cached<byte[]> cache) {
    LongStream.range(0, entries)
        .map(i -> i * SPREADING)
        .forEach(key -> cache.put().accept(key, value(key)));
    List<Long> cached =
        LongStream.range(0, entries)
            .mapToObj(i -> i * SPREADING)
            .filter(key -> cache.get().apply(key) != null)
            .toList();
    if (cached.size() < LEAST_CACHED * entries) {
      throw new IllegalStateException(
          "too few are cached: %d of %d".formatted(cached.size(), entries));
    }
    SplittableRandom random = new SplittableRandom(SEED);
    return drawn(_ -> cached.get(random.nextInt(cached.size())));
  }

  private Found measure(ExecutorService service, Cached<byte[]> cache, Long[] keys, long forMillis)
      throws Exception {
    List<Callable<Count>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int first = keys.length / threads * i & -RUN;
      tasks.add(() -> count(cache, keys, first, TimeUnit.MILLISECONDS.toNanos(forMillis)));
    }
    long operations = 0;
    long hits = 0;
    double perSecond = 0;
    for (Future<Count> one : service.invokeAll(tasks)) {
      operations += one.get().operations();
      hits += one.get().hits();
      perSecond += one.get().perSecond();
    }
    return new Found(Map.of(PER_SECOND, perSecond, HITS, 100.0 * hits / operations), null);
  }

  private Count count(Cached<byte[]> cache, Long[] keys, int first, long nanos) {
    long operations = 0;
    long hits = 0;
    int at = first;
    long begin = System.nanoTime();
    long passed;
    do {
      hits += isZipf ? readAndWrite(cache, keys, at) : read(cache.ends(), keys, at);
      operations += RUN;
      at = (at + RUN) % keys.length;
      passed = System.nanoTime() - begin;
    } while (passed < nanos);
    return new Count(operations, hits, operations / (passed / 1e9));
  }

  private static int read(ToIntFunction<Long> reader, Long[] keys, int from) {
    for (int i = from; i < from + RUN; i++) {
      check(keys[i], reader.applyAsInt(keys[i]));
    }
    return RUN;
  }

  /** Returns how many were hits, with those that are only written. */
  private int readAndWrite(Cached<byte[]> cache, Long[] keys, int from) {
    int hits = RUN;
    for (int i = from; i < from + RUN; i++) {
      Long key = keys[i];
      boolean isWritten = i % WRITE_EVERY == 0;
      if (!isWritten) {
        int ends = cache.ends().applyAsInt(key);
        if (ends == ABSENT) {
          hits--;
          isWritten = true;
        } else {
          check(key, ends);
        }
      }
      if (isWritten) {
        cache.put().accept(key, value(key));
      }
    }
    return hits;
  }

  private static void check(Long key, int ends) {
    if (ends != (byte) (2 * key)) {
      throw new IllegalStateException(
          "another key's value, or none: key=%d, sum of its ends=%d".formatted(key, ends));
    }
  }
}
