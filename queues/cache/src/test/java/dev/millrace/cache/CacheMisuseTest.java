package dev.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.millrace.core.Measured;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a wrong argument or a faulty codec that changes the cache, leaks memory or leaves its key
 * locked, and a call that reaches freed memory during or after a close.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheMisuseTest {
  private static final String LARGE = "x".repeat(1_024);
  private static final String TOO_LARGE =
      ": IllegalArgumentException: entry is too large for this cache: ";

  private final OffHeapCache<String, String> cache =
      OffHeapCache.of(FAULTY, FAULTY, Caches.options());

  @AfterEach
  void close() {
    cache.close();
  }

  interface Call {
    void on(OffHeapCache<String, String> cache) throws Exception;
  }

  /** A codec that does as its values say. */
  private static final Codec<String> FAULTY =
      new Codec<>() {
        @Override
        public long size(String value) {
          return switch (value) {
            case "negative" -> -1;
            case "size throws" -> throw new ArithmeticException(value);
            default -> value.length();
          };
        }

        @Override
        public long write(String value, MemorySegment memory) {
          long written = Caches.Latin.PLAIN.write(value, memory);
          return switch (value) {
            case "fewer" -> written - 1;
            case "more" -> written + 1;
            case "beyond" -> Caches.Latin.PLAIN.write(value + "!", memory);
            case "write throws" -> throw new ArithmeticException(value);
            default -> written;
          };
        }

        @Override
        public String read(MemorySegment memory) {
          String value = Caches.Latin.PLAIN.read(memory);
          return switch (value) {
            case "null" -> null;
            case "read throws" -> throw new ArithmeticException(value);
            default -> value;
          };
        }

        @Override
        public String toString() {
          return "faulty";
        }
      };

  // ---- keys, values and loaders ----

  static Stream<Arguments> misuses() {
    Map<String, Call> rows = new LinkedHashMap<>();
    Map<String, Function<String, Call>> byKey =
        Map.of(
            "get", key -> cache -> cache.get(key),
            "read", key -> cache -> cache.read(key, Caches::text),
            "load", key -> cache -> cache.get(key, _ -> "new"),
            "put", key -> cache -> cache.put(key, "new"),
            "putIfAbsent", key -> cache -> cache.putIfAbsent(key, "new"),
            "remove", key -> cache -> cache.remove(key));
    byKey.forEach(
        (name, call) -> {
          addFaults(rows, name + " key: ", call);
          rows.put(name + ": NullPointerException: key must not be null", call.apply(null));
          rows.put(
              name
                  + ": IllegalArgumentException: key must have 0..1048575 bytes: bytes=1048576,"
                  + " key=xxx",
              call.apply("x".repeat(1 << 20)));
        });
    Map<String, Function<String, Call>> byValue =
        Map.of(
            "put", value -> cache -> cache.put("k", value),
            "putIfAbsent", value -> cache -> cache.putIfAbsent("a", value),
            "load", value -> cache -> cache.get("a", _ -> value));
    byValue.forEach(
        (name, call) -> {
          addFaults(rows, name + " value: ", call);
          rows.put(name + TOO_LARGE + "keyBytes=1, valueBytes=1024", call.apply(LARGE));
        });
    rows.put("large key" + TOO_LARGE + "keyBytes=1024, valueBytes=0", c -> c.put(LARGE, ""));
    String isNull = "null: NullPointerException: %s must not be null";
    rows.put(isNull.formatted("value"), c -> c.put("k", null));
    rows.put("putIfAbsent " + isNull.formatted("value"), c -> c.putIfAbsent("k", null));
    rows.put(isNull.formatted("reader"), c -> c.read("k", null));
    rows.put(isNull.formatted("loader"), c -> c.get("k", null));
    String own = ": IllegalStateException: loader asked for the key that it is loading: a";
    rows.put("own key" + own, c -> ask(c, List.of("a", "a")));
    rows.put("own key through another" + own, c -> ask(c, List.of("a", "b", "a")));
    rows.put("metrics: IndexOutOfBoundsException", c -> c.readMetrics(new long[15]));
    rows.put("iterator: UnsupportedOperationException", c -> last(c).remove());
    rows.put("entry: UnsupportedOperationException", c -> c.iterator().next().setValue("new"));
    rows.put("end: NoSuchElementException: no more entries", c -> last(c).next());
    return rows.entrySet().stream()
        .map(
            row -> {
              String message = row.getKey().substring(row.getKey().indexOf(": ") + 2);
              return argumentSet(row.getKey(), row.getValue(), message);
            });
  }

  private static void addFaults(Map<String, Call> rows, String name, Function<String, Call> call) {
    String state = name + "IllegalStateException: codec %s: type=java.lang.String, codec=faulty";
    rows.put(state.formatted("said that it takes -1 bytes"), call.apply("negative"));
    rows.put(state.formatted("wrote 4 bytes instead of 5"), call.apply("fewer"));
    rows.put(state.formatted("wrote 5 bytes instead of 4"), call.apply("more"));
    rows.put(state.formatted("wrote beyond its 6 bytes"), call.apply("beyond"));
    for (String thrown : List.of("size throws", "write throws")) {
      rows.put(name + "ArithmeticException: " + thrown, call.apply(thrown));
    }
  }

  /** An iterator that has returned the only entry. */
  private static Iterator<?> last(OffHeapCache<String, String> cache) {
    Iterator<?> entries = cache.iterator();
    entries.next();
    return entries;
  }

  /** Loads keys, each in the loader of the one before it. */
  private static String ask(OffHeapCache<String, String> cache, List<String> keys) {
    return Caches.sneaky(
        () -> cache.get(keys.getFirst(), _ -> ask(cache, keys.subList(1, keys.size()))));
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void misuse_isRefusedAndChangesNothing(Call call, String message) throws Exception {
    cache.put("k", "old");
    for (int i = 0; i < 2; i++) { // the first leaves nothing behind
      Throwable thrown = catchThrowable(() -> call.on(cache));
      assertThat(thrown.getClass().getSimpleName() + ": " + thrown.getMessage())
          .startsWith(message);
      assertThat(cache).containsExactly(Map.entry("k", "old"));
    }
    assertThat(cache.get("k", _ -> "new")).isEqualTo("old");
    assertThat(cache.get("a", _ -> "new")).isEqualTo("new");
    assertThat(cache.put("k", "new")).isTrue();
    assertThat(cache.get("k")).isEqualTo("new");
  }

  @ParameterizedTest
  @CsvSource({"null, codec returned null: codec=faulty", "read throws, read throws"})
  void get_whenTheCodecCannotRead_throws(String value, String message) {
    cache.put("k", value);
    Throws.a(
        RuntimeException.class,
        message,
        () -> cache.get("k"),
        () -> cache.get("k", _ -> "new"),
        () -> cache.putIfAbsent("k", "new"),
        () -> cache.iterator().next(),
        () -> leaves(value, ""),
        () -> leaves("", value));
    assertThat(cache.<String>read("k", Caches::text)).isEqualTo(value);
    assertThat(cache.remove("k")).isTrue();
    cache.put(value, "v");
    Throws.a(RuntimeException.class, message, () -> cache.iterator().next());
    assertThat(cache.get(value)).isEqualTo("v");
  }

  private static void leaves(String key, String value) {
    try (OffHeapCache<String, String> cache =
        OffHeapCache.of(FAULTY, FAULTY, Caches.options(), (_, _, _) -> {})) {
      cache.put(key, value);
      cache.clear();
    }
  }

  @Test
  void put_tooLargeAndSkipped_leavesNoOldValue() throws InterruptedException {
    try (OffHeapCache<String, String> skipping =
        Caches.ofText(Caches.options().skippingTooLarge())) {
      skipping.put("k", "old");
      assertThat(skipping.putIfAbsent("k", LARGE)).isEqualTo("old");
      assertThat(skipping.metrics()).containsEntry("rejected", 0L);
      assertThat(skipping.put("k", LARGE)).isFalse();
      assertThat(skipping.get("k")).isNull();
      assertThat(skipping.putIfAbsent("k", LARGE)).isNull();
      assertThat(skipping.get("k", _ -> LARGE)).isEqualTo(LARGE);
      assertThat(skipping).isEmpty();
      assertThat(skipping.metrics()).containsEntry("rejected", 3L).containsEntry("removed", 1L);
    }
  }

  // ---- making one ----

  @Test
  void of_whatCannotBe_isRefusedAndKeepsNoMemory() {
    Codec<String> codec = Codec.utf8();
    CacheOptions options = Caches.options();
    long before = Measured.nativeBytesInUse();
    Throws.nullArgument("keys", () -> OffHeapCache.of(null, codec, options));
    Throws.nullArgument("values", () -> OffHeapCache.of(codec, null, options));
    Throws.nullArgument("options", () -> OffHeapCache.of(codec, codec, null));
    Throws.nullArgument("listener", () -> OffHeapCache.of(codec, codec, options, null));
    Throws.nullArgument("clock", () -> options.withClock(null));
    Throws.nullArgument("time", () -> options.withExpireAfterWrite(null));
    Throws.nullArgument("lookup", () -> Codec.records(Entry.class, null));
    Throws.nullArgument("type", () -> Codec.records(null));
    assertOutOfRange("bytes", 65_536, 1L << 40, CacheOptions::ofBytes);
    assertOutOfRange("maxEntries", 1, Long.MAX_VALUE, options::withMaxEntries);
    assertOutOfRange("typicalEntryBytes", 1, 1L << 40, options::withTypicalEntryBytes);
    assertOutOfRange("shards", 1, 1_024, shards -> options.withShards((int) shards));
    Throws.illegalArgument(
        "expireAfterWriteNanos must be in 1..9223372036854775807: expireAfterWriteNanos=0",
        () -> options.withExpireAfterWrite(Duration.ZERO));
    Throws.illegalArgument(
        "cache is too small: bytes=65536, shards=32, typicalEntryBytes=128, maxEntries=...",
        () -> Caches.ofText(options.withShards(32)));
    Throws.illegalArgument(
        "cache is too small: bytes=65536, shards=1, typicalEntryBytes=4096, maxEntries=...",
        () -> Caches.ofText(options.withTypicalEntryBytes(4_096)));
    Throws.illegalArgument(
        "cache is too small: bytes=65536, shards=4, typicalEntryBytes=128, maxEntries=3",
        () -> Caches.ofText(options.withShards(4).withMaxEntries(3)));
    CacheOptions failing = options.withClock(() -> Caches.failWith(new IOException()));
    Throws.a(IOException.class, () -> Caches.ofText(failing));
    assertThat(Measured.nativeBytesInUse()).isEqualTo(before);
  }

  private record Entry(int one) {}

  private interface Option {
    Object with(long value);
  }

  private static void assertOutOfRange(String name, long least, long most, Option option) {
    assertThat(option.with(least)).isNotNull();
    assertThat(option.with(most)).isNotNull();
    String message = name + " must be in ...: " + name + "=";
    Throws.illegalArgument(message + (least - 1), () -> option.with(least - 1));
    if (most < Long.MAX_VALUE) {
      Throws.illegalArgument(message + (most + 1), () -> option.with(most + 1));
    }
  }

  // ---- after the end ----

  @Test
  void close_thenEveryCall_saysThatItIsClosed() {
    cache.put("k", "v");
    cache.get("k");
    Iterator<Map.Entry<String, String>> entries = cache.iterator();
    Map<String, Long> metrics = cache.metrics();
    cache.close();
    cache.close();
    ThrowingCallable[] calls = {
      () -> cache.get("k"),
      () -> cache.get("k", _ -> "v"),
      () -> cache.read("k", Caches::text),
      () -> cache.put("k", "v"),
      () -> cache.put("k", LARGE),
      () -> cache.putIfAbsent("k", "v"),
      () -> cache.remove("k"),
      cache::clear,
      cache::size,
      cache::bytes,
      cache::iterator,
      entries::hasNext,
      entries::next
    };
    Throws.illegalState("cache is closed", calls);
    assertThat(cache.metrics()).isEqualTo(metrics);
    assertThat(cache).hasToString("OffHeapCache[shards=1, bytes=65536]");
  }

  @Test
  void close_duringACall_endsIt() {
    List<Call> calls =
        List.of(
            c -> c.get("k"),
            c -> c.get("k", _ -> "w"),
            c -> c.read("k", Caches::text),
            c -> c.read("", (memory, at, size) -> closeAndRead(c, memory, at)),
            c -> c.put("k", "w"),
            c -> c.putIfAbsent("k", "w"),
            c -> c.remove("k"));
    long before = Measured.nativeBytesInUse();
    for (Call call : calls) {
      List<OffHeapCache<?, ?>> toClose = new ArrayList<>();
      Codec<String> closing = new Caches.Latin(key -> closed(toClose, key));
      OffHeapCache<String, String> one = OffHeapCache.of(closing, closing, Caches.options());
      one.put("", "v");
      toClose.add(one);
      Throws.illegalState("cache is closed", () -> call.on(one));
      assertThat(Measured.nativeBytesInUse()).isEqualTo(before);
    }
  }

  @Test
  void close_whileAReaderWritesToAChannel_canBeRepeated() throws Exception {
    long before = Measured.nativeBytesInUse();
    OffHeapCache<Long, byte[]> large =
        OffHeapCache.of(
            Codec.longs(), Codec.bytes(), Caches.largeOptions().withTypicalEntryBytes(120_000));
    large.put(1L, new byte[120_000]); // more than a pipe holds
    Pipe pipe = Pipe.open();
    TestCall<Object> reading =
        TestCall.of(
            () ->
                large.read(
                    1L,
                    (memory, at, size) ->
                        Caches.sneaky(
                            () -> pipe.sink().write(memory.asSlice(at, size).asByteBuffer()))));
    pipe.source().read(ByteBuffer.allocate(1)); // so it has begun
    pipe.source().configureBlocking(false);
    Throws.illegalState("memory must not be in use by I/O when closed: ...", large::close);
    assertThat(large.metrics()).containsEntry("entries", 1L);
    while (!reading.isOver()) {
      pipe.source().read(ByteBuffer.allocate(1 << 16));
    }
    large.close();
    assertThat(Measured.nativeBytesInUse()).isEqualTo(before);
  }

  private static String closed(List<OffHeapCache<?, ?>> toClose, String key) {
    if (key.equals("k")) {
      toClose.forEach(OffHeapCache::close);
    }
    return key;
  }

  private static byte closeAndRead(OffHeapCache<?, ?> cache, MemorySegment memory, long at) {
    cache.close();
    return memory.get(JAVA_BYTE, at);
  }
}
