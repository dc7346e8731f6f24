package dev.millrace.stress.lincheck;

import dev.millrace.queues.MpmcQueue;
import java.util.concurrent.TimeoutException;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * An {@link MpmcQueue} delivers every committed record whole, to one consumer, in the order of the
 * claims; with its strict claim and poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get one slot, or two consumers one record; a record is published
 * before it is written, or its slot is given back while it is read; a consumer goes past a claim
 * that is open, or does not go past an aborted one; it is told of the end before a claim that came
 * before the completion has ended.
 *
 * <p><b>Known to fail.</b> {@link CommitsFirst}, {@link ReleasesFirst}, {@link LooksThenTakes} and
 * {@link EndsEarly}. And {@link RelaxedPoll} and {@link RelaxedClaim}: what {@code tryPoll} and
 * {@code tryClaim} answer is not what a plain queue does.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=MpmcQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 *
 * <p>The strict forms are linearizable, "full" and "empty" included, under the model checker and on
 * processors; there a record counts until it is taken, be it released or not. The relaxed forms are
 * held to {@link StampedAllows}.
 *
 * <p>The stall limit is left out, as in {@link MpscQueueLincheckTest}.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class MpmcQueueLincheckTest {
  private static final String STRICT = "with its strict claim and poll it is a plain bounded queue";
  private static final String RELAXED =
      "relaxed: none while the oldest claim is open, full while the oldest slot is in use";
  private static final String SHARED = "two consumers: none is told empty while records are there";
  private static final String HELD = "claims that stay open, end in any order, or are aborted";

  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(MpmcQueue.class, operations, about).threads(2, 4);
  }

  private static Trial three(Class<?> operations, String about) {
    return Trial.of(MpmcQueue.class, operations, about).threads(3, 2);
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
    trial(Strict.class, STRICT).against(StampedOperations.Fifo.class).stress(6, 1_000).passes(test);
  }

  @Test
  void relaxed_whenModelChecked_deliversInOrder(TestInfo test) {
    three(Relaxed.class, RELAXED).allowedBy(StampedAllows.class).modelChecking(8, 300).passes(test);
  }

  @Test
  void polls_whenModelChecked_shareOut(TestInfo test) {
    trial(Singles.class, SHARED).allowedBy(StampedAllows.class).modelChecking(8, 300).passes(test);
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
  void poll_whenRelaxedIsTakenForStrict_isCaught(TestInfo test) {
    trial(RelaxedPoll.class, "planted: the relaxed poll for the strict one")
        .against(StampedOperations.Fifo.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void claim_whenRelaxedIsTakenForStrict_isCaught(TestInfo test) {
    trial(RelaxedClaim.class, "planted: the relaxed claim for the strict one")
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
  void poll_whenLookedAtBefore_isCaught(TestInfo test) {
    trial(LooksThenTakes.class, "planted: look at the oldest record, then take the oldest")
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
  public abstract static class MpmcOperations extends StampedOperations {
    MpmcOperations() {
      super(MpmcQueue.of(OPTIONS, Triple::new));
    }

    @Operation
    public void complete() {
      queue.complete();
    }
  }

  /** The strict claim and the strict poll. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends MpmcOperations {
    @Operation(blocking = true)
    public String offer(@Param(name = "value") long value)
        throws InterruptedException, TimeoutException {
      return put(value);
    }

    @Operation(blocking = true)
    public String poll() throws InterruptedException, TimeoutException {
      return take();
    }
  }

  /** Single records and runs, commits and aborts. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends MpmcOperations {
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

    @Operation
    public String poll() {
      return tryTake();
    }

    @Operation
    public String pollRun(@Param(name = "limit") int limit) {
      return tryTakeRun(limit);
    }

    @Operation
    public String drainOne() {
      return tryDrainOne();
    }
  }

  /** Two producers that keep claims open from call to call. */
  @Param(name = "value", gen = Rising.class)
  public static class Held extends MpmcOperations {
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

    @Operation
    public String poll() {
      return tryTake();
    }
  }

  /** No bug, but another contract: a poll that says "empty" while the oldest claim is open. */
  @Param(name = "value", gen = Rising.class)
  public static class RelaxedPoll extends StampedOperations {
    public RelaxedPoll() {
      super(MpmcQueue.of(OPTIONS, Triple::new));
    }

    @Operation(blocking = true)
    public String offer(@Param(name = "value") long value)
        throws InterruptedException, TimeoutException {
      return put(value);
    }

    @Operation
    public String poll() {
      return tryTake();
    }
  }

  /** The same: a claim that says "full" while the oldest slot is in the hands of a consumer. */
  @Param(name = "value", gen = Rising.class)
  public static class RelaxedClaim extends StampedOperations {
    public RelaxedClaim() {
      super(MpmcQueue.of(OPTIONS, Triple::new));
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(blocking = true)
    public String poll() throws InterruptedException, TimeoutException {
      return take();
    }
  }

  /** Single records; what the planted bugs change. */
  @Param(name = "value", gen = Rising.class)
  public static class Singles extends StampedOperations {
    public Singles() {
      super(MpmcQueue.of(OPTIONS, Triple::new));
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
  public static class ReleasesFirst extends Singles {
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

  /** Planted: a consumer reads the oldest record where it is, and then takes what is the oldest. */
  public static class LooksThenTakes extends Singles {
    @Override
    String tryTake() {
      StringBuilder oldest = new StringBuilder();
      int shown = queue.snapshot(record -> oldest.append(oldest.isEmpty() ? record.read() : ""));
      String answer = super.tryTake();
      return shown > 0 && !answer.equals(EMPTY) && !answer.equals(CLOSED)
          ? oldest.toString()
          : answer;
    }
  }

  /** Planted: a consumer that finds the queue closed, and nothing there, takes it for drained. */
  public static class EndsEarly extends Singles {
    @Operation
    public void complete() {
      queue.complete();
    }

    @Override
    String tryTake() {
      String answer = super.tryTake();
      return answer.equals(EMPTY) && queue.isClosed() ? CLOSED : answer;
    }
  }
}
