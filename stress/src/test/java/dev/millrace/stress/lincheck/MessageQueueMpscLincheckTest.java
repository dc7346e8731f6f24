package dev.millrace.stress.lincheck;

import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.trial.MessageRecords;
import dev.millrace.stress.trial.Numbered;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A {@link MessageQueue} of many producers and one consumer delivers every committed message whole,
 * once and in the order of the claims; with its strict poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get the same cells; a message is published before it is written,
 * or its cells are given back while it is read; the consumer goes past a claim that is open, or
 * does not go past an aborted one; it is told of the end too early.
 *
 * <p><b>Known to fail.</b> {@link QueueOperations#offerCommittedFirst}, {@link
 * QueueOperations#pollReleasedFirst}, {@link QueueOperations#pollEndingEarly}, and two consumers.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all MessageQueueMpscLincheckTest}
 */
public class MessageQueueMpscLincheckTest extends StampedQueueContract {
  private static final Mix STRICT = Mix.ofAny("offer", "complete").and(Mix.ofOne("strictPoll"));

  MessageQueueMpscLincheckTest() {
    super(
        MessageQueue.class,
        Operations.class,
        "one consumer, relaxed poll: none while the oldest claim is open, no more");
  }

  @Override
  Trial strict() {
    return trial(STRICT, "with its strict poll, of one consumer, it is a plain bounded queue");
  }

  @Override
  Mix polls(String... operations) {
    return Mix.ofOne(operations);
  }

  @Test
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    planted(OFFERS.and(Mix.ofAny("poll")), "two consumers at a time").isCaught(test);
  }

  /** With the strict poll. */
  public static class Operations extends OfMessages {
    public Operations() {
      super(MessageQueue.mpsc(MessageRecords.inBytes(OPTIONS)));
    }
  }

  /** On a queue of two messages of many cells, of which the last has the record. */
  abstract static class OfMessages extends QueueOperations.OfQueue {
    OfMessages(MessageQueue queue) {
      super(new MessageRecords<>(queue, CAPACITY, false, Numbered::last));
    }

    @Operation(blocking = true)
    public String strictPoll() throws InterruptedException {
      var consumer = consumer();
      Numbered polled = MessageRecords.strictPoll(consumer);
      return polled == null ? EMPTY : take(consumer, 1);
    }
  }
}
