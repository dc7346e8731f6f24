package dev.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.cache.Caches.Clock;
import dev.millrace.cache.Caches.Latin;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an entry that expires a tick off, a key that stays or leaves against the rules of S3-FIFO,
 * an entry whose leaving is not reported, and a call that allocates.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OffHeapCacheTest {
  private final Clock clock = new Clock();

  // ---- between a lookup and what follows from it ----

  /** A codec that stores the key before the value is stored, or before it is loaded. */
  @Test
  void putIfAbsentAndLoad_whenStoredMeanwhile_returnThat() throws Exception {
    List<OffHeapCache<String, String>> made = new ArrayList<>();
    List<String> sized = new ArrayList<>();
    UnaryOperator<String> hook =
        text -> {
          sized.add(text);
          boolean isSecondTime = Collections.frequency(sized, text) == 2;
          if (text.equals("put") || (text.equals("b") && isSecondTime)) {
            made.getFirst().put(text.equals("b") ? "b" : "a", "before");
          }
          return text;
        };
    Codec<String> codec = new Latin(hook);
    try (OffHeapCache<String, String> cache = OffHeapCache.of(codec, codec, Caches.options())) {
      made.add(cache);
      assertThat(cache.putIfAbsent("a", "put")).isEqualTo("before");
      assertThat(cache.get("a")).isEqualTo("before");
      assertThat(cache.get("b", _ -> "loaded")).isEqualTo("before");
      assertThat(cache.metrics()).containsEntry("loads", 0L).containsEntry("replaced", 0L);
    }
  }

  // ---- the listener ----

  @Test
  void onLeave_ofEachCause_mayCallTheCache() {
    List<OffHeapCache<String, String>> made = new ArrayList<>();
    List<String> told = new ArrayList<>();
    AtomicBoolean isInside = new AtomicBoolean();
    EvictionListener<String, String> listener =
        (key, value, cause) -> {
          OffHeapCache<String, String> cache = made.getFirst();
          if (isInside.compareAndSet(false, true)) {
            told.add("%s=%s %s, now %s".formatted(key, value, cause, cache.get(key)));
            cache.put("inside", "");
            assertThat(cache.remove("inside")).isTrue();
            isInside.set(false);
          }
        };
    CacheOptions options =
        Caches.options()
            .withMaxEntries(2)
            .withClock(clock)
            .withExpireAfterWrite(Duration.ofMillis(1));
    try (OffHeapCache<String, String> cache =
        OffHeapCache.of(Codec.utf8(), Codec.utf8(), options, listener)) {
      made.add(cache);
      cache.put("a", "1");
      cache.put("a", "2");
      cache.remove("a");
      cache.put("b", "1");
      clock.nanos += Caches.TICK_NANOS;
      cache.putIfAbsent("b", "2");
      cache.clear();
      cache.put("c", "1");
      cache.put("d", "1");
      cache.put("e", "1");
    }
    assertThat(told)
        .containsExactly(
            "a=1 REPLACED, now 2",
            "a=2 REMOVED, now null",
            "b=1 EXPIRED, now 2",
            "b=2 REMOVED, now null",
            "c=1 EVICTED, now null");
  }

  /** What several reports throw reaches the caller, once all were made. */
  @ParameterizedTest
  @CsvSource({"1, false, false", "4, false, false", "4, false, true", "1, true, false"})
  void onLeave_whenItThrows_isStillToldOfAll(int shards, boolean isByPut, boolean isSame) {
    Throwable same = new IOException();
    List<Throwable> thrown = new ArrayList<>();
    Set<Long> left = new HashSet<>();
    EvictionListener<Long, byte[]> listener =
        (key, _, _) -> {
          left.add(key);
          thrown.add(isSame ? same : thrown.isEmpty() ? new IOException() : new AssertionError());
          Caches.failWith(thrown.getLast());
        };
    try (OffHeapCache<Long, byte[]> cache =
        OffHeapCache.of(
            Codec.longs(), Codec.bytes(), Caches.options().withShards(shards), listener)) {
      byte[] value = new byte[(int) cache.maxEntryBytes() / 8];
      Throwable failure;
      long count = 0;
      do {
        thrown.clear();
        long key = count++;
        failure = catchThrowable(() -> cache.put(key, value));
      } while (isByPut ? thrown.size() < 2 : count < 40);
      if (!isByPut) {
        thrown.clear();
        failure = catchThrowable(cache::clear);
      }
      assertThat(thrown).hasSizeGreaterThan(1);
      assertThat(failure).isSameAs(thrown.getFirst());
      assertThat(failure.getSuppressed())
          .containsExactlyElementsOf(isSame ? List.of() : thrown.subList(1, thrown.size()));
      assertThat(cache.get(count - 1)).isEqualTo(isByPut ? value : null);
      assertThat(cache.size()).isEqualTo(count - left.size());
    }
  }

  // ---- expiry ----

  @ParameterizedTest
  @CsvSource({
    "0, 1000000, 1000000",
    "1, 1000000, 2000000",
    "999999, 1000001, 2000000",
    "0, 1000001, 2000000",
    "5500000, 10000000, 16000000",
    "0, 1099511627774000000, 1099511627774000000",
    "3000000, 9223372036854775806, 9223372036854775807"
  })
  void entry_expires_atTheNextTick(long storedNanos, long ageNanos, long expiryNanos)
      throws Exception {
    CacheOptions options =
        Caches.options().withClock(clock).withExpireAfterWrite(Duration.ofNanos(ageNanos));
    try (OffHeapCache<String, String> cache = Caches.ofText(options)) {
      clock.nanos = storedNanos;
      cache.put("k", "first");
      cache.put("l", "first");
      clock.nanos = expiryNanos - 1;
      assertThat(cache.get("k", _ -> "loaded")).isEqualTo("first");
      assertThat(cache).hasSize(2);
      cache.put("l", "second");
      clock.nanos = expiryNanos;
      boolean isForEver = expiryNanos == Long.MAX_VALUE;
      assertThat(cache.get("k")).isEqualTo(isForEver ? "first" : null);
      assertThat(cache.get("k", _ -> "loaded")).isEqualTo(isForEver ? "first" : "loaded");
      assertThat(cache.get("l")).as("a put renews").isEqualTo("second");
    }
  }

  // ---- what it costs ----

  @Test
  void calls_allocateOnlyWhatTheyReturn() throws Exception {
    byte[] large = new byte[30_000];
    UUID id = UUID.randomUUID();
    ValueReader<Object> reader = (memory, _, _) -> memory;
    try (OffHeapCache<Long, byte[]> bytes =
            OffHeapCache.of(Codec.longs(), Codec.bytes(), Caches.largeOptions());
        OffHeapCache<UUID, Long> longs =
            OffHeapCache.of(Codec.uuids(), Codec.longs(), Caches.largeOptions());
        OffHeapCache<Long, String> text =
            OffHeapCache.of(Codec.longs(), Codec.utf8(), Caches.largeOptions())) {
      bytes.put(-1L, large);
      bytes.put(-2L, new byte[8]);
      longs.put(id, 1L << 40);
      text.put(-1L, "x".repeat(1_000));
      long[] metrics = new long[bytes.metrics().size()];
      assertAllocates(0, _ -> bytes.read(-1L, reader));
      assertAllocates(0, _ -> bytes.read(-2L, reader));
      assertAllocates(0, _ -> bytes.get(-3L));
      assertAllocates(16 + large.length, _ -> bytes.get(-1L));
      assertAllocates(24, _ -> longs.get(id));
      assertAllocates(2 * (16 + 1_000) + 24, _ -> text.get(-1L)); // the bytes, too
      assertAllocates(0, _ -> bytes.remove(-3L));
      assertAllocates(0, i -> bytes.put(i & 127L, large));
      assertAllocates(0, _ -> bytes.readMetrics(metrics));
      assertThat(bytes.metrics().get("evicted")).isPositive();
    }
  }

  private static void assertAllocates(long most, IntConsumer call) throws Exception {
    int rounds = 2_000;
    TestCall.Body body =
        () -> {
          for (int i = 0; i < rounds; i++) {
            call.accept(i);
          }
        };
    assertThat(Allocations.leastBytesIn(4, body) / rounds).isLessThanOrEqualTo(most);
  }

  /** However much there is to keep, a put moves a little of it. */
  @ParameterizedTest
  @CsvSource({"65536, 100, 16", "4194304, 4000, 16", "4194304, 30000, 2", "16777216, 100000, 1"})
  void put_whenAllWereRead_movesFew(long cacheBytes, int valueBytes, int most) {
    CacheOptions options = CacheOptions.ofBytes(cacheBytes).withTypicalEntryBytes(valueBytes);
    try (OffHeapCache<Long, byte[]> cache =
        OffHeapCache.of(Codec.longs(), Codec.bytes(), options.withShards(1))) {
      long before = 0;
      long mostMoved = 0; // by one put
      for (long key = 0; key < 2 * cacheBytes / valueBytes; key++) {
        cache.put(key, new byte[valueBytes]);
        for (int i = 0; i < 3; i++) {
          cache.get(key);
        }
        long moved = cache.metrics().get("moved");
        mostMoved = Math.max(mostMoved, moved - before);
        before = moved;
      }
      assertThat(mostMoved).isEqualTo(most);
      assertThat(cache.metrics().get("evicted")).isPositive();
    }
  }

  /**
   * What is done with a key, in a full cache of 100 entries, before 50 others come and go: P puts,
   * A puts if absent, G gets, R reads, I iterates, C clears, O puts another, and F 50.
   */
  @ParameterizedTest
  @CsvSource({
    "P, false",
    "PG, false",
    "PGG, true",
    "PRR, true",
    "PGA, true",
    "PP, false",
    "PPP, true", // a put of what is there is a read
    "PIIII, false",
    "PGGFFPFFF, true", // and leaves it where it is
    "PFPFFFFF, true", // it returned soon
    "PFFFPF, false",
    "CFPFFF, true", // nothing was evicted yet
    "CPFFF, false",
    "PFCFFOPFFF, false" // what was evicted before is forgotten
  })
  void key_staysIfItWasReadTwice(String calls, boolean stays) {
    int tries = 0;
    int asExpected = 0;
    while (tries < 5) { // each with a seed of its own, as now and then hashes meet
      try (OffHeapCache<Integer, Integer> cache =
          OffHeapCache.of(Codec.ints(), Codec.ints(), Caches.options().withMaxEntries(100))) {
        boolean isThere = isThereAfter(calls, cache);
        if (cache.metrics().get("crowdedOut") == 0) {
          tries++;
          asExpected += isThere == stays ? 1 : 0;
        }
      }
    }
    assertThat(asExpected).isGreaterThanOrEqualTo(3);
  }

  private static boolean isThereAfter(String calls, OffHeapCache<Integer, Integer> cache) {
    int others = 0;
    for (char call : ("FFFF" + calls + "F").toCharArray()) {
      switch (call) {
        case 'P' -> cache.put(0, 0);
        case 'A' -> cache.putIfAbsent(0, 0);
        case 'G' -> cache.get(0);
        case 'R' -> cache.read(0, (memory, _, _) -> memory);
        case 'I' -> cache.forEach(entry -> assertThat(entry.getValue()).isZero());
        case 'C' -> cache.clear();
        default -> {
          for (int i = call == 'O' ? 49 : 0; i < 50; i++) {
            cache.put(++others, 0);
          }
        }
      }
    }
    return cache.get(0) != null;
  }

  @Test
  void put_whenTheIndexIsFull_evictsWhatWasReadLeast() {
    int read = 12; // of which no eight and one more share a bucket
    CacheOptions options = Caches.options().withTypicalEntryBytes(1_000);
    try (OffHeapCache<Integer, Integer> cache =
        OffHeapCache.of(Codec.ints(), Codec.ints(), options)) {
      for (int key = 0; key < 500; key++) {
        cache.put(key, key);
        for (int i = 0; key < read && i < 2; i++) {
          assertThat(cache.get(key)).isEqualTo(key);
        }
      }
      assertThat(cache.metrics().get("crowdedOut")).isGreaterThan(300);
      assertThat(IntStream.range(0, read)).allMatch(key -> Objects.equals(cache.get(key), key));
    }
  }

  // ---- sizes ----

  /** More calls at once than the cache has memory for. */
  @Test
  void read_withinARead_isAnyCall() {
    try (OffHeapCache<Long, Long> cache =
        OffHeapCache.of(Codec.longs(), Codec.longs(), Caches.options())) {
      cache.put(7L, 8L);
      int depth = 8 * Runtime.getRuntime().availableProcessors();
      assertThat(nested(cache, depth)).isEqualTo(8L);
      assertThat(cache.metrics())
          .containsEntry("hits", 2L + depth)
          .containsEntry("misses", 0L + depth);
    }
  }

  private static Long nested(OffHeapCache<Long, Long> cache, int depth) {
    return cache.read(
        7L,
        (_, _, _) -> {
          if (depth == 0) {
            return cache.get(7L);
          }
          return cache.get(1L) == null ? nested(cache, depth - 1) : null;
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 20_000, (1 << 20) - 1})
  void entry_ofTheLargestSize_isKept(int keyBytes) throws Exception {
    CacheOptions options =
        CacheOptions.ofBytes(36 << 20).withShards(1).withTypicalEntryBytes(1 << 20);
    List<byte[]> left = new ArrayList<>();
    try (OffHeapCache<byte[], byte[]> cache =
        OffHeapCache.of(
            Codec.bytes(),
            Codec.bytes(),
            options,
            (key, value, _) -> left.addAll(List.of(key, value)))) {
      byte[] key = filled(keyBytes);
      byte[] value = filled((int) (cache.maxEntryBytes() - EntryTable.entryBytes(keyBytes, 0)));
      Throws.illegalArgument(
          "entry is too large for this cache: ...",
          () -> cache.put(key, new byte[value.length + 1]));
      cache.put(key, value);
      cache.put(filled((keyBytes + 1) & 15), new byte[0]);
      assertThat(cache.get(key)).isEqualTo(value);
      assertThat(cache.putIfAbsent(key, new byte[0])).isEqualTo(value);
      Map<Integer, byte[]> entries = new HashMap<>();
      cache.forEach(entry -> entries.put(entry.getKey().length, entry.getValue()));
      assertThat(entries).hasSize(2);
      assertThat(entries.get(keyBytes)).isEqualTo(value);
      assertThat(cache.remove(key)).isTrue();
      assertThat(left).hasSize(2);
      assertThat(left.getFirst()).isEqualTo(key);
      assertThat(left.getLast()).isEqualTo(value);
      assertThat(cache.get(key, _ -> value)).isEqualTo(value);
      assertThat(cache.get(key)).isEqualTo(value);
    }
  }

  private static byte[] filled(int size) {
    byte[] bytes = new byte[size];
    new SplittableRandom(size).nextBytes(bytes);
    return bytes;
  }

  /** Keys that an enemy would choose: all of one {@link String#hashCode}. */
  @Test
  void put_ofChosenKeys_findsRoomForAll() {
    int count = 100_000;
    CacheOptions options = CacheOptions.ofBytes(16 << 20).withShards(1).withTypicalEntryBytes(48);
    try (OffHeapCache<String, Integer> cache =
        OffHeapCache.of(Codec.utf8(), Codec.ints(), options.withMaxEntries(count))) {
      for (int i = 0; i < count; i++) {
        StringBuilder key = new StringBuilder();
        for (int bit = 0; bit < 17; bit++) {
          key.append(((i >> bit) & 1) == 0 ? "Aa" : "BB");
        }
        cache.put(key.toString(), i);
      }
      // of the slots, 71 % are used, and of other keys as few do not find one
      assertThat(cache.metrics().get("crowdedOut")).isLessThan(count / 200);
    }
  }
}
