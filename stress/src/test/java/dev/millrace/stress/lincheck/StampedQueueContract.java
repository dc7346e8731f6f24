package dev.millrace.stress.lincheck;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What Lincheck holds all queues of many producers to, and the planted bugs that it must find in
 * each. A kind says who may consume, and adds what is its own.
 *
 * <p>The relaxed forms are held to {@link StampedAllows}.
 *
 * <p>The stall limit is a matter of time, of which the model checker knows nothing; it is left to
 * the ordering simulator, whose clock is part of the schedule, and to jcstress.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
abstract class StampedQueueContract {
  private final Class<?> queue;

  /** Of a kind of queue. */
  StampedQueueContract(Class<?> queue) {
    this.queue = queue;
  }

  /** The strict forms. */
  abstract Trial strict();

  /** The relaxed forms, single records and runs, commits and aborts. */
  abstract Trial relaxed();

  /** {@link QueueOperations.Held}, and polls. */
  abstract Class<?> held();

  /** Planted: {@link QueueOperations#putCommittedFirst}. */
  abstract Class<?> commitsFirst();

  /** Planted: {@link QueueOperations#takeReleasedFirst}. */
  abstract Class<?> releasesFirst();

  /** Planted: {@link QueueOperations#endedEarly}. */
  abstract Class<?> endsEarly();

  /** A trial of two threads, unless it is told of more. */
  final Trial trial(Class<?> operations, String about) {
    return Trial.of(queue, operations, about).threads(2, 4);
  }

  /** A bug in the relaxed forms. */
  final Trial planted(Class<?> operations, String bug) {
    return trial(operations, "planted: " + bug)
        .allowedBy(StampedAllows.class)
        .modelChecking(30, 500);
  }

  /** Relaxed forms for strict ones: no bug, but another contract. */
  final Trial relaxedForStrict(Class<?> operations, String bug) {
    return trial(operations, "planted: " + bug).against(Answers.Fifo.class).modelChecking(30, 500);
  }

  @Test
  void strict_whenModelChecked_isPlainQueue(TestInfo test) {
    strict().threads(3, 2).against(Answers.Fifo.class).modelChecking(8, 300).passes(test);
  }

  @Test
  void relaxed_whenModelChecked_deliversInOrder(TestInfo test) {
    relaxed().threads(3, 2).allowedBy(StampedAllows.class).modelChecking(8, 300).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void relaxed_whenStressed_deliversInOrder(TestInfo test) {
    relaxed().allowedBy(StampedAllows.OnProcessors.class).stress(6, 1_000).passes(test);
  }

  @Test
  void held_whenModelChecked_endsInAnyOrder(TestInfo test) {
    trial(held(), "claims that stay open, end in any order, or are aborted")
        .threads(3, 2)
        .allowedBy(StampedAllows.class)
        .modelChecking(8, 300)
        .passes(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    planted(commitsFirst(), "commit before the fields are written").isCaught(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    planted(releasesFirst(), "release before the fields are read").isCaught(test);
  }

  @Test
  void end_whenToldBeforeOpenClaims_isCaught(TestInfo test) {
    planted(endsEarly(), "closed and nothing there is taken for the end").isCaught(test);
  }
}
