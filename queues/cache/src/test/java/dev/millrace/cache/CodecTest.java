package dev.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.millrace.cache.Caches.Latin;
import dev.millrace.flyweight.Length;
import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Throws;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a codec by which a key is not found again, or a value comes back changed: bytes of padding,
 * zeros at the end, half a surrogate pair. Each codec is one of keys and of values.
 */
class CodecTest {
  private static final String ASTRAL = "\uD83D\uDE00";

  private enum Side {
    BUY,
    SELL
  }

  private record Price(BigDecimal amount, @Utf8(3) String currency) {}

  private record Order(byte lot, long id, Side side, Price price, boolean isOpen) {}

  private static Order order(int lot, Side side) {
    return new Order((byte) lot, -1, side, new Price(new BigDecimal("0.10"), "\u00E9"), true);
  }

  static Stream<Arguments> codecs() {
    String[] text = {
      "", "\0", "\0\0", "a", "\u00E9", "\uFFFD", ASTRAL, "\u00E9" + "x".repeat(2_000), "12345678"
    };
    String[] latin = {"", "a", "ab", "x".repeat(20_000), "123456789", "12345678", "123", "b"};
    Long[] longs = {0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE};
    Integer[] ints = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE};
    UUID[] ids = {new UUID(0, 0), new UUID(-1, 1), new UUID(1, -1), new UUID(1L << 63, ~0L >>> 1)};
    Order[] orders = {order(1, Side.BUY), order(2, Side.BUY), order(1, Side.SELL)};
    return Stream.of(
        argumentSet("text", Codec.utf8(), text),
        argumentSet("a user's", Latin.PLAIN, latin),
        argumentSet("longs", Codec.longs(), longs),
        argumentSet("ints", Codec.ints(), ints),
        argumentSet("identifiers", Codec.uuids(), ids),
        argumentSet("records", Codec.records(Order.class), orders),
        argumentSet("by lookup", Codec.records(Order.class, MethodHandles.lookup()), orders));
  }

  /** All values are keys of one cache, each with the value of another. */
  @ParameterizedTest
  @MethodSource("codecs")
  <T> void values_ofAllKinds_comeBack(Codec<T> codec, T[] values) {
    try (OffHeapCache<T, T> cache = OffHeapCache.of(codec, codec, Caches.largeOptions())) {
      Map<T, T> expected = new HashMap<>();
      for (int i = 0; i < values.length; i++) {
        expected.put(values[i], values[values.length - 1 - i]);
      }
      expected.forEach(cache::put);
      expected.forEach((key, value) -> assertThat(cache.get(key)).isEqualTo(value));
      assertThat(cache).containsExactlyInAnyOrderElementsOf(expected.entrySet());
      assertThat(values).allMatch(cache::remove);
      assertThat(cache.size()).isZero();
    }
  }

  @Test
  void bytes_areCopiedAndComparedByContent() {
    try (OffHeapCache<byte[], byte[]> cache =
        OffHeapCache.of(Codec.bytes(), Codec.bytes(), Caches.options())) {
      byte[] key = {1, 2};
      byte[] value = {3};
      cache.put(key, value);
      cache.put(new byte[0], new byte[0]);
      key[0] = 9;
      value[0] = 9;
      assertThat(cache.get(new byte[] {1, 2})).containsExactly(3);
      assertThat(cache.get(key)).isNull();
      assertThat(cache.get(new byte[0])).isEmpty();
    }
  }

  /** About where long text is checked in pieces, and with as many bytes as characters. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1_022, 1_023, 1_024, 1_025, 2_047, 2_048, 3_000})
  void text_withHalfAPair_isRefused(int at) {
    try (OffHeapCache<String, String> cache = Caches.ofText(Caches.largeOptions())) {
      for (String half : List.of("\uD83D", "\uDE00", "\uDE00\uD83D")) {
        for (String rest : List.of("", "x", "x".repeat(1_500), "\u00E9")) {
          String text = "x".repeat(at) + half + rest;
          Throws.illegalArgument(
              "text must have its surrogates in pairs: text=...",
              () -> cache.put("k", text),
              () -> cache.put(text, "v"),
              () -> cache.get(text),
              () -> cache.get("k", _ -> text));
        }
      }
      String whole = "x".repeat(at) + ASTRAL;
      cache.put("k", whole);
      assertThat(cache.get("k")).isEqualTo(whole);
      assertThat(cache.size()).isEqualTo(1);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // the cache compares the bytes
  private record Path(long id, @Length(4) int[] steps) {}

  @Test
  void records_withArrays_areEqualByContent() {
    try (OffHeapCache<Path, Long> cache =
        OffHeapCache.of(Codec.records(Path.class), Codec.longs(), Caches.options())) {
      cache.put(new Path(1, new int[] {1, 2, 3, 4}), 4L);
      cache.put(new Path(1, new int[] {1, 2}), 2L);
      assertThat(cache.get(new Path(1, new int[] {1, 2}))).isEqualTo(2);
      assertThat(cache.get(new Path(1, new int[] {1, 2, 3, 4}))).isEqualTo(4);
      assertThat(cache.get(new Path(1, new int[] {1, 2, 0}))).isNull();
      Throws.illegalArgument(
          "Path.steps must fit into 20 bytes: Path.steps=int[5]",
          () -> cache.put(new Path(1, new int[5]), 5L));
    }
  }

  /** Whatever another key has left in the memory that a record does not write. */
  @Test
  void records_withPadding_findEachOther() {
    Codec<Order> orders = Codec.records(Order.class);
    Codec<Order> filling =
        new Codec<>() {
          @Override
          public long size(Order order) {
            return orders.size(order);
          }

          @Override
          public long write(Order order, MemorySegment memory) {
            return order.isOpen() ? orders.write(order, memory) : memory.fill((byte) -1).byteSize();
          }

          @Override
          public Order read(MemorySegment memory) {
            return orders.read(memory);
          }
        };
    try (OffHeapCache<Order, Long> cache =
        OffHeapCache.of(filling, Codec.longs(), Caches.options())) {
      Order order = order(1, Side.BUY);
      cache.put(order, 1L);
      assertThat(cache.get(new Order((byte) 0, 0, Side.BUY, order.price(), false))).isNull();
      assertThat(cache.get(order)).isEqualTo(1);
    }
  }
}
