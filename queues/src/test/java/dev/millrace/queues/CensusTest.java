package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Records in the shapes that public code has them, with typical values: a queue takes each as it
 * is, and nothing of them spills. Alone it finds a shape that is refused, or a default limit that
 * is too low.
 */
class CensusTest {
  enum Side {
    BUY,
    SELL
  }

  enum Direction {
    UP
  }

  enum Confidence {
    LOW
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Key(byte[] bytes) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key(byte[] its) && Arrays.equals(bytes, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }

  record Tick(String symbol, double price, int volume, long timestamp) {}

  record Sequenced(String symbol, long sequence, long eventTimeMs, long price, long quantity) {}

  record Aggregate(
      String exchange,
      String market,
      String symbol,
      long id,
      long timestampNs,
      long firstTradeId,
      long lastTradeId,
      long price,
      long amount,
      long quoteQuantity,
      int side) {}

  record Pool(Key pool, long totalBaseSell, long virtualBase, long virtualQuote, long realBase) {}

  record Booking(
      LocalDate date, Side side, BigDecimal quantity, BigDecimal price, BigDecimal fees) {}

  record Equity(
      String symbol,
      boolean isOpening,
      BigDecimal profit,
      BigDecimal equityAfter,
      BigDecimal notional,
      Instant occurredAt) {}

  record Consolidated(
      String eventId,
      String symbol,
      Instant eventTime,
      long sequence,
      BigDecimal price,
      long size,
      String exchange,
      String source) {}

  record Signal(
      Side type,
      String instrument,
      Direction direction,
      Confidence confidence,
      Instant timestamp,
      Boolean isTest) {}

  record Execution(
      String tradeId,
      Long userId,
      String symbol,
      BigDecimal quantity,
      BigDecimal price,
      Side side,
      Instant executedAt) {}

  record Quote(String symbol, double price, double quantity) {}

  static Stream<Record> records() {
    BigDecimal price = new BigDecimal("43251.1250");
    Instant now = Instant.now();
    String id = UUID.randomUUID().toString();
    return Stream.of(
        new Tick("AAPL", 189.5, 100, 1_700_000_000_000L),
        new Sequenced("BTC-USDT", 1, 2, 3, 4),
        new Aggregate("binance", "spot", "btcusdt", 1, 2, 3, 4, 5, 6, 7, -1),
        new Pool(new Key(new byte[32]), 1, 2, 3, 4),
        new Booking(LocalDate.of(2026, 2, 28), Side.BUY, price, price, new BigDecimal("0.000001")),
        new Equity("ES", true, price.negate(), price, price, now),
        new Consolidated(id, "MSFT", now, 1, price, 10, "XNAS", "feed-a"),
        new Signal(Side.SELL, "EUR/USD", Direction.UP, Confidence.LOW, now, null),
        new Execution(id, 42L, "ETHUSDT", price, price, Side.SELL, now),
        new Quote("AAPL", 1, 2));
  }

  @ParameterizedTest
  @MethodSource("records")
  void queue_ofATypicalRecord_takesItAsItIs(Record one) throws Exception {
    assertPasses(one.getClass(), one);
  }

  private static <E extends Record> void assertPasses(Class<E> type, Record one) throws Exception {
    RecordQueue<E> queue = RecordQueue.of(type, 16);
    queue.put(type.cast(one));
    assertThat(queue.take()).isEqualTo(one).isNotSameAs(one);
    assertThat(queue.metrics()).containsEntry("spilled", 0L);
  }
}
