package dev.millrace.stress.lincheck;

import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * The ends of an {@link MpscQueue} deliver every committed record whole, once and in the order of
 * the claims; with its strict poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get one slot; a record is published before it is written, or its
 * slot is given back while it is read; the consumer goes past a claim that is open, or does not go
 * past an aborted one; it is told of the end before a claim that came before the completion has
 * ended.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all MpscQueueLincheckTest}
 */
public class MpscQueueLincheckTest extends BoundedQueueContract {
  private static final Mix STRICT = Mix.ofAny("offer", "complete").and(Mix.ofOne("strictPoll"));

  MpscQueueLincheckTest() {
    super(
        MpscQueue.class,
        Operations.class,
        "relaxed poll: none while the oldest claim is open, no more");
  }

  @Override
  Trial strict() {
    return trial(STRICT, "with its strict poll it is a plain bounded queue");
  }

  @Override
  Mix polls(String... operations) {
    return Mix.ofOne(operations);
  }

  /** With the strict poll. */
  public static class Operations extends QueueOperations.OfQueue {
    public Operations() {
      super(new AnyQueue<>(MpscQueue.of(Numbered.TYPE, OPTIONS)));
    }

    @Operation(blocking = true)
    public String strictPoll() throws InterruptedException {
      MpscConsumer<Numbered> consumer = (MpscConsumer<Numbered>) consumer();
      Numbered polled = consumer.strictPoll();
      return polled == null ? EMPTY : take(consumer, 1);
    }
  }
}
