package dev.millrace.stress.lincheck;

import dev.millrace.core.Consumer;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpmcProducer;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * The ends of an {@link MpmcQueue} deliver every committed record whole, to one consumer, in the
 * order of the claims; with its strict claim and poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get one slot, or two consumers one record; a record is published
 * before it is written, or its slot is given back while it is read; a consumer goes past a claim
 * that is open, or does not go past an aborted one; it is told of the end before a claim that came
 * before the completion has ended.
 *
 * <p><b>Known to fail.</b> {@link QueueOperations#offerCommittedFirst}, {@link
 * QueueOperations#pollReleasedFirst}, {@link QueueOperations#pollEndingEarly} and {@link
 * Operations#pollShared}. And the relaxed forms where a plain queue is asked for.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all MpmcQueueLincheckTest}
 */
public class MpmcQueueLincheckTest extends BoundedQueueContract {
  private static final Mix STRICT = Mix.ofAny("strictOffer", "strictPoll", "complete");
  private static final Mix PLAIN = Mix.ofAny("offer", "poll");
  private static final Mix RELAXED_POLL = Mix.ofAny("strictOffer", "poll");
  private static final Mix RELAXED_CLAIM = Mix.ofAny("offer", "strictPoll");

  MpmcQueueLincheckTest() {
    super(
        MpmcQueue.class,
        Operations.class,
        "relaxed: none while the oldest claim is open, full while the oldest slot is in use");
  }

  @Override
  Trial strict() {
    return trial(STRICT, "with its strict claim and poll it is a plain bounded queue")
        .against(Fifo.class);
  }

  @Override
  Mix polls(String... operations) {
    return Mix.ofAny(operations);
  }

  @Test
  void polls_whenModelChecked_shareOut(TestInfo test) {
    trial(PLAIN, "two consumers: none is told empty while records are there")
        .modelChecking(8, 300)
        .passes(test);
  }

  /** No bug, but another contract: "empty" while the oldest claim is open. */
  @Test
  void poll_whenRelaxedIsTakenForStrict_isCaught(TestInfo test) {
    planted(RELAXED_POLL, "the relaxed poll for the strict one").against(Fifo.class).isCaught(test);
  }

  /** The same: "full" while the oldest slot is in the hands of a consumer. */
  @Test
  void claim_whenRelaxedIsTakenForStrict_isCaught(TestInfo test) {
    planted(RELAXED_CLAIM, "the relaxed claim for the strict one")
        .against(Fifo.class)
        .isCaught(test);
  }

  @Test
  void poll_whenTwoShareAnEnd_isCaught(TestInfo test) {
    planted(Mix.ofAny("offer", "pollShared"), "two threads share a consumer").isCaught(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    planted(
            offers("offerCommittedFirst").and(polls("poll")),
            "commit before the fields are written")
        .isCaught(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    planted(offers("offer").and(polls("pollReleasedFirst")), "release before the fields are read")
        .isCaught(test);
  }

  @Test
  void end_whenToldBeforeOpenClaims_isCaught(TestInfo test) {
    planted(
            offers("offer", "complete").and(polls("pollEndingEarly")),
            "closed and nothing there is taken for the end")
        .isCaught(test);
  }

  /** With the strict forms. */
  @Param(name = "value", gen = Rising.class)
  public static class Operations extends QueueOperations.OfQueue {
    private final Consumer<Numbered> shared;

    public Operations() {
      this(new AnyQueue<>(MpmcQueue.of(Numbered.TYPE, OPTIONS)));
    }

    private Operations(AnyQueue<Numbered> queue) {
      super(queue);
      shared = queue.newConsumer();
    }

    @Operation(blocking = true)
    public String strictOffer(@Param(name = "value") long value) throws InterruptedException {
      MpmcProducer<Numbered> producer = (MpmcProducer<Numbered>) producer();
      return put(producer, count(producer.strictClaim()), value);
    }

    @Operation(blocking = true)
    public String strictPoll() throws InterruptedException {
      MpmcConsumer<Numbered> consumer = (MpmcConsumer<Numbered>) consumer();
      Numbered polled = consumer.strictPoll();
      return polled == null ? EMPTY : take(consumer, 1);
    }

    /** Planted: two threads poll by the same end. */
    @Operation
    public String pollShared() {
      return take(shared, count(shared.tryPoll()));
    }
  }
}
