package dev.millrace.stress.jcstress;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
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

/**
 * The patterns of which rings are made, each on the type that has nothing else: publication of a
 * record and of a run, reuse of a slot, a claim that two want, a claim that is revoked, completion,
 * and waking.
 */
public final class QueueStress {
  private QueueStress() {}

  private static AnyQueue<Numbered> spsc(int capacity) {
    return new AnyQueue<>(SpscQueue.of(Numbered.TYPE, QueueOptions.ofCapacity(capacity)));
  }

  private static AnyQueue<Numbered> mpsc(int capacity) {
    return new AnyQueue<>(MpscQueue.of(Numbered.TYPE, QueueOptions.ofCapacity(capacity)));
  }

  private static Pool<QueueTest.Trial> pool(Supplier<AnyQueue<Numbered>> queues) {
    return new Pool<>(() -> new QueueTest.Trial(queues.get()));
  }

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
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before the commit.")
  @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Polled, and whole.")
  @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "A field is of an earlier record.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
  public static class SpscQueue_RecordIsWhole extends QueueTest {
    private static final Pool<Trial> POOL = pool(() -> spsc(2));

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
  @JCStressMeta(SpscQueue_RecordIsWhole.class)
  public static class Broken_CommitBeforeWrite extends QueueTest {
    private static final Pool<Trial> POOL = pool(() -> spsc(2));

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
   * Hazard: the producer overwrites a record that the consumer still reads, because the slot was
   * released too early, or the reads of it moved below the release.
   *
   * <p>Known to fail: a consumer that releases before it reads.
   *
   * <p>{@code stress/prove --all SpscQueue_SlotReuse}
   */
  @JCStressTest
  @State
  @Description("The producer gets a slot of a full queue only after the consumer has released it.")
  @Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "Claimed before the release: full.")
  @Outcome(id = "1, 1, 23", expect = Expect.ACCEPTABLE, desc = "Claimed after the release.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is overwritten, lost, or twice there.")
  public static class SpscQueue_SlotReuse extends QueueTest {
    private static final Pool<Trial> POOL = pool(() -> spsc(2));

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
   * Hazard: a run is published by the stamp of its first slot alone, which counts the others. The
   * consumer may see part of the run, or records without their bytes.
   *
   * <p>Known to fail: a producer that commits the run before it writes the last record of it.
   *
   * <p>{@code stress/prove --all MpscQueue_RunIsWhole}
   */
  @JCStressTest
  @State
  @Description(
      "Of a record and a run after it, a poll gets nothing, the record, or all; and whole.")
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before both commits.")
  @Outcome(id = "1, 1, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled between the commits.")
  @Outcome(id = "3, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "Polled after both commits.")
  @Outcome(id = "2, .*", expect = Expect.FORBIDDEN, desc = "Half a run.")
  @Outcome(
      id = ".*-.*",
      expect = Expect.FORBIDDEN,
      desc = "A torn record, or one of a former trial.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
  public static class MpscQueue_RunIsWhole extends QueueTest {
    // Of four slots, of which each trial uses all: no run crosses the ring's end.
    private static final Pool<Trial> POOL = pool(() -> mpsc(4));

    public MpscQueue_RunIsWhole() {
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
   * Hazard: two producers claim the same slot, and one record is lost.
   *
   * <p>Known to fail: a claim that reads the tail and then writes it, instead of the exchange in
   * {@code SharedClaims}.
   *
   * <p>{@code stress/prove --all MpscQueue_TwoProducersKeepBoth}
   */
  @JCStressTest
  @State
  @Description(
      "Records of two that claim at the same time are both there, whole, in the order of claims.")
  @Outcome(id = "1, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "The left producer claimed first.")
  @Outcome(
      id = "1, 1, 2, 1",
      expect = Expect.ACCEPTABLE,
      desc = "The right producer claimed first.")
  @Outcome(
      id = {"0, .*", "., 0, .*"},
      expect = Expect.FORBIDDEN,
      desc = "A producer found no room.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or twice there.")
  public static class MpscQueue_TwoProducersKeepBoth extends QueueTest {
    private static final Pool<Trial> POOL = pool(() -> mpsc(2));

    public MpscQueue_TwoProducersKeepBoth() {
      super(POOL, 2, 0);
    }

    @Actor
    public void left(IIII_Result r) {
      r.r1 = put(trial.producer, 1);
    }

    @Actor
    public void right(IIII_Result r) {
      r.r2 = put(trial.other, 2);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r3 = take(trial.consumer);
      r.r4 = take(trial.consumer);
      takeRest();
    }
  }

  /**
   * Hazard: a producer commits at the moment in which a consumer gives its claim up: the producer
   * is told that the record will be seen, and it is not; or that it was refused, and it is
   * delivered.
   *
   * <p>Known to fail: {@code Stamps.exchange} that reads the stamp and then writes it.
   *
   * <p>{@code stress/prove --all MpmcQueue_LateCommitOrGiveUp}
   */
  @JCStressTest
  @State
  @Description("A late commit and a consumer that gives the claim up: exactly one has its way.")
  @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "Committed, and polled.")
  @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Given up: the commit is refused.")
  @Outcome(
      id = "1, 0, 1",
      expect = Expect.ACCEPTABLE,
      desc = "Committed after a check that was not enough; polled in the end.")
  @Outcome(id = "1, 0, 0", expect = Expect.FORBIDDEN, desc = "Committed and given up.")
  @Outcome(id = "0, 1, .*", expect = Expect.FORBIDDEN, desc = "Refused and delivered.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Torn, or twice there.")
  public static class MpmcQueue_LateCommitOrGiveUp {
    /*
     * The claim is checked as often as possible before the actors begin, so that the consumer's check
     * is the one that reaches the limit. A check counts for at most a sixteenth of the limit: hence
     * one to begin with, and 15 that are further apart than that.
     */
    private static final Duration LIMIT = Duration.ofNanos(1_000);
    private static final int CHECKS = 16;
    private static final long APART_NANOS = 100;
    private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(2).withStallLimit(LIMIT);

    // No pool: a slot that was given up is out of use.
    private final AnyQueue<Numbered> queue = new AnyQueue<>(MpmcQueue.of(Numbered.TYPE, OPTIONS));
    private final Producer<Numbered> producer = queue.newProducer();
    private final Consumer<Numbered> consumer = queue.newConsumer();

    public MpmcQueue_LateCommitOrGiveUp() {
      producer.tryClaim().write(1);
      for (int i = 0; i < CHECKS; i++) {
        QueueTest.poll(consumer, 0);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < APART_NANOS) {
          Thread.onSpinWait();
        }
      }
    }

    @Actor
    public void producer(III_Result r) {
      try {
        producer.commit();
        r.r1 = 1;
      } catch (IllegalStateException e) {
        // given up
      }
    }

    @Actor
    public void consumer(III_Result r) {
      r.r2 = QueueTest.poll(consumer, 0);
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = QueueTest.poll(consumer, 0);
      queue.close();
    }
  }

  /**
   * Hazard: another thread completes while the producer claims: the consumer finds the end although
   * a record is committed later, or the close is lost.
   *
   * <p>Known to fail: {@code SoleClaims.close} without its fence in all threads.
   *
   * <p>{@code stress/prove --all SpscQueue_CompleteIsExact}
   */
  @JCStressTest
  @State
  @Description("Records that are committed are delivered before the end, which the consumer finds.")
  @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "Completed before the first claim.")
  @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Completed between the claims.")
  @Outcome(id = "2, 2, 1", expect = Expect.ACCEPTABLE, desc = "Completed after both claims.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, or there is no end.")
  public static class SpscQueue_CompleteIsExact extends CompletionTest {
    public SpscQueue_CompleteIsExact() {
      super(spsc(2));
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
   * Hazard: another thread completes while a producer claims: the consumer finds the end although a
   * record is committed later, or the close is lost.
   *
   * <p>Known to fail: a consumer that takes "closed, and nothing there" for the end, without asking
   * whether claims are left.
   *
   * <p>{@code stress/prove --all MpscQueue_CompleteIsExact}
   */
  @JCStressTest
  @State
  @JCStressMeta(SpscQueue_CompleteIsExact.class)
  public static class MpscQueue_CompleteIsExact extends CompletionTest {
    public MpscQueue_CompleteIsExact() {
      super(mpsc(2));
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
    private static final QueueOptions OPTIONS =
        QueueOptions.ofCapacity(2)
            .withProducerWaits(WaitStrategy.busySpin())
            .withConsumerWaits(new WaitStrategy(0, 0, WaitStrategy.FOREVER));
    private static final Pool<Trial> POOL =
        pool(() -> new AnyQueue<>(SpscQueue.of(Numbered.TYPE, OPTIONS)));
    private static final int LATE = -3;

    // Set once a wait has failed: or a broken queue would take hours, a time limit for each trial.
    // Plain, so that it orders nothing.
    private static boolean lost;

    public SpscQueue_ParkAndWake() {
      super(POOL, 3, 2);
    }

    @Actor
    public void producer(IIII_Result r) {
      Numbered record = lost ? null : await(() -> trial.producer.claim(LONGER_LIMIT));
      if (record != null) {
        record.write(base + 3);
        trial.producer.commit();
        r.r1 = 1;
      }
    }

    @Actor
    public void consumer(IIII_Result r) {
      if (!lost) {
        r.r2 = poll();
        r.r3 = poll();
        r.r4 = poll();
      }
    }

    private static Numbered await(Callable<Numbered> wait) {
      try {
        return wait.call();
      } catch (Exception e) { // interrupted
        throw new IllegalStateException(e);
      }
    }

    private int poll() {
      long begin = System.nanoTime();
      Numbered record = await(() -> trial.consumer.poll(LIMIT));
      int place = record != null ? record.whole(base) : 0;
      if (record != null) {
        trial.consumer.release();
      }
      // A poll tries once more when its time is over, so success alone does not prove a wake-up.
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

  /** A test of a queue's end. There is no pool: a completed queue is not used again. */
  abstract static class CompletionTest {
    private final AnyQueue<Numbered> queue;
    private final Producer<Numbered> producer;
    private final Consumer<Numbered> consumer;

    CompletionTest(AnyQueue<Numbered> queue) {
      this.queue = queue;
      this.producer = queue.newProducer();
      this.consumer = queue.newConsumer();
    }

    /** Puts records 1 and 2, unless the queue is completed, and counts them. */
    final void putTwo(III_Result r) {
      try {
        while (r.r1 < 2 && QueueTest.offer(producer, r.r1 + 1) == 1) {
          r.r1++;
        }
      } catch (IllegalStateException e) {
        // completed
      }
    }

    /** Completes the queue, then takes and counts records up to the end. */
    final void completeThenTake(III_Result r) {
      queue.complete();
      while (!queue.isDrained()) {
        if (QueueTest.poll(consumer, 0) == r.r2 + 1) {
          r.r2++;
        }
      }
    }

    final void end(III_Result r) {
      r.r3 = queue.isDrained() ? 1 : 0;
      queue.close();
    }
  }
}
