package dev.millrace.queues;

import static dev.millrace.queues.CensusRecords.ID;
import static dev.millrace.queues.CensusRecords.LOCAL;
import static dev.millrace.queues.CensusRecords.NOW;
import static dev.millrace.queues.CensusRecords.OTHER;
import static dev.millrace.queues.CensusRecords.PRICE;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** Sealed interfaces of events: see {@link CensusTest}. */
final class CensusEvents {
  private CensusEvents() {}

  /**
   * A sealed interface.
   *
   * @param type the interface
   * @param values a typical one of each variant
   */
  record Family<E>(Class<E> type, List<E> values) {
    @SafeVarargs
    @SuppressWarnings("varargs") // which are only read
    static <E> Family<E> of(Class<E> type, E... values) {
      return new Family<>(type, List.of(values));
    }

    @Override
    public String toString() {
      return type.getSimpleName();
    }
  }

  sealed interface QuestEvent permits Erased, Resolved, Changed {}

  record Erased(UUID requestId, UUID userId, String service, Instant occurredAt)
      implements QuestEvent {}

  record Resolved(UUID oathId, UUID userId, String title, String status, Instant occurredAt)
      implements QuestEvent {}

  record Changed(UUID questId, UUID userId, String title, String status, Instant occurredAt)
      implements QuestEvent {}

  sealed interface UserEvent permits UserCreated, UserUpdated, UserDeleted {}

  record UserCreated(String userId, LocalDateTime timestamp) implements UserEvent {}

  record UserUpdated(String userId, LocalDateTime timestamp) implements UserEvent {}

  record UserDeleted(String userId, LocalDateTime timestamp) implements UserEvent {}

  sealed interface SaleEvent permits SalePlaced, SalePaid {}

  record SaleId(UUID value) {}

  record CustomerId(UUID value) {}

  record Money(BigDecimal amount, String currency) {}

  record SalePlaced(SaleId saleId, CustomerId customerId, Money total, Instant placedAt)
      implements SaleEvent {}

  record SalePaid(SaleId saleId, Instant paidAt) implements SaleEvent {}

  sealed interface CartEvent
      permits CartCreated, ItemAdded, ItemRemoved, CartConfirmed, CartShipped {}

  record CartCreated(UUID eventId, Instant timestamp, String cartId, String customerId)
      implements CartEvent {}

  record ItemAdded(
      UUID eventId, Instant timestamp, String cartId, String productId, int quantity, double price)
      implements CartEvent {}

  record ItemRemoved(UUID eventId, Instant timestamp, String cartId, String productId, int quantity)
      implements CartEvent {}

  record CartConfirmed(UUID eventId, Instant timestamp, String cartId, Instant confirmedAt)
      implements CartEvent {}

  record CartShipped(
      UUID eventId, Instant timestamp, String cartId, String trackingNumber, Instant shippedAt)
      implements CartEvent {}

  sealed interface Gesture permits Click, Hover, Scroll {}

  record Click(int x, int y) implements Gesture {}

  record Hover(int x, int y, Duration time) implements Gesture {}

  record Scroll(int delta) implements Gesture {}

  sealed interface PaymentEvent permits Authorized, Settled, Failed {}

  record Authorized(String id, BigDecimal amount) implements PaymentEvent {}

  record Settled(String id, Instant settledAt) implements PaymentEvent {}

  record Failed(String id, String errorCode) implements PaymentEvent {}

  sealed interface PowerUp permits ExtraLife, RapidFire, Shield, DoubleBullet {}

  record ExtraLife() implements PowerUp {}

  record RapidFire(int ticks) implements PowerUp {}

  record Shield(int ticks) implements PowerUp {}

  record DoubleBullet(int ticks) implements PowerUp {}

  sealed interface GameEvent permits Killed, Hit, LevelDone, GameOver, Collected {}

  record Killed(int x, int y, int score) implements GameEvent {}

  record Hit(int livesLeft) implements GameEvent {}

  record LevelDone(int level, int score) implements GameEvent {}

  record GameOver(int score) implements GameEvent {}

  record Collected(PowerUp powerUp) implements GameEvent {}

  sealed interface MarketEvent permits Quoted, Traded {}

  record Quoted(
      long sequence, long time, String symbol, long bid, int bidSize, long ask, int askSize)
      implements MarketEvent {}

  record Traded(long sequence, long time, String symbol, long price, int quantity)
      implements MarketEvent {}

  sealed interface StreamEvent permits Meta, Delta, Done {}

  record Meta(Long conversationId) implements StreamEvent {}

  record Delta(String text) implements StreamEvent {}

  record Done(Long conversationId, Long messageId, int promptTokens, int answerTokens)
      implements StreamEvent {}

