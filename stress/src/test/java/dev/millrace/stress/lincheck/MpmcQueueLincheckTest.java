package dev.millrace.stress.lincheck;

import dev.millrace.core.Consumer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpmcProducer;
import dev.millrace.queues.MpmcQueue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * The ends of an {@link MpmcQueue} deliver every committed record whole, to one consumer, in the
 * order of the claims; with its strict claim and poll it is a plain bounded queue.
 *
 * <p><b>Hazard.</b> Two producers get one slot, or two consumers one record; a record is published
 * before it is written, or its slot is given back while it is read; a consumer goes past a claim
 * that is open, or does not go past an aborted one; it is told of the end before a claim that came
 * before the completion has ended.
 *
 * <p><b>Known to fail.</b> {@link CommitsFirst}, {@link ReleasesFirst}, {@link OneEndForTwo} and
 * {@link EndsEarly}. And {@link RelaxedPoll} and {@link RelaxedClaim}: what {@code tryPoll} and
 * {@code tryClaim} answer is not what a plain queue does.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=MpmcQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
public class MpmcQueueLincheckTest extends StampedQueueContract {
  MpmcQueueLincheckTest() {
    super(MpmcQueue.class);
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
    strict().against(Answers.Fifo.class).stress(6, 1_000).passes(test);
  }

  @Test
  void polls_whenModelChecked_shareOut(TestInfo test) {
    trial(Plain.class, "two consumers: none is told empty while records are there")
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
  void poll_whenTwoShareAnEnd_isCaught(TestInfo test) {
    planted(OneEndForTwo.class, "two threads share a consumer").isCaught(test);
  }

  private static AnyQueue<Triple> newQueue() {
    return new AnyQueue<>(MpmcQueue.of(FlyweightType.of(Triple::new), Answers.OPTIONS));
  }

  private static String strictPut(QueueOperations on, long value) throws InterruptedException {
    MpmcProducer<Triple> producer = (MpmcProducer<Triple>) on.producer();
    return QueueOperations.put(producer, producer.strictClaim(), value);
  }

  private static String strictTake(QueueOperations on) throws InterruptedException {
    MpmcConsumer<Triple> consumer = (MpmcConsumer<Triple>) on.consumer();
    Triple polled = consumer.strictPoll();
    return polled == null ? Answers.EMPTY : on.taken(consumer, polled);
  }

  /** The strict claim and the strict poll. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends QueueOperations.Completed {
    public Strict() {
      super(newQueue());
    }

    @Operation(blocking = true)
    public String offer(@Param(name = "value") long value) throws InterruptedException {
      try {
        return strictPut(this, value);
      } catch (IllegalStateException e) {
        return Answers.CLOSED;
      }
    }

    @Operation(blocking = true)
    public String poll() throws InterruptedException {
      return strictTake(this);
    }
  }

  /** Single records, commits and aborts, polled one by one and in runs. */
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends QueueOperations.Relaxed {
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
  public static class Held extends QueueOperations.Held {
    public Held() {
      super(newQueue());
    }

    @Operation
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

    @Operation
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

  /** No bug, but another contract: a poll that says "empty" while the oldest claim is open. */
  @Param(name = "value", gen = Rising.class)
  public static class RelaxedPoll extends QueueOperations {
    public RelaxedPoll() {
      super(newQueue());
    }

    @Operation(blocking = true)
    public String offer(@Param(name = "value") long value) throws InterruptedException {
      try {
        return strictPut(this, value);
      } catch (IllegalStateException e) {
        return Answers.CLOSED;
      }
    }

    @Operation
    public String poll() {
      return tryTake();
    }

    @Override
    String nothing(Consumer<Triple> consumer) {
      return Answers.EMPTY; // as a plain queue says at its end too
    }
  }

  /** The same: a claim that says "full" while the oldest slot is in the hands of a consumer. */
  @Param(name = "value", gen = Rising.class)
  public static class RelaxedClaim extends QueueOperations {
    public RelaxedClaim() {
      super(newQueue());
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(blocking = true)
    public String poll() throws InterruptedException {
      return strictTake(this);
    }
  }

  /** Planted: two threads poll by the same end. */
  @Param(name = "value", gen = Rising.class)
  public static final class OneEndForTwo extends Plain {
    private final Consumer<Triple> shared = consumer();

    @Override
    String tryTake() {
      return taken(shared, shared.tryPoll());
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
