package dev.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.millrace.cache.EvictionListener.Cause;
import dev.millrace.testkit.TestCall;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a reader that returns a value which was overwritten while it read, or throws because of it.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TornReadTest {

  // ---- in place, where a test can tear every read ----

  static Stream<Throwable> failures() {
    return Stream.of(null, new ArithmeticException(), new StackOverflowError(), new IOException());
  }

  @ParameterizedTest
  @MethodSource("failures")
  void read_whenTorn_readsAgainUnlessTheKeyHasLeft(Throwable failure) {
    for (int tears = 1; tears < 4; tears++) {
      for (boolean isBack : new boolean[] {false, true}) {
        try (OffHeapCache<Long, Long> cache = ofLongs()) {
          List<Long> seen = new ArrayList<>();
          int most = tears;
          Long read =
              cache.read(
                  0L,
                  (memory, offset, size) -> {
                    seen.add(memory.get(JAVA_LONG, offset));
                    if (seen.size() <= most) {
                      overwrite(cache, memory, offset, most % 2 == 0);
                      boolean _ = isBack && cache.put(0L, 1L + seen.size());
                      Caches.failWith(failure);
                    }
                    return seen.getLast();
                  });
          assertThat(read).isEqualTo(isBack ? 1L + tears : null);
          assertThat(seen).hasSize(isBack ? 1 + tears : 1);
          assertThat(cache.metrics())
              .containsEntry("hits", isBack ? 1L : 0L)
              .containsEntry("misses", isBack ? 0L : 1L);
        }
      }
    }
  }

  /** Stores until another value lies where one did, perhaps after a clear. */
  private static void overwrite(
      OffHeapCache<Long, Long> cache, MemorySegment memory, long offset, boolean isCleared) {
    long value = memory.get(JAVA_LONG, offset);
    if (isCleared) {
      cache.clear();
    }
    for (long key = 1; memory.get(JAVA_LONG, offset) == value; key++) {
      cache.put(key, -key);
    }
  }

  /** A cache that has the key 0, and room for a few others. */
  private static OffHeapCache<Long, Long> ofLongs() {
    CacheOptions options = Caches.options().withMaxEntries(10);
    OffHeapCache<Long, Long> cache = OffHeapCache.of(Codec.longs(), Codec.longs(), options);
    cache.put(0L, 1L);
    return cache;
  }

  @ParameterizedTest
  @MethodSource("failures")
  void read_whenWhole_throwsWhatTheReaderThrows(Throwable failure) {
    try (OffHeapCache<Long, Long> cache = ofLongs()) {
      ValueReader<Void> reader =
          (_, _, _) -> {
            cache.put(0L, 2L); // elsewhere
            Caches.failWith(failure);
            return null;
          };
      assertThat(catchThrowable(() -> cache.read(0L, reader))).isSameAs(failure);
      assertThat(cache.metrics()).containsEntry("hits", 1L);
    }
  }

  // ---- while writers run ----

  private static final int KEYS = 8;
  private static final int PUTS = 2_500;
  private static final int MAX_BYTES = 120_000;
  private static final int HEADER_BYTES = 16;

  /** What a value says, in ASCII: key and version, and then a letter, on which its size depends. */
  record Stamp(int key, int version) {
    Stamp {
      assertThat(key).as("no garbage").isBetween(0, KEYS + 2 * PUTS);
      assertThat(version).as("no garbage").isBetween(1, 2 * PUTS);
    }

    int size() {
      return HEADER_BYTES + (version * 7_919 + key) % (MAX_BYTES - HEADER_BYTES);
    }

    byte letter() {
      return (byte) ('A' + (31 * version + key) % 53);
    }

    long write(MemorySegment memory) {
      byte[] header = "%08x%08x".formatted(key, version).getBytes(ISO_8859_1);
      memory.fill(letter()).asSlice(0, HEADER_BYTES).copyFrom(MemorySegment.ofArray(header));
      return memory.byteSize();
    }

    byte[] bytes() {
      byte[] bytes = new byte[size()];
      write(MemorySegment.ofArray(bytes));
      return bytes;
    }

    static Stamp of(MemorySegment memory, long offset, long size) {
      String header = Caches.text(memory, offset, HEADER_BYTES);
      Stamp stamp =
          new Stamp(Integer.parseInt(header, 0, 8, 16), Integer.parseInt(header, 8, 16, 16));
      assertThat(size).as("no garbage").isEqualTo(stamp.size());
      byte letter = stamp.letter();
      for (long i = size - 1; i >= HEADER_BYTES; i -= 67) { // a prime: all of it would take long
        if (memory.get(JAVA_BYTE, offset + i) != letter) {
          throw new AssertionError("no garbage: " + stamp + " at " + i);
        }
      }
      return stamp;
    }

    static Stamp of(byte[] bytes) {
      return of(MemorySegment.ofArray(bytes), 0, bytes.length);
    }
  }

  private static final Codec<Stamp> USERS =
      new Codec<>() {
        @Override
        public long size(Stamp value) {
          return value.size();
        }

        @Override
        public long write(Stamp value, MemorySegment memory) {
          return value.write(memory);
        }

        @Override
        public Stamp read(MemorySegment memory) {
          return Stamp.of(memory, 0, memory.byteSize());
        }
      };

  static Stream<Arguments> codecs() {
    Function<Stamp, byte[]> bytes = Stamp::bytes;
    Function<byte[], Stamp> ofBytes = Stamp::of;
    Function<Stamp, String> text = stamp -> new String(stamp.bytes(), ISO_8859_1);
    Function<String, Stamp> ofText = value -> Stamp.of(value.getBytes(ISO_8859_1));
    Function<Stamp, Stamp> same = stamp -> stamp;
    return Stream.of(
        argumentSet("a user's", USERS, same, same),
        argumentSet("bytes", Codec.bytes(), bytes, ofBytes),
        argumentSet("text", Codec.utf8(), text, ofText),
        argumentSet("records", Codec.records(Stamp.class), same, same),
        argumentSet("in place", Codec.bytes(), bytes, null));
  }

  private static <V> OffHeapCache<Integer, V> ofStamps(
      Codec<V> codec, EvictionListener<Integer, V> listener) {
    CacheOptions options = Caches.largeOptions();
    return OffHeapCache.of(Codec.ints(), codec, options.withTypicalEntryBytes(MAX_BYTES), listener);
  }

  /** Two writers, each with keys of its own and some that soon leave, and two readers. */
  @ParameterizedTest
  @MethodSource("codecs")
  <V> void lookup_besideWriters_isWholeAndNotOlder(
      Codec<V> codec, Function<Stamp, V> make, Function<V, Stamp> show) throws Exception {
    try (OffHeapCache<Integer, V> cache = ofStamps(codec, (_, _, _) -> {})) {
      List<TestCall<Boolean>> writers =
          TestCall.each(
              2,
              first ->
                  () -> {
                    SplittableRandom random = new SplittableRandom();
                    for (int version = 1; version < PUTS / 2; version++) {
                      int some = random.nextInt(3) == 0 ? KEYS + version : random.nextInt(KEYS);
                      int key = 2 * (some / 2) + first;
                      cache.put(key, make.apply(new Stamp(key, version)));
                    }
                    return true;
                  });
      TestCall.Body reader =
          () -> {
            int[] seen = new int[KEYS];
            for (int i = 0; !writers.stream().allMatch(TestCall::isOver); i++) {
              int key = i % KEYS;
              Stamp found =
                  show == null
                      ? cache.read(key, Stamp::of)
                      : Optional.ofNullable(cache.get(key)).map(show).orElse(null);
              if (found != null) {
                assertThat(found.key()).isEqualTo(key);
                assertThat(found.version()).isGreaterThanOrEqualTo(seen[key]);
                seen[key] = found.version();
              }
            }
          };
      TestCall.results(TestCall.run(2, reader));
      TestCall.results(writers);
    }
  }

  /** A writer stores some keys again and again, so that they are seldom evicted. */
  @Test
  void iterator_besideAWriter_returnsOnceWhatStays() throws Exception {
    AtomicLong puts = new AtomicLong();
    AtomicLong evicted = new AtomicLong();
    EvictionListener<Integer, Stamp> listener =
        (key, _, cause) -> evicted.addAndGet(key < KEYS && cause == Cause.EVICTED ? 1 : 0);
    try (OffHeapCache<Integer, Stamp> cache = ofStamps(USERS, listener)) {
      TestCall<Boolean> writer =
          TestCall.run(
              () -> {
                for (int version = 1; version < 2 * PUTS; version++) {
                  int key = version % 3 == 0 ? KEYS + version : version % KEYS;
                  cache.put(key, new Stamp(key, version));
                  puts.incrementAndGet();
                }
              });
      int[] all = IntStream.range(0, KEYS).toArray();
      int rounds = 0;
      while (!writer.isOver()) {
        long before = evicted.get();
        boolean isComplete =
            Arrays.stream(all).allMatch(key -> cache.read(key, (_, _, size) -> size) != null);
        List<Integer> keys = new ArrayList<>();
        for (Map.Entry<Integer, Stamp> entry : cache) {
          assertThat(entry.getValue().key()).isEqualTo(entry.getKey());
          keys.add(entry.getKey());
        }
        long next = puts.get() + 2; // by then what was evicted before is reported
        TestCall.await(() -> puts.get() >= next || writer.isOver());
        if (isComplete && evicted.get() == before) {
          keys.removeIf(key -> key >= KEYS);
          assertThat(keys).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
          rounds++;
        }
      }
      assertThat(rounds).isPositive();
      assertThat(writer.result()).isTrue();
    }
  }
}