  sealed interface AccountEvent permits AccountOpened, Deposited, Withdrawn {}

  record AccountOpened(
      UUID eventId, UUID accountId, Instant timestamp, int version, String owner, long balance)
      implements AccountEvent {}

  record Deposited(UUID eventId, UUID accountId, Instant timestamp, int version, long amount)
      implements AccountEvent {}

  record Withdrawn(UUID eventId, UUID accountId, Instant timestamp, int version, long amount)
      implements AccountEvent {}

  sealed interface TranslationEvent permits Advanced, Translated, Broken {}

  record Advanced(int percentage, int done, int total) implements TranslationEvent {}

  record Translated() implements TranslationEvent {}

  record Broken(String message) implements TranslationEvent {}

  sealed interface RunEvent permits Scheduled, Succeeded, Crashed, Limited, Closed {}

  record RunId(String value) {}

  record Context(RunId runId, String name, long sequence, int attempt, Instant occurredAt) {}

  record Scheduled(Context context, Instant scheduledFor) implements RunEvent {}

  record Succeeded(Context context, Duration duration) implements RunEvent {}

  record Crashed(Context context, Duration duration, Throwable failure) implements RunEvent {}

  record Limited(Context context, Duration delay, Optional<String> group) implements RunEvent {}

  record Closed(Context context) implements RunEvent {}

  // ---- typical values ----

  static Stream<Family<?>> inSlot() {
    String id = OTHER.toString();
    return Stream.of(
        Family.of(
            QuestEvent.class,
            new Erased(ID, OTHER, "quest-service", NOW),
            new Resolved(ID, OTHER, "No takeaway in March", "KEPT", NOW),
            new Changed(ID, OTHER, "Save 200 by June", "SUGGESTED", NOW)),
        Family.of(
            UserEvent.class,
            new UserCreated(id, LOCAL),
            new UserUpdated(id, LOCAL.plusHours(2)),
            new UserDeleted(id, LOCAL.plusDays(9))),
        Family.of(
            SaleEvent.class,
            new SalePlaced(new SaleId(ID), new CustomerId(OTHER), new Money(PRICE, "USD"), NOW),
            new SalePaid(new SaleId(ID), NOW)),
        Family.of(
            CartEvent.class,
            new CartCreated(ID, NOW, id, "c-1841"),
            new ItemAdded(ID, NOW, id, "sku-9", 2, 19.95),
            new ItemRemoved(ID, NOW, id, "sku-9", 1),
            new CartConfirmed(ID, NOW, id, NOW),
            new CartShipped(ID, NOW, id, "1Z999AA10123456784", NOW)),
        Family.of(
            Gesture.class,
            new Click(812, 340),
            new Hover(1, 2, Duration.ofMillis(340)),
            new Scroll(-3)),
        Family.of(
            PaymentEvent.class,
            new Authorized("tx-1", PRICE),
            new Settled("tx-1", NOW),
            new Failed("tx-2", "insufficient_funds")),
        Family.of(
            GameEvent.class,
            new Killed(10, 4, 150),
            new Hit(2),
            new LevelDone(3, 4_200),
            new Collected(new ExtraLife()),
            new Collected(new RapidFire(50)),
            new Collected(new Shield(30)),
            new Collected(new DoubleBullet(40)),
            new GameOver(4_350)),
        Family.of(
            MarketEvent.class,
            new Quoted(1, 1_700_000_000_000L, "AAPL", 18_950, 300, 18_951, 200),
            new Traded(2, 1_700_000_000_001L, "AAPL", 18_951, 100)),
        Family.of(
            StreamEvent.class,
            new Meta(77L),
            new Delta(" the queue is"),
            new Done(77L, 4L, 812, 96)),
        Family.of(
            AccountEvent.class,
            new AccountOpened(ID, OTHER, NOW, 1, "Alice", 1_000),
            new Deposited(ID, OTHER, NOW, 2, 500),
            new Withdrawn(ID, OTHER, NOW, 3, 200)),
        Family.of(
            TranslationEvent.class,
            new Advanced(40, 2, 5),
            new Translated(),
            new Broken("unsupported language: tlh")));
  }

  static Stream<Family<?>> refused() {
    Context context = new Context(new RunId("nightly-7"), "nightly", 12, 1, NOW);
    return Stream.of(
        Family.of(
            RunEvent.class,
            new Scheduled(context, NOW),
            new Succeeded(context, Duration.ofMillis(1_204)),
            new Crashed(context, Duration.ofMillis(7), new IllegalStateException("no disk")),
            new Limited(context, Duration.ofSeconds(30), Optional.of("reports")),
            new Closed(context)));
  }
}
