package dev.millrace.stress.lincheck;

import dev.millrace.core.Consumer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscQueue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * The ends of an {@link MpscQueue} deliver every committed record whole, once and in the order of
 * the claims; with its strict poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get one slot; a record is published before it is written, or its
 * slot is given back while it is read; the consumer goes past a claim that is open, or does not go
 * past an aborted one; it is told of the end before a claim that came before the completion has
 * ended.
 *
 * <p><b>Known to fail.</b> {@link CommitsFirst}, {@link ReleasesFirst}, {@link TwoConsumers} and
 * {@link EndsEarly}.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=MpscQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
public class MpscQueueLincheckTest extends StampedQueueContract {
  MpscQueueLincheckTest() {
    super(MpscQueue.class);
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
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    planted(TwoConsumers.class, "two consumers at a time").isCaught(test);
  }

  private static AnyQueue<Triple> newQueue() {
    return new AnyQueue<>(MpscQueue.of(FlyweightType.of(Triple::new), Answers.OPTIONS));
  }

  /** The strict poll. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends QueueOperations.Completed {
    public Strict() {
      super(newQueue());
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "consumer", blocking = true)
    public String poll() throws InterruptedException {
      MpscConsumer<Triple> consumer = (MpscConsumer<Triple>) consumer();
      Triple polled = consumer.strictPoll();
      return polled == null ? Answers.EMPTY : taken(consumer, polled);
    }
  }

  /** Single records, commits and aborts, polled one by one and in runs. */
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends QueueOperations.Relaxed {
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
  public static class Held extends QueueOperations.Held {
    public Held() {
      super(newQueue());
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake();
    }
  }

  /** Offers and relaxed polls, for bugs to be planted in. */
  @Param(name = "value", gen = Rising.class)
  public static class Plain extends QueueOperations {
    public Plain() {
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

  /** Planted: the record is published, and then written. */
  public static class CommitsFirst extends Plain {
    @Override
    String tryPut(long value) {
      return putCommittedFirst(value);
    }
  }

  /** Planted: the record is read after its slot was given back. */
  public static class ReleasesFirst extends Plain {
    @Override
    String tryTake() {
      return takeReleasedFirst();
    }
  }

  /** Planted: anyone polls. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends QueueOperations {
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

  /**
   * Planted: a consumer that finds the queue completed, and nothing there, takes it for drained.
   */
  public static class EndsEarly extends Plain {
    @Operation
    public void complete() {
      completeQueue();
    }

    @Override
    String nothing(Consumer<Triple> consumer) {
      return endedEarly();
    }
  }
}
