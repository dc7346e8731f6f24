package dev.millrace.stress.jcstress;

import dev.millrace.stress.trial.Numbered;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;

/** An {@link dev.millrace.queues.SpscQueue} between its two threads. */
public final class SpscQueueStress {
  private SpscQueueStress() {}

  /**
   * Hazard: the stamp of a single record is seen before its bytes, so that the consumer reads what
   * a record of an earlier lap left in the slot.
   *
   * <p>Known to fail: a producer that commits before it writes, {@link Broken_CommitBeforeWrite}.
   *
   * <p>{@code stress/prove --all SpscQueue_RecordIsWhole}
   */
  @JCStressTest
  @State
  @Description("A record that is polled has all its bytes.")
  @JCStressMeta(Grades.RecordIsWhole.class)
  public static class SpscQueue_RecordIsWhole extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.spsc(2));

    public SpscQueue_RecordIsWhole() {
      super(POOL, 1, 0);
    }

    @Actor
    public void producer() {
      put(trial.producer, 1);
    }

    @Actor
    public void consumer(IIII_Result r) {
      pollFields(r);
    }

    @Arbiter
    public void owner() {
      takeRest();
    }
  }

  /**
   * {@link SpscQueue_RecordIsWhole} with a producer that does it wrong. It runs whenever another
   * jcstress test does, and the run fails unless it is caught: were the tests blind, this one would
   * show it.
   */
  @JCStressTest
  @State
  @Description("A producer that commits before it writes is caught.")
  @JCStressMeta(Grades.RecordIsWhole.class)
  public static class Broken_CommitBeforeWrite extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.spsc(2));

    public Broken_CommitBeforeWrite() {
      super(POOL, 1, 0);
    }

    @Actor
    public void producer() {
      Numbered record = trial.producer.tryClaim();
      long offset = record.offset();
      trial.producer.commit();
      for (int i = 0; i < 64; i++) {
        Thread.onSpinWait(); // as long as a slow write takes
      }
      record.moveTo(offset);
      record.write(base + 1);
    }

    @Actor
    public void consumer(IIII_Result r) {
      pollFields(r);
    }

    @Arbiter
    public void owner() {
      takeRest();
    }
  }

  /**
   * Hazard: the consumer sees a run, or a part of it, without its bytes.
   *
   * <p>Known to fail: a producer that commits the run before it writes the last record of it.
   *
   * <p>{@code stress/prove --all SpscQueue_RunIsWhole}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.RunIsWhole.class)
  public static class SpscQueue_RunIsWhole extends QueueTest {
    // Of four slots, of which each trial uses all: no run crosses the ring's end.
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.spsc(4));

    public SpscQueue_RunIsWhole() {
      super(POOL, 4, 0);
    }

    @Actor
    public void producer() {
      putRecordThenRun();
    }

    @Actor
    public void consumer(IIII_Result r) {
      pollRun(r);
    }

    @Arbiter
    public void owner() {
      put(trial.producer, 4);
      takeRest();
    }
  }

  /**
   * Hazard: the producer overwrites a record that the consumer still reads, because the slot was
   * released too early, or the reads of it moved below the release.
   *
   * <p>Known to fail: a consumer that releases before it reads.
   *
   * <p>{@code stress/prove --all SpscQueue_SlotReuse}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.SlotReuse.class)
  public static class SpscQueue_SlotReuse extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.spsc(2));

    public SpscQueue_SlotReuse() {
      super(POOL, 3, 2);
    }

    @Actor
    public void producer(III_Result r) {
      r.r1 = put(trial.producer, 3);
    }

    @Actor
    public void consumer(III_Result r) {
      r.r2 = take(trial.consumer);
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = takeRest();
    }
  }

  /**
   * Hazard: another thread completes while the producer claims: the consumer finds the end although
   * a record is committed later, or the close is lost.
   *
   * <p>Known to fail: {@code SpscQueue.complete} without its handshake.
   *
   * <p>{@code stress/prove --all SpscQueue_CompleteIsExact}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.CompleteIsExact.class)
  public static class SpscQueue_CompleteIsExact extends CompletionTest {
    public SpscQueue_CompleteIsExact() {
      super(Queues.spsc(2));
    }

    @Actor
    public void producer(III_Result r) {
      putTwo(r);
    }

    @Actor
    public void closerThenConsumer(III_Result r) {
      completeThenTake(r);
    }

    @Arbiter
    public void owner(III_Result r) {
      end(r);
    }
  }

  /**
   * Hazard: the consumer finds nothing, announces itself and parks; the producer commits in between
   * and sees no announcement. The consumer sleeps for ever.
   *
   * <p>Known to fail: {@code Waiters.signal} without its fence.
   *
   * <p>{@code stress/prove --all SpscQueue_ParkAndWake}
   */
  @JCStressTest
  @State
  @Description("A parked consumer is woken by the commit of the record that it waits for.")
  @Outcome(id = "1, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "All three were polled, in order.")
  @Outcome(
      id = ".*, -3",
      expect = Expect.FORBIDDEN,
      desc = "The consumer woke by the time limit alone.")
  @Outcome(id = "0, .*", expect = Expect.FORBIDDEN, desc = "Not tried: a wake-up was lost before.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or of a former trial.")
  public static class SpscQueue_ParkAndWake extends QueueTest {
    /*
     * The queue is full at first. The producer spins until the consumer's first release, and commits
     * the third record about when the consumer, having taken the second, announces itself for it: so
     * the two meet in the few nanoseconds that matter. If both parked, each would wake up long after
     * the other had gone to sleep. The limits are far beyond any delay of a busy machine, and below
     * that of jcstress for the whole; the producer's is the longer one, for it depends on the other.
     */
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONGER_LIMIT = LIMIT.multipliedBy(3);

    private static final int INTERRUPTED = -1;
    private static final int LATE = -3;

    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.parking());

    // Set once a wait has failed: or a broken queue would take hours, a time limit for each trial.
    // Plain, so that it orders nothing.
    private static boolean lost;

    public SpscQueue_ParkAndWake() {
      super(POOL, 3, 2);
    }

    @Actor
    public void producer(IIII_Result r) {
      if (lost) {
        return;
      }
      try {
        Numbered record = trial.producer.claim(LONGER_LIMIT);
        if (record != null) {
          record.write(base + 3);
          trial.producer.commit();
          r.r1 = 1;
        }
      } catch (InterruptedException e) {
        r.r1 = INTERRUPTED;
      }
    }

    @Actor
    public void consumer(IIII_Result r) {
      if (lost) {
        return;
      }
      try {
        r.r2 = poll();
        r.r3 = poll();
        r.r4 = poll();
      } catch (InterruptedException e) {
        r.r4 = INTERRUPTED;
      }
    }

    private int poll() throws InterruptedException {
      long begin = System.nanoTime();
      Numbered record = trial.consumer.poll(LIMIT);
      int place = record != null ? record.whole(base) : 0;
      if (record != null) {
        trial.consumer.release();
      }
      // A poll looks once more when its time is over, so that success alone proves no wake-up.
      if (System.nanoTime() - begin >= LIMIT.toNanos()) {
        lost = true;
        return LATE;
      }
      return place;
    }

    @Arbiter
    public void owner() {
      takeRest();
    }
  }
}
