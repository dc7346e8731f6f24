package dev.millrace.stress.lincheck;

import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import java.util.concurrent.TimeoutException;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

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
 * processors it is so but for "full", see {@link StampedAllows.StrictOnProcessors}.
 */
public class MpscQueueLincheckTest extends StampedQueueContract {
  MpscQueueLincheckTest() {
    super(MpscQueue.class);
  }

  private static OffHeapQueue<Triple> newQueue() {
    return MpscQueue.of(StampedOperations.OPTIONS, Triple::new);
  }

  @Override
  Trial strict() {
    return trial(Strict.class, "with its strict poll it is a plain bounded queue");
  }

  @Override
  Trial relaxed() {
    return trial(Relaxed.class, "relaxed poll: none while the oldest claim is open, no more");
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
    strict().allowedBy(StampedAllows.StrictOnProcessors.class).stress(6, 1_000).passes(test);
  }

  @Test
  void relaxed_whenTakenForPlainQueue_isCaught(TestInfo test) {
    relaxedForStrict(RelaxedForStrict.class, "the relaxed poll for the strict one").isCaught(test);
  }

  @Test
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    planted(TwoConsumers.class, "two consumers at a time").isCaught(test);
  }

  /** The strict poll. A claim of this queue is strict as it is. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends StampedProducers.Completed {
    public Strict() {
      super(newQueue());
    }

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
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends StampedProducers.Relaxed {
    public Relaxed() {
      super(newQueue());
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
  public static class Held extends StampedProducers.Held {
    public Held() {
      super(newQueue());
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
      super(newQueue());
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
      return putCommittedFirst(value);
    }
  }

  /** Planted: the record is read after its slot was given back. */
  public static class ReleasesFirst extends RelaxedForStrict {
    @Override
    String tryTake() {
      return takeReleasedFirst();
    }
  }

  /** Planted: anyone polls. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends StampedProducers.Completed {
    public TwoConsumers() {
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

  /** Planted: a consumer that finds the queue closed, and nothing there, takes it for drained. */
  public static class EndsEarly extends RelaxedForStrict {
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
