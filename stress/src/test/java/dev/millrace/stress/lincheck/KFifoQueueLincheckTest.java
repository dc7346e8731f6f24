package dev.millrace.stress.lincheck;

import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The ends of a {@link KFifoQueue} deliver every committed record whole, to one consumer, at most k
 * - 1 places out of order; it says "full" and "empty" truthfully.
 *
 * <p><b>Hazard.</b> A record is put into a segment that consumers have passed, and lost; or it is
 * taken back though a consumer has it, and comes twice; or it stays behind while more than k - 1
 * others overtake it.
 *
 * <p><b>Known to fail.</b> {@link QueueOperations#offerCommittedFirst}; and the queue itself, if it
 * is held to k - 1. A release before the read is the simulator's to find: so many steps lie between
 * the two that the model checker did not come upon them in 80,000 interleavings.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all KFifoQueueLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class KFifoQueueLincheckTest {
  private static final Mix SINGLES = Mix.ofAny("offer", "poll");
  private static final String BOUND = "records leave once each, at most k - 1 places out of order";

  private static Trial trial(Mix mix, String about) {
    return Trial.of(KFifoQueue.class, Operations.class, about)
        .mixing(mix)
        .allowedBy(KFifoAllows.Its.class);
  }

  @Test
  void records_whenModelChecked_leaveWithinTheBound(TestInfo test) {
    trial(SINGLES, BOUND).threads(3, 3).modelChecking(15, 400).passes(test);
  }

  @Test
  void order_whenHeldToOneLess_isCaught(TestInfo test) {
    trial(SINGLES, "another contract: k - 1, which it does not keep")
        .threads(3, 3)
        .allowedBy(KFifoAllows.OneLess.class)
        .modelChecking(40, 500)
        .isCaught(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    trial(Mix.ofAny("offerCommittedFirst", "poll"), "planted: commit before the fields are written")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** On a queue in relaxed order. */
  public static class Operations extends QueueOperations.OfQueue {
    public Operations() {
      super(
          new AnyQueue<>(
              KFifoQueue.of(Numbered.TYPE, KFifoAllows.K, QueueOptions.ofCapacity(CAPACITY))));
    }
  }
}
