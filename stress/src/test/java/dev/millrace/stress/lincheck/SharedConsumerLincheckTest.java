package dev.millrace.stress.lincheck;

import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Workers that share the events of a {@link Sequencer}, {@code newSharedConsumers}: each record
 * goes to one of them, whole, in the order of the claims.
 *
 * <p><b>Hazard.</b> Two workers get one record, or none of them does; a slot is claimed while a
 * worker has it in hand, because another one that is through with a later one is taken for all; a
 * worker is told that there is none though there is.
 *
 * <p><b>Known to fail.</b> {@link ReleasesFirst} and {@link SeeEverything}.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=SharedConsumerLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SharedConsumerLincheckTest {
  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(SequenceConsumer.class, operations, about).threads(2, 4);
  }

  private static Trial planted(Class<?> operations, String bug) {
    return trial(operations, "planted: " + bug)
        .allowedBy(SharedAllows.class)
        .modelChecking(30, 500);
  }

  @Test
  void many_whenModelChecked_sharesOut(TestInfo test) {
    trial(Many.class, "many producers, two workers: each record to one of them, in order")
        .threads(3, 2)
        .allowedBy(SharedAllows.class)
        .modelChecking(8, 300)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void many_whenStressed_sharesOut(TestInfo test) {
    trial(Many.class, "many producers, two workers: each record to one of them, in order")
        .allowedBy(SharedAllows.OnProcessors.class)
        .stress(6, 1_000)
        .passes(test);
  }

  @Test
  void single_whenModelChecked_sharesOut(TestInfo test) {
    trial(Single.class, "one producer, two workers: each record to one of them, in order")
        .threads(3, 2)
        .allowedBy(SharedAllows.class)
        .modelChecking(12, 300)
        .passes(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    planted(ReleasesFirst.class, "release before the slot is read").isCaught(test);
  }

  @Test
  void poll_whenEachSeesAll_isCaught(TestInfo test) {
    planted(SeeEverything.class, "consumers that see every event are taken for workers")
        .isCaught(test);
  }

  /** Many producers, two workers. */
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Many extends SequencerOperations.ManyProducers {
    private final List<SequenceConsumer> workers = newWorkers(sequencer);

    @Operation(nonParallelGroup = "left worker")
    public String pollRunLeft(@Param(name = "limit") int limit) {
      return tryTake(workers.get(0), limit);
    }

    @Operation(nonParallelGroup = "right worker")
    public String pollRunRight(@Param(name = "limit") int limit) {
      return tryTake(workers.get(1), limit);
    }
  }

  /** One producer, two workers. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Single extends SequencerOperations {
    private final List<SequenceConsumer> workers = newWorkers(sequencer);

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
    public void complete() {
      sequencer.complete();
    }

    @Operation(nonParallelGroup = "left worker")
    public String pollRunLeft(@Param(name = "limit") int limit) {
      return tryTake(workers.get(0), limit);
    }

    @Operation(nonParallelGroup = "right worker")
    public String pollRunRight(@Param(name = "limit") int limit) {
      return tryTake(workers.get(1), limit);
    }
  }

  /** Planted: the slot is read after its release. */
  public static class ReleasesFirst extends Single {
    @Override
    String tryTake(SequenceConsumer barrier, int limit) {
      return takeReleasedFirst(barrier);
    }
  }

  /** Planted: two consumers that see every event are taken for workers that share them. */
  @Param(name = "value", gen = Rising.class)
  public static class SeeEverything extends SequencerOperations {
    private final SequenceConsumer left = newConsumer(sequencer);
    private final SequenceConsumer right = newConsumer(sequencer);

    public SeeEverything() {
      super(true);
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "left worker")
    public String pollLeft() {
      return tryTake(left, 1);
    }

    @Operation(nonParallelGroup = "right worker")
    public String pollRight() {
      return tryTake(right, 1);
    }
  }
}
