package dev.millrace.stress.lincheck;

import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.trial.MessageRecords;
import dev.millrace.stress.trial.Numbered;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A {@link MessageQueue} of many producers and consumers delivers every committed message whole, to
 * one consumer, in the order of the claims; with its strict poll, of one consumer at a time, it is
 * a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get the same cells, or two consumers one message; a message is
 * published before it is written, or its cells are given back while it is read; a producer that
 * looks how far cells are released finds fewer than there are, or more; a consumer is told of the
 * end too early.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all MessageQueueMpmcLincheckTest}
 */
public class MessageQueueMpmcLincheckTest extends BoundedQueueContract {
  private static final Mix STRICT = Mix.ofAny("offer", "complete").and(Mix.ofOne("strictPoll"));
  private static final Mix SHARED = Mix.ofAny("offer", "strictPoll");

  MessageQueueMpmcLincheckTest() {
    super(
        MessageQueue.class,
        Operations.class,
        "relaxed: none while the oldest claim is open, full while the oldest message is in use");
  }

  @Override
  Trial strict() {
    return trial(STRICT, "with its strict poll, by one at a time, it is a plain bounded queue");
  }

  @Override
  Mix polls(String... operations) {
    return Mix.ofAny(operations);
  }

  @Test
  void strictPolls_whenModelChecked_shareOut(TestInfo test) {
    trial(SHARED, "two consumers: a strict poll finds none only where there is none")
        .modelChecking(8, 300)
        .passes(test);
  }

  /** With the strict poll. */
  public static class Operations extends OfMessages {
    public Operations() {
      super(MessageQueue.mpmc(MessageRecords.inBytes(OPTIONS)));
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
