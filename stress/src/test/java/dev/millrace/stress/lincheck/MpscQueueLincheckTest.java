package dev.millrace.stress.lincheck;

import dev.millrace.queues.MpscQueue;
import java.util.concurrent.TimeoutException;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An {@link MpscQueue} delivers every committed record whole, once and in the order of the claims;
 * with its strict poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get one slot; a record is published before it is written, or its
 * slot is given back while it is read; the consumer goes past a claim that is open, or does not go
 * past an aborted one; it is told of the end before a claim that came before the completion has
 * ended.
 *
 * <p><b>Known to fail.</b> {@link CommitsFirst}, {@link ReleasesFirst}, {@link TwoConsumers} and
 * {@link EndsEarly}. And {@link RelaxedForStrict}: what {@code tryPoll} answers is not what a plain
 * queue does.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=MpscQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 *
 * <p>Under the model checker the strict form is linearizable, "full" and "empty" included. On
 * processors it is so but for "full", see {@link StampedAllows.StrictOnProcessors}. The relaxed
 * form is held to {@link StampedAllows}.
 *
 * <p>The stall limit is a matter of time, of which the model checker knows nothing; it is left to
 * the ordering simulator, whose clock is part of the schedule, and to jcstress.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class MpscQueueLincheckTest {
  private static final String STRICT = "with its strict poll it is a plain bounded queue";
  private static final String RELAXED =
      "relaxed poll: none while the oldest claim is open, no more";
  private static final String HELD = "claims that stay open, end in any order, or are aborted";

  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(MpscQueue.class, operations, about).threads(2, 4);
  }

  private static Trial three(Class<?> operations, String about) {
    return Trial.of(MpscQueue.class, operations, about).threads(3, 2);
  }

  @Test
  void strict_whenModelChecked_isPlainQueue(TestInfo test) {
    three(Strict.class, STRICT)
        .against(StampedOperations.Fifo.class)
        .modelChecking(8, 300)
        .passes(test);
  }

  @Test
  void strict_whenStressed_isPlainQueue(TestInfo test) {
    trial(Strict.class, STRICT)
        .allowedBy(StampedAllows.StrictOnProcessors.class)
        .stress(6, 1_000)
        .passes(test);
  }

  @Test
  void relaxed_whenModelChecked_deliversInOrder(TestInfo test) {
    three(Relaxed.class, RELAXED).allowedBy(StampedAllows.class).modelChecking(8, 300).passes(test);
  }

  @Test
  void relaxed_whenStressed_deliversInOrder(TestInfo test) {
    trial(Relaxed.class, RELAXED)
        .allowedBy(StampedAllows.OnProcessors.class)
        .stress(6, 1_000)
        .passes(test);
  }

  @Test
  void held_whenModelChecked_endsInAnyOrder(TestInfo test) {
    three(Held.class, HELD).allowedBy(StampedAllows.class).modelChecking(8, 300).passes(test);
  }

  @Test
  void relaxed_whenTakenForPlainQueue_isCaught(TestInfo test) {
    trial(RelaxedForStrict.class, "planted: the relaxed poll for the strict one")
        .against(StampedOperations.Fifo.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    trial(CommitsFirst.class, "planted: commit before the fields are written")
        .allowedBy(StampedAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    trial(ReleasesFirst.class, "planted: release before the fields are read")
        .allowedBy(StampedAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    trial(TwoConsumers.class, "planted: two consumers at a time")
        .allowedBy(StampedAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void end_whenToldBeforeOpenClaims_isCaught(TestInfo test) {
    trial(EndsEarly.class, "planted: closed and nothing there is taken for the end")
        .allowedBy(StampedAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** On a queue that any thread completes. */
  @Param(name = "value", gen = Rising.class)
  public abstract static class MpscOperations extends StampedOperations {
    MpscOperations() {
      super(MpscQueue.of(OPTIONS, Triple::new));
    }

    @Operation
    public void complete() {
      queue.complete();
    }
  }

  /** The strict poll. A claim of this queue is strict as it is. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends MpscOperations {
    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "consumer", blocking = true)
    public String poll() throws InterruptedException, TimeoutException {
      return take();
    }
  }

  /** Single records and runs, commits and aborts. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends MpscOperations {
    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String offerRun(@Param(name = "value") long value) {
      return tryPutRun(value);
    }

    @Operation
    public String abort(@Param(name = "value") long value) {
      return tryAbort(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake();
    }

    @Operation(nonParallelGroup = "consumer")
    public String pollRun(@Param(name = "limit") int limit) {
      return tryTakeRun(limit);
    }

    @Operation(nonParallelGroup = "consumer")
    public String drainOne() {
      return tryDrainOne();
    }
  }

  /** Two producers that keep claims open from call to call. */
  @Param(name = "value", gen = Rising.class)
  public static class Held extends MpscOperations {
    private final Producer left = new Producer();
    private final Producer right = new Producer();

    @Operation(nonParallelGroup = "left")
    public String claimLeft() {
      return left.claim();
    }

    @Operation(nonParallelGroup = "left")
    public String commitLeft(@Param(name = "value") long value) {
      return left.commit(value);
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
      return right.commit(value);
    }

    @Operation(nonParallelGroup = "right")
    public String abortRight() {
      return right.abort();
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake();
    }
  }

  /** No bug, but another contract: a poll that says "empty" while the oldest claim is open. */
  @Param(name = "value", gen = Rising.class)
  public static class RelaxedForStrict extends StampedOperations {
    public RelaxedForStrict() {
      super(MpscQueue.of(OPTIONS, Triple::new));
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake();
    }
  }

  /** Planted: the record is written after its commit. */
  public static class CommitsFirst extends RelaxedForStrict {
    @Override
    String tryPut(long value) {
      long offset = queue.tryClaim();
      if (offset < 0) {
        return nothing(offset);
      }
      boolean committed = queue.commit(offset);
      on(offset).write(value);
      return end(committed);
    }
  }

  /** Planted: the record is read after its slot was given back. */
  public static class ReleasesFirst extends RelaxedForStrict {
    @Override
    String tryTake() {
      long offset = queue.tryPoll();
      if (offset < 0) {
        return nothing(offset);
      }
      queue.release(offset);
      return on(offset).read();
    }
  }

  /** Planted: anyone polls. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends MpscOperations {
    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String poll() {
      return tryTake();
    }
  }

  /** Planted: a consumer that finds the queue closed, and nothing there, takes it for drained. */
  @Param(name = "value", gen = Rising.class)
  public static class EndsEarly extends MpscOperations {
    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      String answer = tryTake();
      return answer.equals(EMPTY) && queue.isClosed() ? CLOSED : answer;
    }
  }
}
