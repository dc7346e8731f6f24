package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.StampedOperations.CLOSED;
import static dev.millrace.stress.lincheck.StampedOperations.DONE;
import static dev.millrace.stress.lincheck.StampedOperations.EMPTY;
import static dev.millrace.stress.lincheck.StampedOperations.FULL;
import static dev.millrace.stress.lincheck.StampedOperations.NONE_OPEN;
import static dev.millrace.stress.lincheck.StampedOperations.ONE_OPEN;

import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.ends.MpscConsumer;
import dev.millrace.queues.ends.MpscQueue;
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
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=MpscEndsLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
public class MpscEndsLincheckTest extends StampedQueueContract {
  MpscEndsLincheckTest() {
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

  /** The operations, each from claim to commit or from poll to release. */
  abstract static class Operations {
    private final MpscQueue<Triple> queue =
        MpscQueue.of(FlyweightType.of(Triple::new), StampedOperations.OPTIONS);
    final MpscConsumer<Triple> consumer = queue.consumer();

    @Operation
    public void complete() {
      queue.complete();
    }

    /** Any thread may be a producer, by an end of its own. */
    final Producer<Triple> producer() {
      return queue.newProducer();
    }

    final boolean isCompleted() {
      return queue.isCompleted();
    }

    String tryPut(long value) {
      return tryPut(producer(), value);
    }

    private static String tryPut(Producer<Triple> producer, long value) {
      try {
        Triple claimed = producer.tryClaim();
        if (claimed == null) {
          return FULL;
        }
        claimed.write(value);
      } catch (IllegalStateException e) {
        return CLOSED;
      }
      producer.commit();
      return DONE;
    }

    String tryAbort() {
      Producer<Triple> producer = producer();
      try {
        if (producer.tryClaim() == null) {
          return FULL;
        }
      } catch (IllegalStateException e) {
        return CLOSED;
      }
      producer.abort();
      return DONE;
    }

    String tryTake() {
      Triple polled = consumer.tryPoll();
      return polled == null ? nothing() : taken(polled);
    }

    /** What is told where there is none: the end only if it is certain. */
    String nothing() {
      return queue.isDrained() ? CLOSED : EMPTY;
    }

    private String taken(Triple polled) {
      String record = polled.read();
      consumer.release();
      return record;
    }

    String take() throws InterruptedException {
      Triple polled = consumer.strictPoll();
      return polled == null ? EMPTY : taken(polled);
    }

    String tryTakeRun(int limit) {
      int count = consumer.tryPoll(limit);
      if (count == 0) {
        return nothing();
      }
      StringBuilder records = new StringBuilder(consumer.at(0).read());
      for (int i = 1; i < count; i++) {
        records.append(' ').append(consumer.at(i).read());
      }
      consumer.release();
      return records.toString();
    }

    String tryDrainOne() {
      StringBuilder records = new StringBuilder();
      int count = consumer.drain(record -> records.append(record.read()), 1);
      return count == 0 ? nothing() : records.toString();
    }
  }

  /** The strict poll. */
  @Param(name = "value", gen = Rising.class)
  public static class Strict extends Operations {
    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation(nonParallelGroup = "consumer", blocking = true)
    public String poll() throws InterruptedException {
      return take();
    }
  }

  /** Single records, commits and aborts, polled one by one and in runs. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Relaxed extends Operations {
    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String abort() {
      return tryAbort();
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
  public static class Held extends Operations {
    private final Producer<Triple> left = producer();
    private final Producer<Triple> right = producer();
    private final boolean[] open = new boolean[2];

    @Operation(nonParallelGroup = "left")
    public String claimLeft() {
      return claim(left, 0);
    }

    @Operation(nonParallelGroup = "left")
    public String commitLeft(@Param(name = "value") long value) {
      return commit(left, 0, value);
    }

    @Operation(nonParallelGroup = "left")
    public String abortLeft() {
      return abort(left, 0);
    }

    @Operation(nonParallelGroup = "right")
    public String claimRight() {
      return claim(right, 1);
    }

    @Operation(nonParallelGroup = "right")
    public String commitRight(@Param(name = "value") long value) {
      return commit(right, 1, value);
    }

    @Operation(nonParallelGroup = "right")
    public String abortRight() {
      return abort(right, 1);
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryTake();
    }

    private String claim(Producer<Triple> producer, int side) {
      if (open[side]) {
        return ONE_OPEN;
      }
      try {
        open[side] = producer.tryClaim() != null;
      } catch (IllegalStateException e) {
        return CLOSED;
      }
      return open[side] ? DONE : FULL;
    }

    private String commit(Producer<Triple> producer, int side, long value) {
      if (!open[side]) {
        return NONE_OPEN;
      }
      producer.at(0).write(value);
      producer.commit();
      open[side] = false;
      return DONE;
    }

    private String abort(Producer<Triple> producer, int side) {
      if (!open[side]) {
        return NONE_OPEN;
      }
      producer.abort();
      open[side] = false;
      return DONE;
    }
  }

  /** Offers and relaxed polls, for bugs to be planted in. */
  @Param(name = "value", gen = Rising.class)
  public static class Plain extends Operations {
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
      Producer<Triple> producer = producer();
      Triple claimed;
      try {
        claimed = producer.tryClaim();
      } catch (IllegalStateException e) {
        return CLOSED;
      }
      if (claimed == null) {
        return FULL;
      }
      long offset = claimed.offset();
      producer.commit();
      claimed.moveTo(offset);
      claimed.write(value);
      return DONE;
    }
  }

  /** Planted: the record is read after its slot was given back. */
  public static class ReleasesFirst extends Plain {
    @Override
    String tryTake() {
      Triple polled = consumer.tryPoll();
      if (polled == null) {
        return nothing();
      }
      long offset = polled.offset();
      consumer.release();
      polled.moveTo(offset);
      return polled.read();
    }
  }

  /** Planted: anyone polls. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends Operations {
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
    @Override
    String nothing() {
      return isCompleted() ? CLOSED : EMPTY;
    }
  }
}
