package dev.millrace.stress.lincheck;

import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.OffHeapQueue;
import java.util.concurrent.TimeoutException;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

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
 * processors; there a record counts until it is taken, be it released or not.
 */
public class MpmcQueueLincheckTest extends StampedQueueContract {
  MpmcQueueLincheckTest() {
    super(MpmcQueue.class);
  }

  private static OffHeapQueue<Triple> newQueue() {
    return MpmcQueue.of(StampedOperations.OPTIONS, Triple::new);
  }

  @Override
  Trial strict() {
    return trial(Strict.class, "with its strict claim and poll it is a plain bounded queue");
  }

  @Override
  Trial relaxed() {
    return trial(
        Relaxed.class,
        "relaxed: none while the oldest claim is open, full while the oldest slot is in use");
  }

  @Override
  Class<?> held() {
    return Held.class;
  }

  @Override
  Class<?> commitsFirst() {
    return CommitsFirst.class;
  }

  @Override
  Class<?> releasesFirst() {
    return ReleasesFirst.class;
  }

  @Override
  Class<?> endsEarly() {
    return EndsEarly.class;
  }

  @Test
  @Tag(Trial.STRESS)
  void strict_whenStressed_isPlainQueue(TestInfo test) {
    strict().against(StampedOperations.Fifo.class).stress(6, 1_000).passes(test);
  }

  @Test
  void polls_whenModelChecked_shareOut(TestInfo test) {
    trial(Singles.class, "two consumers: none is told empty while records are there")
        .allowedBy(StampedAllows.class)
        .modelChecking(8, 300)
        .passes(test);
  }

  @Test
  void poll_whenRelaxedIsTakenForStrict_isCaught(TestInfo test) {
    relaxedForStrict(RelaxedPoll.class, "the relaxed poll for the strict one").isCaught(test);
  }

  @Test
  void claim_whenRelaxedIsTakenForStrict_isCaught(TestInfo test) {
    relaxedForStrict(RelaxedClaim.class, "the relaxed claim for the strict one").isCaught(test);
  }

  @Test
  void poll_whenLookedAtBefore_isCaught(TestInfo test) {
    planted(LooksThenTakes.class, "look at the oldest record, then take the oldest").isCaught(test);
  }

  /** The strict claim and the strict poll. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends StampedProducers.Completed {
    public Strict() {
      super(newQueue());
    }

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
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends StampedProducers.Relaxed {
    public Relaxed() {
      super(newQueue());
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
  public static class Held extends StampedProducers.Held {
    public Held() {
      super(newQueue());
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
      super(newQueue());
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
      super(newQueue());
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
      super(newQueue());
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

  /** Planted: the record is read after its slot was given back. */
  public static class ReleasesFirst extends Singles {
    @Override
    String tryTake() {
      return takeReleasedFirst();
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
      return endedEarly(super.tryTake());
    }
  }
}
