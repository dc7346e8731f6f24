package dev.millrace.stress.lincheck;

import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link Sequencer} with a consumer that sees every event is a bounded queue: each published
 * record comes whole, once, in the order of the claims.
 *
 * <p><b>Hazard.</b> Two producers get one slot; a slot is claimed while it is read; the consumer
 * goes past a claim that is open, or does not go past an aborted one; it is told of the end before
 * a claim that came before the completion has ended.
 *
 * <p><b>Known to fail.</b> {@link PublishesFirst}, {@link ReleasesFirst}, {@link TwoConsumers},
 * {@link EndsEarly}, and of one producer {@link SingleReleasesFirst}.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=SequencerLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 *
 * <p>With one producer it is a plain queue. With many it is held to {@link StampedAllows}: none
 * while the oldest claim is open.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SequencerLincheckTest {
  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(Sequencer.class, operations, about).threads(2, 4);
  }

  private static Trial planted(Class<?> operations, String bug) {
    return trial(operations, "planted: " + bug)
        .allowedBy(StampedAllows.class)
        .modelChecking(30, 500);
  }

  @Test
  void single_whenModelChecked_isPlainQueue(TestInfo test) {
    trial(Single.class, "one producer, one consumer: a plain queue of records and runs")
        .allowedBy(SpscAllows.class)
        .modelChecking(12, 300)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void single_whenStressed_isPlainQueue(TestInfo test) {
    trial(Single.class, "one producer, one consumer: a plain queue of records and runs")
        .allowedBy(SpscAllows.OnProcessors.class)
        .stress(6, 1_000)
        .passes(test);
  }

  @Test
  void many_whenModelChecked_deliversInOrder(TestInfo test) {
    trial(Many.class, "many producers: none while the oldest claim is open, no more")
        .threads(3, 2)
        .allowedBy(StampedAllows.class)
        .modelChecking(8, 300)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void many_whenStressed_deliversInOrder(TestInfo test) {
    trial(Many.class, "many producers: none while the oldest claim is open, no more")
        .allowedBy(StampedAllows.OnProcessors.class)
        .stress(6, 1_000)
        .passes(test);
  }

  @Test
  void held_whenModelChecked_endsInAnyOrder(TestInfo test) {
    trial(Held.class, "claims that stay open, end in any order, or are aborted")
        .threads(3, 2)
        .allowedBy(StampedAllows.class)
        .modelChecking(8, 300)
        .passes(test);
  }

  @Test
  void record_whenPublishedFirst_isCaught(TestInfo test) {
    planted(PublishesFirst.class, "publication before the slot is written").isCaught(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    planted(ReleasesFirst.class, "release before the slot is read").isCaught(test);
  }

  @Test
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    planted(TwoConsumers.class, "two consumers at a time in one's place").isCaught(test);
  }

  @Test
  void end_whenToldBeforeOpenClaims_isCaught(TestInfo test) {
    planted(EndsEarly.class, "closed and nothing there is taken for the end").isCaught(test);
  }

  @Test
  void single_whenReleasedFirst_isCaught(TestInfo test) {
    trial(SingleReleasesFirst.class, "planted: release before the slot is read")
        .allowedBy(SpscAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** One producer, which also completes, and one consumer. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Single extends SequencerOperations {
    final SequenceConsumer barrier = newConsumer(sequencer);

    public Single() {
      super(false);
    }

    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "producer")
    public String offerRun(@Param(name = "value") long value) {
      return tryPutRun(value);
    }

    @Operation(nonParallelGroup = "producer")
    public String abort(@Param(name = "value") long value) {
      return tryAbort(value);
    }

    @Operation(nonParallelGroup = "producer")
    public void complete() {
      sequencer.complete();
    }

    @Operation(nonParallelGroup = "consumer")
    public String pollRun(@Param(name = "limit") int limit) {
      return tryTake(barrier, limit);
    }
  }

  /** Many producers and one consumer. */
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Many extends SequencerOperations.ManyProducers {
    private final SequenceConsumer barrier = newConsumer(sequencer);

    @Operation(nonParallelGroup = "consumer")
    public String pollRun(@Param(name = "limit") int limit) {
      return tryTake(barrier, limit);
    }
  }

  /** Two producers that keep claims open from call to call. */
  @Param(name = "value", gen = Rising.class)
  public static class Held extends SequencerOperations {
    private final SequenceConsumer barrier = newConsumer(sequencer);
    private final Producer left = new Producer();
    private final Producer right = new Producer();

    public Held() {
      super(true);
    }

    @Operation(nonParallelGroup = "left")
    public String claimLeft() {
      return left.claim();
    }

    @Operation(nonParallelGroup = "left")
    public String commitLeft(@Param(name = "value") long value) {
      return left.publish(value);
    }

    @Operation(nonParallelGroup = "left")
    public String abortLeft() {
      return left.abort();
    }

    @Operation(nonParallelGroup = "right")
    public String claimRight() {
      return right.claim();
    }

    @Operation(nonParallelGroup = "right")
    public String commitRight(@Param(name = "value") long value) {
      return right.publish(value);
    }

    @Operation(nonParallelGroup = "right")
    public String abortRight() {
      return right.abort();
    }

    @Operation
    public void complete() {
      sequencer.complete();
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake(barrier, 1);
    }
  }

  /** Single records; what the planted bugs change. */
  @Param(name = "value", gen = Rising.class)
  public static class Singles extends SequencerOperations {
    final SequenceConsumer barrier = newConsumer(sequencer);

    public Singles() {
      super(true);
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake(barrier, 1);
    }
  }

  /** Planted: the slot is written after its publication. */
  public static class PublishesFirst extends Singles {
    @Override
    String tryPut(long value) {
      return putPublishedFirst(value);
    }
  }

  /** Planted: the slot is read after its release. */
  public static class ReleasesFirst extends Singles {
    @Override
    String tryTake(SequenceConsumer barrier, int limit) {
      return takeReleasedFirst(barrier);
    }
  }

  /** Planted: a consumer that finds the ring closed, and nothing there, takes it for the end. */
  public static class EndsEarly extends Singles {
    @Operation
    public void complete() {
      sequencer.complete();
    }

    @Override
    String tryTake(SequenceConsumer barrier, int limit) {
      String answer = super.tryTake(barrier, limit);
      boolean ends = answer.equals(Answers.EMPTY) && sequencer.isCompleted();
      return ends ? Answers.CLOSED : answer;
    }
  }

  /** Planted: anyone polls, in the same place. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends SequencerOperations {
    private final SequenceConsumer barrier = newConsumer(sequencer);

    public TwoConsumers() {
      super(true);
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String poll() {
      return tryTake(barrier, 1);
    }
  }

  /** Planted, with one producer: the slot is read after its release. */
  public static class SingleReleasesFirst extends Single {
    @Override
    String tryTake(SequenceConsumer barrier, int limit) {
      return takeReleasedFirst(barrier);
    }
  }
}
