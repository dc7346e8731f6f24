package dev.millrace.stress.jcstress;

import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.trial.Numbered;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * An {@link dev.millrace.queues.SpscQueue} between its two threads, and a {@link MessageQueue} of
 * one producer and one consumer.
 */
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
  @JCStressMeta(Grades.ParkAndWake.class)
  public static class SpscQueue_ParkAndWake extends WakeTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.parking());

    public SpscQueue_ParkAndWake() {
      super(POOL);
    }

    @Actor
    public void producer(IIII_Result r) {
      claimThird(r);
    }

    @Actor
    public void consumer(IIII_Result r) {
      pollThree(r);
    }

    @Arbiter
    public void owner() {
      takeRest();
    }
  }

  // ---- messages ----

  /**
   * Hazard: the stamp of a message is seen before the bytes of its last cell, or before its header.
   *
   * <p>Known to fail: {@code MessageProducer.publish} that writes the stamp before the header is
   * put.
   *
   * <p>{@code stress/prove --all MessageQueue_OneToOneMessageIsWhole}
   */
  @JCStressTest
  @State
  @Description("A message that is polled has all its bytes.")
  @JCStressMeta(Grades.RecordIsWhole.class)
  public static class MessageQueue_OneToOneMessageIsWhole extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.messages(MessageQueue::spsc));

    public MessageQueue_OneToOneMessageIsWhole() {
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
   * Hazard: the producer writes over a message that the consumer still reads, because its cells
   * were released too early.
   *
   * <p>Known to fail: a consumer that releases before it reads.
   *
   * <p>{@code stress/prove --all MessageQueue_OneToOneCellReuse}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.SlotReuse.class)
  public static class MessageQueue_OneToOneCellReuse extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.messages(MessageQueue::spsc));

    public MessageQueue_OneToOneCellReuse() {
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
   * Hazard: another thread completes while the only producer claims, from the tail that it knows:
   * the consumer finds the end although a message is committed later, or the close is lost.
   *
   * <p>Known to fail: {@code GatedClaims.tryClaimFrom} that writes the tail instead of exchanging
   * it.
   *
   * <p>{@code stress/prove --all MessageQueue_OneToOneCompleteIsExact}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.CompleteIsExact.class)
  public static class MessageQueue_OneToOneCompleteIsExact extends CompletionTest {
    public MessageQueue_OneToOneCompleteIsExact() {
      super(Queues.messages(MessageQueue::spsc));
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
   * Hazard: as in {@link SpscQueue_ParkAndWake}.
   *
   * <p>Known to fail: {@code Waiters.signal} without its fence.
   *
   * <p>{@code stress/prove --all MessageQueue_ParkAndWake}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.ParkAndWake.class)
  public static class MessageQueue_ParkAndWake extends WakeTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.parkingMessages());

    public MessageQueue_ParkAndWake() {
      super(POOL);
    }

    @Actor
    public void producer(IIII_Result r) {
      claimThird(r);
    }

    @Actor
    public void consumer(IIII_Result r) {
      pollThree(r);
    }

    @Arbiter
    public void owner() {
      takeRest();
    }
  }
}
