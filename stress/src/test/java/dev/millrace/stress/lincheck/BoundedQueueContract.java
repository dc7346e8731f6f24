package dev.millrace.stress.lincheck;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What Lincheck holds all queues to whose slots have stamps. A kind says who may produce and
 * consume, and adds what is its own. That Lincheck finds planted bugs is shown once for each
 * specification: of this one in {@link MpmcQueueLincheckTest}.
 *
 * <p>The relaxed forms are held to {@link BoundedAllows}.
 *
 * <p>The stall limit is a matter of time, of which the model checker knows nothing; it is left to
 * the ordering simulator, whose clock is part of the schedule, and to jcstress.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
abstract class BoundedQueueContract {
  static final Mix OFFERS = Mix.ofAny("offer");
  static final Mix HELD =
      Mix.ofOne("claimLeft", "commitLeft", "abortLeft")
          .and(Mix.ofOne("claimRight", "commitRight", "abortRight"))
          .and(Mix.ofAny("complete"));

  private final Class<?> queue;
  private final Class<? extends QueueOperations> operations;
  private final String aboutRelaxed;

  /** Of a kind of queue. */
  BoundedQueueContract(
      Class<?> queue, Class<? extends QueueOperations> operations, String aboutRelaxed) {
    this.queue = queue;
    this.operations = operations;
    this.aboutRelaxed = aboutRelaxed;
  }

  /** The strict forms. */
  abstract Trial strict();

  /** Polls by whom the kind of queue allows. */
  abstract Mix polls(String... operations);

  /** What the relaxed forms may answer. */
  Class<? extends BoundedAllows> allows() {
    return BoundedAllows.class;
  }

  final Trial trial(Mix mix, String about) {
    return Trial.of(queue, operations, about).mixing(mix).allowedBy(allows());
  }

  /** A bug in the relaxed forms. */
  final Trial planted(Mix mix, String bug) {
    return trial(mix, "planted: " + bug).modelChecking(30, 500);
  }

  /** Offers by whom the kind of queue allows: any, unless it says otherwise. */
  Mix offers(String... operations) {
    return Mix.ofAny(operations);
  }

  /** Claims that are kept from call to call, and the end. */
  Mix held() {
    return HELD;
  }

  private Trial relaxed() {
    return trial(
        offers("offer", "offerUpTo", "offerAborted", "complete")
            .and(polls("poll", "pollRun", "drainOne")),
        aboutRelaxed);
  }

  @Test
  void strict_whenModelChecked_isPlainQueue(TestInfo test) {
    strict().threads(3, 2).against(Fifo.class).modelChecking(8, 300).passes(test);
  }

  @Test
  void relaxed_whenModelChecked_deliversInOrder(TestInfo test) {
    relaxed().threads(3, 2).modelChecking(8, 300).passes(test);
  }

  @Test
  void held_whenModelChecked_endsInAnyOrder(TestInfo test) {
    trial(held().and(polls("poll")), "claims that stay open, end in any order, or are aborted")
        .threads(3, 2)
        .modelChecking(8, 300)
        .passes(test);
  }
}
