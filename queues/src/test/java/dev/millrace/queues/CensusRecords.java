package dev.millrace.queues;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Trades, orders, payments and users, of which {@link CensusTest} says where they are from. */
final class CensusRecords {
  static final Instant NOW = Instant.parse("2026-03-14T09:26:53.589793Z");
  static final LocalDateTime LOCAL = LocalDateTime.of(2026, 3, 14, 9, 26, 53);
  static final UUID ID = UUID.fromString("6f1c9e0a-3d52-4b8e-9f57-0c2a7d41b6e3");
  static final UUID OTHER = UUID.fromString("018e3f6c-5a2b-7c11-8d4e-2b9f60a1c7d5");
  static final BigDecimal PRICE = new BigDecimal("43251.1250");

  private CensusRecords() {}

  // ---- trades ----

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

  record Units(long value) {}

  record Fill(
      long fillId,
      long orderId,
      long clientOrderId,
      String symbol,
      Side side,
      Units price,
      long quantity,
      long timestamp) {}

  record Candle(
      Instant start,
      BigDecimal open,
      BigDecimal high,
      BigDecimal low,
      BigDecimal close,
      BigDecimal volume) {}

  record Transfer(
      String source,
      String destination,
      String token,
      BigDecimal raw,
      Integer decimals,
      BigDecimal shown) {}

  // ---- orders ----

  enum Stage {
    OPEN,
    CONFIRMED
  }

  record Ordered(UUID orderId, String customer) {}

  record OrderedFor(
      UUID orderId, UUID userId, long totalAmount, String currency, Instant occurredAt) {}

  record OrderedAt(
      UUID orderId,
      UUID userId,
      UUID shopId,
      String shopName,
      UUID ownerId,
      long totalCents,
      String currency,
      OffsetDateTime placedAt) {}

  record Awaited(Long orderId, String number, Long userId, LocalDateTime expiresAt) {}

  record OrderLine(Long productId, int quantity, BigDecimal price) {}

  record OrderedWithLines(
      Long orderId,
      BigDecimal total,
      Stage stage,
      LocalDateTime createdAt,
      List<OrderLine> lines) {}

  // ---- payments and users ----

  enum Outcome {
    DECLINED,
    CAPTURED
  }

  record Paid(
      UUID paymentId,
      UUID rideId,
      String passenger,
      String driver,
      int amount,
      String currency,
      Outcome outcome,
      Instant timestamp) {}

  record PaidInVersions(
      UUID eventId,
      String type,
      Integer version,
      Long orderId,
      Long paymentId,
      String number,
      BigDecimal amount,
      Instant occurredAt) {}

  record Registered(UUID userId, String email, String token, Instant tokenExpiresAt) {}

  record UserId(UUID value) {}

  record Joined(UUID organization, UserId user) {}

  // ---- typical values ----

  static Stream<Record> inSlot() {
    String id = ID.toString();
    BigDecimal wei = new BigDecimal(new BigInteger("1208925819614629174706175"), 18);
    String account = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
    return Stream.of(
        new Tick("AAPL", 189.5, 100, 1_700_000_000_000L),
        new Sequenced("BTC-USDT", 1, 2, 3, 4),
        new Aggregate("binance", "spot", "btcusdt", 1, 2, 3, 4, 5, 6, 7, -1),
        new Pool(new Key(new byte[32]), 1, 2, 3, 4),
        new Booking(LocalDate.of(2026, 2, 28), Side.BUY, PRICE, PRICE, new BigDecimal("0.000001")),
        new Equity("ES", true, PRICE.negate(), PRICE, PRICE, NOW),
        new Consolidated(id, "MSFT", NOW, 1, PRICE, 10, "XNAS", "feed-a"),
        new Signal(Side.SELL, "EUR/USD", Direction.UP, Confidence.LOW, NOW, null),
        new Execution(id, 42L, "ETHUSDT", PRICE, PRICE, Side.SELL, NOW),
        new Quote("AAPL", 1, 2),
        new Fill(7, 8, 9, "EURUSD", Side.BUY, new Units(108_431), 1_000_000, 1_700_000_000_000L),
        new Candle(NOW, PRICE, PRICE, PRICE, PRICE, new BigDecimal("12.00341900")),
        new Transfer(account, account, account, wei.scaleByPowerOfTen(18), 18, wei),
        new Ordered(ID, "Ada Lovelace"),
        new OrderedFor(ID, OTHER, 129_000, "VND", NOW),
        new OrderedAt(
            ID, OTHER, ID, "Café Zoë", OTHER, 1_850, "EUR", LOCAL.atOffset(ZoneOffset.ofHours(1))),
        new Awaited(81L, "20260314-000081", 5L, LOCAL),
        new Paid(ID, OTHER, "p-1841", "d-77", 2_350, "LKR", Outcome.CAPTURED, NOW),
        new PaidInVersions(ID, "payment.completed", 1, 81L, 12L, "PAY-2026-000012", PRICE, NOW),
        new Registered(ID, "ada.lovelace@example.com", id, NOW.plusSeconds(86_400)),
        new Joined(ID, new UserId(OTHER)));
  }

  static Stream<Record> refused() {
    return Stream.of(
        new OrderedWithLines(
            81L, PRICE, Stage.CONFIRMED, LOCAL, List.of(new OrderLine(5L, 2, PRICE))));
  }
}
