package dev.millrace.stress.lincheck;

import dev.millrace.queues.SpscQueue;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An {@link SpscQueue} delivers every committed record whole, once and in order.
 *
 * <p><b>Hazard.</b> A record is published before it is written, or its slot is given back while it
 * is read; a position wraps onto a slot in use; a run and a single record, which are published in
 * different ways, overtake each other; a completion hides a record before it.
 *
 * <p><b>Known to fail.</b> {@link CommitsFirst}, {@link ReleasesFirst} and {@link TwoConsumers}.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=SpscQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 *
 * <p>Under the model checker the queue is linearizable, "full" and "empty" included. On processors
 * it is so but for these two answers, see {@link SpscAllows.OnProcessors}.
 *
 * <p>Whoever completes is the producer here, for the contract says what a completion is worth only
 * if it comes after the producer's last call.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SpscQueueLincheckTest {
  private static final String SINGLES = "single records arrive whole, in order, once";
  private static final String RUNS = "runs and single records in one queue";
  private static final String END = "every record before the completion is delivered, then the end";

  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(SpscQueue.class, operations, about).threads(2, 4);
  }

  @Test
  void records_whenModelChecked_arriveInOrder(TestInfo test) {
    trial(Singles.class, SINGLES).against(InOrder.class).modelChecking(30, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void records_whenStressed_arriveInOrder(TestInfo test) {
    trial(Singles.class, SINGLES)
        .allowedBy(SpscAllows.OnProcessors.class)
        .stress(40, 1_000)
        .passes(test);
  }

  @Test
  void runs_whenModelChecked_arriveInOrder(TestInfo test) {
    trial(Runs.class, RUNS).allowedBy(SpscAllows.class).modelChecking(30, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void runs_whenStressed_arriveInOrder(TestInfo test) {
    trial(Runs.class, RUNS).allowedBy(SpscAllows.OnProcessors.class).stress(40, 1_000).passes(test);
  }

  @Test
  void complete_whenModelChecked_losesNothing(TestInfo test) {
    trial(Ending.class, END).against(InOrder.class).modelChecking(30, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void complete_whenStressed_losesNothing(TestInfo test) {
    trial(Ending.class, END)
        .allowedBy(SpscAllows.OnProcessors.class)
        .stress(40, 1_000)
        .passes(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    trial(CommitsFirst.class, "planted: commit before the fields are written")
        .against(InOrder.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    trial(ReleasesFirst.class, "planted: release before the fields are read")
        .against(InOrder.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    trial(TwoConsumers.class, "planted: two consumers at a time")
        .against(InOrder.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** Single records. */
  @Param(name = "value", gen = Rising.class)
  public static class Singles extends SpscOperations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation(nonParallelGroup = "producer")
    public String abort(@Param(name = "value") long value) {
      return tryAbort(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryPoll();
    }
  }

  /** Runs of records and single ones, which are published in different ways. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Runs extends SpscOperations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation(nonParallelGroup = "producer")
    public String offerRun(@Param(name = "value") long value) {
      return tryOfferRun(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryPoll();
    }

    @Operation(nonParallelGroup = "consumer")
    public String pollRun(@Param(name = "limit") int limit) {
      return tryPollRun(limit);
    }

    @Operation(nonParallelGroup = "consumer")
    public String drain(@Param(name = "limit") int limit) {
      return tryDrain(limit);
    }
  }

  /** Single records and the end, which the producer declares. */
  @Param(name = "value", gen = Rising.class)
  public static class Ending extends SpscOperations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation(nonParallelGroup = "producer")
    public void complete() {
      queue.complete();
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryPoll();
    }

    @Operation(nonParallelGroup = "consumer")
    public String drainOne() {
      return tryDrain(1);
    }
  }

  /** Planted: the record is written after its commit. */
  public static class CommitsFirst extends Singles {
    @Override
    String tryOffer(long value) {
      if (!queue.tryClaim(claimed)) {
        return FULL;
      }
      queue.commit(claimed);
      claimed.write(value);
      return DONE;
    }
  }

  /** Planted: the record is read after its slot was given back. */
  public static class ReleasesFirst extends Singles {
    @Override
    String tryPoll() {
      if (!queue.tryPoll(polled)) {
        return EMPTY;
      }
      queue.release(polled);
      return polled.read();
    }
  }

  /** Planted: anyone polls. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends SpscOperations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation
    public String poll() {
      return tryPoll();
    }
  }

  /** The specification of single records and of the end. */
  public static class InOrder {
    private final Queue<Long> records = new ArrayDeque<>();
    private boolean closed;

    public String offer(long value) {
      String answer = abort(value);
      if (answer.equals(SpscOperations.DONE)) {
        records.add(value);
      }
      return answer;
    }

    public String abort(@SuppressWarnings("unused") long value) {
      if (closed) {
        return SpscOperations.CLOSED;
      }
      return records.size() == SpscOperations.CAPACITY ? SpscOperations.FULL : SpscOperations.DONE;
    }

    public String poll() {
      if (records.isEmpty()) {
        return closed ? SpscOperations.CLOSED : SpscOperations.EMPTY;
      }
      return Long.toString(records.remove());
    }

    public String drainOne() {
      return poll();
    }

    public void complete() {
      closed = true;
    }
  }
}
