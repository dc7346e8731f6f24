package dev.millrace.stress.lincheck;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The ends of an {@link SpscQueue} deliver every committed record whole, once and in order.
 *
 * <p><b>Hazard.</b> A record is published before it is written, or its slot is given back while it
 * is read; a position wraps onto a slot in use; a run reaches past the ring's end.
 *
 * <p><b>Known to fail.</b> {@link QueueOperations#offerCommittedFirst} and {@link
 * QueueOperations#pollEndingEarly}. Reading after the release throws.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all SpscQueueLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SpscQueueLincheckTest {
  private static final Mix POLLS = Mix.ofOne("poll");
  private static final Mix SINGLES = Mix.ofOne("offer", "offerAborted").and(POLLS);
  private static final Mix RUNS =
      Mix.ofOne("offer", "offerUpTo").and(Mix.ofOne("poll", "pollRun", "drain"));
  private static final Mix ENDING = Mix.ofOne("offer", "complete").and(POLLS);

  private static Trial trial(Mix mix, String about) {
    return Trial.of(SpscQueue.class, Operations.class, about)
        .mixing(mix)
        .allowedBy(BoundedAllows.OneToOne.class);
  }

  private static Trial planted(Mix mix, String bug) {
    return trial(mix, "planted: " + bug).modelChecking(30, 500);
  }

  private static Trial singles() {
    return trial(SINGLES, "single records arrive whole, in order, once");
  }

  private static Trial runs() {
    return trial(RUNS, "runs and single records in one queue");
  }

  private static Trial ending() {
    return trial(ENDING, "every record before the completion is delivered, then the end");
  }

  @Test
  void records_whenModelChecked_arriveInOrder(TestInfo test) {
    singles().modelChecking(30, 500).passes(test);
  }

  @Test
  void runs_whenModelChecked_arriveInOrder(TestInfo test) {
    runs().modelChecking(30, 500).passes(test);
  }

  @Test
  void close_whenModelChecked_losesNothing(TestInfo test) {
    ending().modelChecking(30, 500).passes(test);
  }

  @Test
  void end_whenToldOfTheCompletionAlone_isCaught(TestInfo test) {
    planted(
            Mix.ofOne("offer", "complete").and(Mix.ofOne("pollEndingEarly")),
            "completed and nothing there is taken for the end")
        .isCaught(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    planted(
            Mix.ofOne("offerCommittedFirst", "offerAborted").and(POLLS),
            "commit before the last field is written")
        .isCaught(test);
  }

  /** On a queue of one producer and one consumer. */
  public static class Operations extends QueueOperations.OfQueue {
    public Operations() {
      super(new AnyQueue<>(SpscQueue.of(Numbered.TYPE, QueueOptions.ofCapacity(CAPACITY))));
    }
  }
}
