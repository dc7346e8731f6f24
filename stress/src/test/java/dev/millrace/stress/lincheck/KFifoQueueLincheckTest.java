package dev.millrace.stress.lincheck;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.QueueOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
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
 * <p><b>Known to fail.</b> {@link CommitsFirst}; and the queue itself, if it is held to k - 1. A
 * release before the read is the simulator's to find: so many steps lie between the two that the
 * model checker did not come upon them in 80,000 interleavings.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=KFifoQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class KFifoQueueLincheckTest {
  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(KFifoQueue.class, operations, about)
        .threads(2, 4)
        .allowedBy(KFifoAllows.Its.class);
  }

  @Test
  void records_whenModelChecked_leaveWithinTheBound(TestInfo test) {
    trial(Singles.class, "records leave once each, at most k - 1 places out of order")
        .threads(3, 3)
        .modelChecking(15, 400)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void records_whenStressed_leaveWithinTheBound(TestInfo test) {
    trial(Singles.class, "records leave once each, at most k - 1 places out of order")
        .stress(20, 1_000)
        .passes(test);
  }

  @Test
  void order_whenHeldToOneLess_isCaught(TestInfo test) {
    trial(Singles.class, "another contract: k - 1, which it does not keep")
        .threads(3, 3)
        .allowedBy(KFifoAllows.OneLess.class)
        .modelChecking(40, 500)
        .isCaught(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    trial(CommitsFirst.class, "planted: commit before the fields are written")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** Single records; what the planted bugs change. */
  @Param(name = "value", gen = Rising.class)
  public static class Singles extends QueueOperations {
    public Singles() {
      super(
          new AnyQueue<>(
              KFifoQueue.of(
                  FlyweightType.of(Triple::new),
                  KFifoAllows.K,
                  QueueOptions.ofCapacity(KFifoAllows.CAPACITY))));
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String poll() {
      return tryTake();
    }
  }

  /** Planted: the record is written after its commit. */
  public static class CommitsFirst extends Singles {
    @Override
    String tryPut(long value) {
      return putCommittedFirst(value);
    }
  }
}
