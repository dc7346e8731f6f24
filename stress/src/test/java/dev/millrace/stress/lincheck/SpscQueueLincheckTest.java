package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.Answers.CAPACITY;
import static dev.millrace.stress.lincheck.Answers.CLOSED;
import static dev.millrace.stress.lincheck.Answers.DONE;
import static dev.millrace.stress.lincheck.Answers.EMPTY;
import static dev.millrace.stress.lincheck.Answers.FULL;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscConsumer;
import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The ends of an {@link SpscQueue} deliver every committed record whole, once and in order.
 *
 * <p><b>Hazard.</b> A record is published before it is written, or its slot is given back while it
 * is read; a position wraps onto a slot in use; a run reaches past the ring's end.
 *
 * <p><b>Known to fail.</b> {@link CommitsFirst} and {@link TwoConsumers}. Reading after the release
 * throws.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=SpscQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
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
    trial(Singles.class, SINGLES).allowedBy(SpscAllows.class).modelChecking(30, 500).passes(test);
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
  void close_whenModelChecked_losesNothing(TestInfo test) {
    trial(Ending.class, END).allowedBy(SpscAllows.class).modelChecking(30, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void close_whenStressed_losesNothing(TestInfo test) {
    trial(Ending.class, END)
        .allowedBy(SpscAllows.OnProcessors.class)
        .stress(40, 1_000)
        .passes(test);
  }

  @Test
  void end_whenToldOfTheCompletionAlone_isCaught(TestInfo test) {
    trial(EndsEarly.class, "planted: completed and nothing there is taken for the end")
        .allowedBy(SpscAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void record_whenCommittedFirst_isCaught(TestInfo test) {
    trial(CommitsFirst.class, "planted: commit before the last field is written")
        .allowedBy(SpscAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void poll_whenTwoConsume_isCaught(TestInfo test) {
    trial(TwoConsumers.class, "planted: two consumers at a time")
        .allowedBy(SpscAllows.class)
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** The operations, each from claim to commit or from poll to release. */
  static class Operations {
    final SpscQueue<Triple> queue =
        SpscQueue.of(FlyweightType.of(Triple::new), QueueOptions.ofCapacity(CAPACITY));
    final SpscProducer<Triple> producer = queue.producer();
    final SpscConsumer<Triple> consumer = queue.consumer();

    String tryOffer(long value) {
      try {
        Triple claimed = producer.tryClaim();
        if (claimed == null) {
          return FULL;
        }
        claimed.write(value);
        producer.commit();
        return DONE;
      } catch (IllegalStateException e) {
        return CLOSED;
      }
    }

    String tryAbort() {
      if (producer.tryClaim() == null) {
        return FULL;
      }
      producer.abort();
      return DONE;
    }

    /** A run of two records, or of one. */
    String tryOfferRun(long value) {
      int count = producer.tryClaim(2);
      if (count == 0) {
        return FULL;
      }
      for (int i = 0; i < count; i++) {
        producer.at(i).write(i == 0 ? value : -value);
      }
      producer.commit();
      return DONE + " " + count;
    }

    String tryPoll() {
      Triple polled = consumer.tryPoll();
      if (polled == null) {
        return consumer.isDrained() ? CLOSED : EMPTY;
      }
      String record = polled.read();
      consumer.release();
      return record;
    }

    String tryPollRun(int limit) {
      int count = consumer.tryPoll(limit);
      if (count == 0) {
        return EMPTY;
      }
      StringBuilder records = new StringBuilder(consumer.at(0).read());
      for (int i = 1; i < count; i++) {
        records.append(' ').append(consumer.at(i).read());
      }
      consumer.release();
      return records.toString();
    }

    String tryDrain(int limit) {
      StringBuilder records = new StringBuilder();
      int count =
          consumer.drain(
              record -> records.append(records.isEmpty() ? "" : " ").append(record.read()), limit);
      return count == 0 ? EMPTY : records.toString();
    }
  }

  /** Single records and aborts. */
  @Param(name = "value", gen = Rising.class)
  public static class Singles extends Operations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation(nonParallelGroup = "producer")
    public String abort() {
      return tryAbort();
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryPoll();
    }
  }

  /** Single records and the end, which the producer declares. */
  @Param(name = "value", gen = Rising.class)
  public static class Ending extends Operations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation(nonParallelGroup = "producer")
    public void complete() {
      producer.close();
    }

    @Operation(nonParallelGroup = "consumer")
    public String poll() {
      return tryPoll();
    }
  }

  /**
   * Planted: a consumer that finds the queue completed, and nothing there, takes it for drained.
   */
  public static class EndsEarly extends Ending {
    @Override
    String tryPoll() {
      Triple polled = consumer.tryPoll();
      if (polled == null) {
        return queue.isCompleted() ? CLOSED : EMPTY;
      }
      String record = polled.read();
      consumer.release();
      return record;
    }
  }

  /** Runs of records and single ones. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  public static class Runs extends Operations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation(nonParallelGroup = "producer")
    public String offerUpTo(@Param(name = "value") long value) {
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

  /** Planted: the record is published, and then written through memory of its own. */
  public static class CommitsFirst extends Singles {
    @Override
    String tryOffer(long value) {
      Triple claimed = producer.tryClaim();
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

  /** Planted: anyone polls. */
  @Param(name = "value", gen = Rising.class)
  public static class TwoConsumers extends Operations {
    @Operation(nonParallelGroup = "producer")
    public String offer(@Param(name = "value") long value) {
      return tryOffer(value);
    }

    @Operation
    public String poll() {
      return tryPoll();
    }
  }
}
