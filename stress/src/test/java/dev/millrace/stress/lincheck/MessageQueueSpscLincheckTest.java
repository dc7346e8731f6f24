package dev.millrace.stress.lincheck;

import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.trial.MessageRecords;

/**
 * A {@link MessageQueue} of one producer and one consumer delivers every committed message whole,
 * once and in order; with its strict poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> The tail that the producer knows is not the queue's after a claim that was
 * refused, aborted or made again; a message is published before it is written, or its cells are
 * given back while it is read; the consumer does not go past an aborted claim; it is told of the
 * end too early.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all MessageQueueSpscLincheckTest}
 */
public class MessageQueueSpscLincheckTest extends BoundedQueueContract {
  private static final Mix STRICT =
      Mix.ofOne("offer").and(Mix.ofAny("complete")).and(Mix.ofOne("strictPoll"));

  MessageQueueSpscLincheckTest() {
    super(
        MessageQueue.class,
        Operations.class,
        "one producer, relaxed poll: none while the oldest claim is open, no more");
  }

  @Override
  Trial strict() {
    return trial(STRICT, "with its strict poll, of one producer, it is a plain bounded queue");
  }

  @Override
  Mix polls(String... operations) {
    return Mix.ofOne(operations);
  }

  @Override
  Mix offers(String... operations) {
    return Mix.ofOne(operations);
  }

  @Override
  Class<? extends BoundedAllows> allows() {
    return BoundedAllows.ByOneProducer.class;
  }

  @Override
  Mix held() {
    return Mix.ofOne("claimLeft", "commitLeft", "abortLeft").and(Mix.ofAny("complete"));
  }

  /** With the strict poll. */
  public static class Operations extends MessageQueueMpmcLincheckTest.OfMessages {
    public Operations() {
      super(MessageQueue.spsc(MessageRecords.inBytes(OPTIONS)));
    }
  }
}
