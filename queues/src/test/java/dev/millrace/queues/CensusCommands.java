package dev.millrace.queues;

import static dev.millrace.queues.CensusRecords.ID;

import dev.millrace.queues.CensusEvents.Family;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Sealed interfaces of commands and messages: see {@link CensusTest}. */
final class CensusCommands {
  private CensusCommands() {}

  sealed interface ReviewCommand permits RequestCode, Answer, Cancel, RequestRelease, Approve {}

  record RequestCode() implements ReviewCommand {}

  record Answer(String code) implements ReviewCommand {}

  record Cancel() implements ReviewCommand {}

  record RequestRelease(String reason) implements ReviewCommand {}

  record Approve() implements ReviewCommand {}

  sealed interface BoardCommand permits Place, Clear, Hint, Check, Quit {}

  record Place(int row, int column, int value) implements BoardCommand {}

  record Clear(int row, int column) implements BoardCommand {}

  record Hint() implements BoardCommand {}

  record Check() implements BoardCommand {}

  record Quit() implements BoardCommand {}

  enum Progress {
    PLACED,
    DELIVERED
  }

  @SuppressWarnings("UnusedTypeParameter") // which tells numbers of different things apart
  record Id<T>(String value) {}

  record Reference<T>(Id<T> id) {}

  record Medicine(String name) {}

  record Prescription(Id<Prescription> id) {}

  record Item(Id<Item> id, Reference<Medicine> medicine, int amount) {}

  sealed interface ItemCommand permits UpdateItem, AddItem, DeleteItem {}

  record UpdateItem(Id<Item> id, int amount, Progress progress, String note)
      implements ItemCommand {}

  record AddItem(
      Id<Item> id,
      int amount,
      Reference<Medicine> medicine,
      Progress progress,
      Reference<Prescription> prescription,
      String note)
      implements ItemCommand {}

  record DeleteItem(Id<Item> id, Reference<Medicine> medicine) implements ItemCommand {}

  sealed interface PaddleMessage permits Interval, AddDirection, RemoveDirection, None {}

  enum Player {
    LEFT,
    RIGHT
  }

  enum Direction {
    UP,
    DOWN
  }

  record Interval() implements PaddleMessage {}

  record AddDirection(Player player, Direction direction) implements PaddleMessage {}

  record RemoveDirection(Player player, Direction direction) implements PaddleMessage {}

  record None() implements PaddleMessage {}

  sealed interface TunnelMessage permits Challenge, Hello, Heartbeat, Connection, Refusal {}

  record Challenge(UUID challenge) implements TunnelMessage {}

  record Hello(int port) implements TunnelMessage {}

  enum Heartbeat implements TunnelMessage {
    INSTANCE
  }

  record Connection(UUID id) implements TunnelMessage {}

  record Refusal(String message) implements TunnelMessage {}

  sealed interface Notification permits Push, Email, InApp {}

  record Push(String token, String title, String body) implements Notification {}

  record Email(String address, String subject, String body) implements Notification {}

  record InApp(long userId, String message) implements Notification {}

  sealed interface WindowInput permits Keyed, Button, Cursor, Wheel {}

  enum Press {
    PRESS,
    RELEASE
  }

  record Keyed(int keyCode, int scanCode, Press press, int modifiers) implements WindowInput {}

  record Button(int button, Press press, int modifiers) implements WindowInput {}

  record Cursor(double x, double y) implements WindowInput {}

  record Wheel(double offsetX, double offsetY) implements WindowInput {}

  sealed interface SagaCommand permits Reserve, Release, Capture, Refund, Ship {}

  record Reserve(String orderId, List<String> skus) implements SagaCommand {}

  record Release(String orderId, List<String> skus) implements SagaCommand {}

  record Capture(String orderId, int amountCents) implements SagaCommand {}

  record Refund(String orderId, String paymentId) implements SagaCommand {}

  record Ship(String orderId) implements SagaCommand {}

  // ---- typical values ----

  static Stream<Family<?>> inSlot() {
    Id<Item> item = new Id<>("item-81");
    Reference<Medicine> medicine = new Reference<>(new Id<>("med-5"));
    Reference<Prescription> prescription = new Reference<>(new Id<>("rx-2026-12"));
    return Stream.of(
        Family.of(
            ReviewCommand.class,
            new RequestCode(),
            new Answer("480 913"),
            new Cancel(),
            new RequestRelease("wrong recipient"),
            new Approve()),
        Family.of(
            BoardCommand.class,
            new Place(8, 0, 9),
            new Clear(8, 0),
            new Hint(),
            new Check(),
            new Quit()),
        Family.of(
            ItemCommand.class,
            new UpdateItem(item, 3, Progress.DELIVERED, "left at the door"),
            new AddItem(item, 2, medicine, Progress.PLACED, prescription, ""),
            new DeleteItem(item, medicine)),
        Family.of(
            PaddleMessage.class,
            new Interval(),
            new AddDirection(Player.LEFT, Direction.UP),
            new RemoveDirection(Player.RIGHT, Direction.DOWN),
            new None()),
        Family.of(
            TunnelMessage.class,
            new Challenge(ID),
            new Hello(7_835),
            Heartbeat.INSTANCE,
            new Connection(ID),
            new Refusal("port already in use")),
        Family.of(
            Notification.class,
            new Push("fcm-4f1a", "New message", "Ada: see you at nine"),
            new Email("ada@example.com", "Your order has shipped", "It arrives on Monday."),
            new InApp(42, "Welcome back")),
        Family.of(
            WindowInput.class,
            new Keyed(65, 30, Press.PRESS, 2),
            new Button(0, Press.RELEASE, 0),
            new Cursor(812.5, 340),
            new Wheel(0, -1)));
  }

  static Stream<Family<?>> refused() {
    return Stream.of(
        Family.of(
            SagaCommand.class,
            new Reserve("o-81", List.of("sku-9", "sku-12")),
            new Release("o-81", List.of("sku-9")),
            new Capture("o-81", 4_990),
            new Refund("o-81", "pay-12"),
            new Ship("o-81")));
  }
}
