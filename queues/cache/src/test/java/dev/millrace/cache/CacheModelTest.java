package dev.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.cache.Caches.Clock;
import dev.millrace.cache.Caches.Latin;
import dev.millrace.cache.EvictionListener.Cause;
import dev.millrace.cache.internal.EntryTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an order of calls after which entries, sizes or counters are not those of a plain map,
 * which entries leave only when the listener says so.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheModelTest {
  private static final int STEPS = 2_000;
  private static final String CALLS = "PPPPPAALLLGGGGRRRDTTI"; // as often as each is drawn
  private static final int EXPIRY_TICKS = 60;
  private static final int COUNTED = 9; // of the counters; the others are the cache's own

  @ParameterizedTest
  @ValueSource(longs = {Caches.LEAST_BYTES, 70_001, 1 << 18})
  void drawnCalls_agreeWithAMap(long bytes) {
    Set<String> seen = new HashSet<>();
    long seed = bytes;
    for (long maxEntries : new long[] {1, 2, 3, 10, 100, Long.MAX_VALUE}) {
      for (int shards : maxEntries < 4 ? new int[] {1} : new int[] {1, 4}) {
        for (int i = 0; i < (maxEntries > 10 ? 8 : 3); i++) {
          CacheOptions options =
              CacheOptions.ofBytes(bytes).withShards(shards).withMaxEntries(maxEntries);
          seen.addAll(run(options, seed++));
        }
      }
    }
    assertThat(seen).as("counters that rose").hasSize(COUNTED + 2);
  }

  /** Returns which counters rose. */
  private static Set<String> run(CacheOptions options, long seed) {
    Model model = new Model(options, seed);
    try (OffHeapCache<String, String> cache = model.cache) {
      for (model.step = 0; model.step < STEPS; model.step++) {
        model.draw();
        model.call();
        model.check();
      }
      cache.gauges().forEach(model.metrics::remove);
      model.metrics.values().removeIf(count -> count == 0);
      return model.metrics.keySet();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed=%d, step=%d, %s".formatted(seed, model.step, options), e);
    }
  }

  private record Held(String value, long expiresAt, long bytes) {}

  private static final class Model implements EvictionListener<String, String> {
    private final Clock clock = new Clock();
    private final Map<String, Held> map = new HashMap<>();
    private final Map<String, Long> counts = new HashMap<>();
    private final SplittableRandom random;
    private final CacheOptions options;
    private final OffHeapCache<String, String> cache;
    private final int keys;
    private final int smallness; // of values
    private Map<String, Long> metrics;
    private int step;
    private long bytes;

    // the call under way

    private String key; // null for all
    private String value;
    private boolean fits;
    private boolean stores; // so others may be evicted
    private Set<Cause> ownCauses; // of the key

    Model(CacheOptions basis, long seed) {
      random = new SplittableRandom(seed);
      boolean isCrowded = random.nextInt(4) == 0; // smaller entries than the index has slots for
      long typicalBytes = isCrowded ? basis.bytes() / 64 / basis.shards() : 16 << random.nextInt(5);
      CacheOptions drawn = basis.withClock(clock).withTypicalEntryBytes(typicalBytes);
      drawn = random.nextBoolean() ? drawn.skippingTooLarge() : drawn;
      Duration age = Duration.ofMillis(EXPIRY_TICKS);
      options = random.nextBoolean() ? drawn.withExpireAfterWrite(age) : drawn;
      Codec<String> codec = random.nextBoolean() ? Latin.PLAIN : Codec.utf8();
      cache = OffHeapCache.of(codec, codec, options, this);
      cache.counters().subList(0, COUNTED).forEach(counter -> counts.put(counter, 0L));
      keys = 16 << (isCrowded ? 7 : random.nextInt(8));
      smallness = 1 + (isCrowded ? 12 : random.nextInt(8));
    }

    private long now() {
      return clock.nanos / Caches.TICK_NANOS;
    }

    private String live() {
      Held held = map.get(key);
      return held == null || held.expiresAt <= now() ? null : held.value;
    }

    private void count(String which) {
      counts.merge(which, 1L, Long::sum);
    }

    @Override
    public void onLeave(String left, String old, Cause cause) {
      Held held = map.remove(left);
      assertThat(held).as("left: %s", left).isNotNull();
      assertThat(old).isEqualTo(held.value);
      if (held.expiresAt <= now()) {
        assertThat(cause).isEqualTo(Cause.EXPIRED);
      } else if (cause != Cause.EVICTED || !stores) {
        assertThat(key == null || key.equals(left)).as("left: %s", left).isTrue();
        assertThat(ownCauses).contains(cause);
      }
      bytes -= held.bytes;
      count(cause.name().toLowerCase(Locale.ROOT));
    }

    private void draw() {
      int number = random.nextInt(1 + random.nextInt(keys));
      key = number == 0 ? "" : number + "-".repeat(number % 21);
      int most = (int) (cache.maxEntryBytes() - EntryTable.entryBytes(key.length(), 0));
      int length =
          switch (random.nextInt(20)) {
            case 0 -> most + 1;
            case 1 -> most;
            case 2 -> 0;
            default -> random.nextInt(1 + (most >> random.nextInt(smallness)));
          };
      value = (step + " ").repeat(1 + length / 2).substring(0, length);
      fits = length <= most;
      stores = false;
      ownCauses = Set.of();
    }

    private void call() {
      switch (random.nextInt(STEPS) == 0 ? 'C' : CALLS.charAt(random.nextInt(CALLS.length()))) {
        case 'C' -> clear();
        case 'D' -> remove();
        case 'P' -> put();
        case 'A' -> putIfAbsent();
        case 'L' -> load();
        case 'G' -> lookUp(cache.get(key));
        case 'R' -> lookUp(cache.read(key, Caches::text));
        case 'I' -> iterate();
        default -> clock.nanos += random.nextInt(3 * (int) Caches.TICK_NANOS);
      }
    }

    private void clear() {
      key = null;
      ownCauses = Set.of(Cause.REMOVED);
      cache.clear();
      assertThat(map).isEmpty();
    }

    private void remove() {
      ownCauses = Set.of(Cause.REMOVED);
      boolean wasLive = live() != null;
      assertThat(cache.remove(key)).isEqualTo(wasLive);
      assertThat(map.get(key)).isNull();
    }

    private void lookUp(String found) {
      assertThat(found).isEqualTo(live());
      count(found == null ? "misses" : "hits");
    }

    private void put() {
      stores = true;
      ownCauses = Set.of(fits ? Cause.REPLACED : Cause.REMOVED);
      store(() -> assertThat(cache.put(key, value)).isEqualTo(fits));
    }

    private void putIfAbsent() {
      String live = live();
      stores = live == null;
      if (stores) {
        store(() -> assertThat(cache.putIfAbsent(key, value)).isNull());
      } else {
        assertThat(cache.putIfAbsent(key, value)).isEqualTo(live);
      }
    }

    private void load() {
      String live = live();
      stores = live == null;
      count(stores ? "misses" : "hits");
      if (!stores) {
        assertThat(get(null, new AssertionError("it is there"))).isEqualTo(live);
      } else if (random.nextInt(4) == 0) {
        assertThat(get(null, null)).isNull();
        count("loads");
      } else if (random.nextInt(4) == 0) {
        Error failure = new AssertionError("drawn");
        assertThat(catchThrowable(() -> get(null, failure))).isSameAs(failure);
        count("loadFailures");
      } else {
        store(() -> assertThat(get(value, null)).isSameAs(value));
        count(fits || options.skipsTooLarge() ? "loads" : "loadFailures");
      }
    }

    private String get(String loaded, Error failure) {
      try {
        return cache.get(
            key,
            asked -> {
              assertThat(asked).isEqualTo(key);
              if (failure != null) {
                throw failure;
              }
              return loaded;
            });
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    /** Runs a call that stores the value if it fits. */
    private void store(Runnable call) {
      if (fits || options.skipsTooLarge()) {
        call.run();
        assertThat(fits ? map.get(key) : live()).as("what was there was reported").isNull();
      } else {
        Held before = map.get(key);
        assertThat(catchThrowable(call::run)).isInstanceOf(IllegalArgumentException.class);
        assertThat(map.get(key)).isEqualTo(before);
      }
      if (!fits) {
        count("rejected");
        return;
      }
      boolean expires = options.expireAfterWriteNanos() != Long.MAX_VALUE;
      long ends = Math.ceilDiv(clock.nanos, Caches.TICK_NANOS) + EXPIRY_TICKS;
      long size = EntryTable.entryBytes(key.length(), value.length());
      map.put(key, new Held(value, expires ? ends : Long.MAX_VALUE, size));
      bytes += size;
    }

    private void iterate() {
      Map<String, String> seen = new HashMap<>();
      for (Map.Entry<String, String> entry : cache) {
        key = entry.getKey();
        assertThat(entry.getValue()).isEqualTo(live());
        assertThat(seen.put(key, entry.getValue())).as("returned twice").isNull();
      }
      long live = map.values().stream().filter(held -> held.expiresAt > now()).count();
      assertThat(seen).hasSize((int) live);
    }

    private void check() {
      assertThat(cache.size()).isEqualTo(map.size()).isLessThanOrEqualTo(options.maxEntries());
      assertThat(cache.bytes()).isEqualTo(bytes);
      if (step % 8 == 0) {
        checkMetrics();
      }
    }

    private void checkMetrics() {
      metrics = cache.metrics();
      assertThat(metrics).containsAllEntriesOf(counts).containsEntry("bytes", bytes);
      assertThat(metrics.get("entries")).isEqualTo(map.size());
      assertThat(metrics.get("crowdedOut"))
          .isBetween(0L, metrics.get("evicted") + metrics.get("expired"));
      assertThat(metrics.get("lostBytes")).isNotNegative();
      assertThat(bytes + metrics.get("lostBytes") + metrics.get("indexBytes"))
          .isLessThanOrEqualTo(metrics.get("capacityBytes"));
      assertThat(metrics.get("capacityBytes")).isLessThanOrEqualTo(options.bytes());
    }
  }
}
