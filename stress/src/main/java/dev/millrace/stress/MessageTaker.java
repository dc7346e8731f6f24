package dev.millrace.stress;

import dev.millrace.core.Consumer;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageConsumer.Then;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.SoakProducer.Patience;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.KFifoSpec;
import java.util.List;

/**
 * A consumer of messages in the soaks: its drains may stop after so many bytes, after a message, or
 * before one, which must then be the next.
 */
final class MessageTaker extends SoakConsumer<Message> {
  private static final long NONE = -1;
  private static final int FAULT_AT = 10;

  private final MessageShape shape;
  private final boolean isSole; // so that a message can stay in the queue
  private final Fault fault;
  private volatile boolean hasDoneWrong;
  private int plants;
  private long kept = NONE; // the number of the message that stays in the queue
  private int stopAt;
  private Then stop;
  private boolean hasStopped;
  private long bytesLeft;

  /**
   * Makes a consumer, for one thread.
   *
   * @param isSole whether there is no other
   */
  MessageTaker(
      List<MessageConsumer> ends,
      MessageShape shape,
      boolean isSole,
      Received received,
      int run,
      Patience patience,
      Fault fault,
      long seed) {
    super(
        ends,
        shape.newReader(),
        shape.producers(),
        received,
        KFifoSpec.Log.none(),
        run,
        patience,
        seed);
    this.shape = shape;
    this.isSole = isSole;
    this.fault = fault;
  }

  @Override
  boolean isThrough() {
    return fault == Fault.NONE || fault.isProducers() || hasDoneWrong;
  }

  @Override
  Message strictly(Consumer<Message> end) throws InterruptedException {
    return ((MessageConsumer) end).strictPoll();
  }

  @Override
  void take(Message message) {
    super.take(message);
    if (kept != NONE) {
      Counts.check("number of the message that stayed", check(message), kept);
      kept = NONE;
    }
  }

  // ---- drains ----

  @Override
  boolean drains(Consumer<Message> end, int limit) {
    MessageConsumer messages = (MessageConsumer) end;
    return switch (random.nextInt(3)) {
      case 0 -> super.drains(end, limit);
      case 1 -> drainsBytes(messages, limit);
      default -> drainsWhile(messages, limit);
    };
  }

  private boolean drainsBytes(MessageConsumer end, int limit) {
    long bytes = 1L + random.nextInt(1 + limit * shape.longest());
    bytesLeft = bytes;
    // again and again, until there are as many
    long asked = fault == Fault.OVERDRAW ? Long.MAX_VALUE : bytes;
    int count = end.drain(this::handleBytes, limit, asked);
    Counts.check("drained", count, drained);
    return count < limit && bytesLeft > 0;
  }

  private void handleBytes(Message message) {
    Counts.checkWithin("bytes left before a message", bytesLeft, 1, Long.MAX_VALUE);
    bytesLeft -= message.length();
    handle(message);
  }

  private boolean drainsWhile(MessageConsumer end, int limit) {
    stopAt = 1 + random.nextInt(2 * limit);
    stop = isSole && random.nextBoolean() ? Then.STOP_BEFORE : Then.STOP;
    hasStopped = false;
    int count = end.drainWhile(this::control, limit);
    Counts.check("drained", count, drained);
    return count < limit && !hasStopped;
  }

  private Then control(Message message) {
    hasStopped = drained + 1 == stopAt;
    boolean keeps = hasStopped && stop == Then.STOP_BEFORE;
    if (keeps) {
      long number = check(message);
      if (isWrong(Fault.TAKE_KEPT)) {
        super.take(message);
      }
      kept = number;
      if (isWrong(Fault.DROP)) {
        drained++;
        return Then.STOP;
      }
      return Then.STOP_BEFORE;
    }
    handle(message);
    return hasStopped ? Then.STOP : Then.GO_ON;
  }

  /** Whether it is time to do this wrong. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  private boolean isWrong(Fault its) {
    boolean isTime = fault == its && !hasDoneWrong && ++plants >= FAULT_AT;
    hasDoneWrong |= isTime;
    return isTime;
  }
}
