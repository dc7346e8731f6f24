package dev.millrace.stress.jcstress;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.trial.AnyQueue;
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

/** The queues of which a side is shared by threads. */
public final class SharedQueueStress {
  private SharedQueueStress() {}

  /**
   * Hazard: two producers claim the same slot, and one record is lost.
   *
   * <p>Known to fail: a claim that reads the tail and then writes it, instead of the exchange in
   * {@code Claims.tryAdvance}.
   *
   * <p>{@code stress/prove --all MpscQueue_TwoProducersKeepBoth}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.KeepBoth.class)
  public static class MpscQueue_TwoProducersKeepBoth extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.mpsc(2));

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
   * Hazard: a run is published by the stamp of its first slot alone, which counts the others. The
   * consumer may see part of the run, or records without their bytes.
   *
   * <p>Known to fail: a producer that commits the run before it writes the last record of it.
   *
   * <p>{@code stress/prove --all MpscQueue_RunIsWhole}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.RunIsWhole.class)
  public static class MpscQueue_RunIsWhole extends QueueTest {
    // Of four slots, of which each trial uses all: no run crosses the ring's end.
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.mpsc(4));

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
   * Hazard: another thread completes while a producer claims: the consumer finds the end although a
   * record is committed later, or the close is lost.
   *
   * <p>Known to fail: {@code MpscQueue.isConsumed} that does not ask whether claims are left.
   *
   * <p>{@code stress/prove --all MpscQueue_CompleteIsExact}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.CompleteIsExact.class)
  public static class MpscQueue_CompleteIsExact extends CompletionTest {
    public MpscQueue_CompleteIsExact() {
      super(Queues.mpsc(2));
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
   * Hazard: two consumers get the same record; or one is told that there is none, because the
   * record that it looked at was taken by the other, while the next is there.
   *
   * <p>Known to fail: a poll that reads the head and then writes it, instead of the exchange in
   * {@code MpmcConsumer.take}; and {@code Claims.ready} that says 0 where it must look again.
   *
   * <p>{@code stress/prove --all MpmcQueue_TwoConsumersShareOut}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.ShareOut.class)
  public static class MpmcQueue_TwoConsumersShareOut extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.mpmc(2));

    public MpmcQueue_TwoConsumersShareOut() {
      super(POOL, 2, 2);
    }

    @Actor
    public void left(III_Result r) {
      r.r1 = take(trial.consumer);
    }

    @Actor
    public void right(III_Result r) {
      r.r2 = take(trial.rival);
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = takeRest();
    }
  }

  /**
   * Hazard: a producer overwrites a record that a consumer has taken and still reads in place,
   * because the head, which has passed it, is taken for the end of its use.
   *
   * <p>Known to fail: a consumer that releases before it reads.
   *
   * <p>{@code stress/prove --all MpmcQueue_InPlaceUntilReleased}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.SlotReuse.class)
  public static class MpmcQueue_InPlaceUntilReleased extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.mpmc(2));

    public MpmcQueue_InPlaceUntilReleased() {
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
      desc = "Committed after a look that was not enough; polled in the end.")
  @Outcome(id = "1, 0, 0", expect = Expect.FORBIDDEN, desc = "Committed and given up.")
  @Outcome(id = "0, 1, .*", expect = Expect.FORBIDDEN, desc = "Refused and delivered.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Torn, or twice there.")
  public static class MpmcQueue_LateCommitOrGiveUp {
    /*
     * The claim is looked at as often as may be before the actors begin, so that the consumer's look
     * is the one that reaches the limit. A look is credited with a sixteenth of the limit at the most, hence 1 to
     * begin with and 15 that are further apart than that.
     */
    private static final Duration LIMIT = Duration.ofNanos(1_000);
    private static final int LOOKS = 16;
    private static final long APART_NANOS = 100;
    private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(2).withStallLimit(LIMIT);

    // No pool: a slot that was given up is out of use.
    private final AnyQueue<Numbered> queue = new AnyQueue<>(MpmcQueue.of(Numbered.TYPE, OPTIONS));
    private final Producer<Numbered> producer = queue.newProducer();
    private final Consumer<Numbered> consumer = queue.newConsumer();

    public MpmcQueue_LateCommitOrGiveUp() {
      producer.tryClaim().write(1);
      for (int i = 0; i < LOOKS; i++) {
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
   * Hazard: the messages of a run are published one by one. The consumer may see part of the run,
   * or messages without their bytes.
   *
   * <p>Known to fail: {@code MessageProducer.publishBehind} called behind the first message's
   * stamp.
   *
   * <p>{@code stress/prove --all MessageQueue_RunIsWhole}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.RunIsWhole.class)
  public static class MessageQueue_RunIsWhole extends QueueTest {
    // Of four messages, of which each trial uses all: no run crosses the ring's end.
    private static final Pool<Trial> POOL =
        Queues.pool(() -> Queues.messages(MessageQueue::mpsc, 4));

    public MessageQueue_RunIsWhole() {
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
   * Hazard: two producers claim the same cells, or a message is seen before the bytes of its last
   * cell.
   *
   * <p>Known to fail: a claim that reads the tail and then writes it, instead of the exchange in
   * {@code Claims.tryAdvance}.
   *
   * <p>{@code stress/prove --all MessageQueue_TwoProducersKeepBoth}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.KeepBoth.class)
  public static class MessageQueue_TwoProducersKeepBoth extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.messages(MessageQueue::mpsc));

    public MessageQueue_TwoProducersKeepBoth() {
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
   * Hazard: two consumers get the same message, or one is told that there is none.
   *
   * <p>Known to fail: a poll that reads the head and then writes it, instead of the exchange in
   * {@code MessageConsumer.take}.
   *
   * <p>{@code stress/prove --all MessageQueue_TwoConsumersShareOut}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.ShareOut.class)
  public static class MessageQueue_TwoConsumersShareOut extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.messages(MessageQueue::mpmc));

    public MessageQueue_TwoConsumersShareOut() {
      super(POOL, 2, 2);
    }

    @Actor
    public void left(III_Result r) {
      r.r1 = take(trial.consumer);
    }

    @Actor
    public void right(III_Result r) {
      r.r2 = take(trial.rival);
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = takeRest();
    }
  }

  /**
   * Hazard: a producer writes over a message that a consumer has taken and still reads in place.
   *
   * <p>Known to fail: {@code MessageQueue.Sharing.slowest} that returns the head.
   *
   * <p>{@code stress/prove --all MessageQueue_InPlaceUntilReleased}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.SlotReuse.class)
  public static class MessageQueue_InPlaceUntilReleased extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.messages(MessageQueue::mpmc));

    public MessageQueue_InPlaceUntilReleased() {
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
   * Hazard: another thread completes while a producer claims: a consumer finds the end although a
   * message is committed later, or the close is lost.
   *
   * <p>Known to fail: {@code StampedQueue.isConsumed} that does not ask whether claims are left.
   *
   * <p>{@code stress/prove --all MessageQueue_CompleteIsExact}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.CompleteIsExact.class)
  public static class MessageQueue_CompleteIsExact extends CompletionTest {
    public MessageQueue_CompleteIsExact() {
      super(Queues.messages(MessageQueue::mpmc));
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
   * Hazard: a producer puts a record into the head's segment, which a consumer has found empty and
   * passes; nobody looks there again.
   *
   * <p>Known to fail: {@code KFifoQueue.isInside} that returns true at once, or that reads a head
   * older than its own exchange.
   *
   * <p>{@code stress/prove --all KFifoQueue_PutMeetsPass}
   */
  @JCStressTest
  @State
  @Description("A record that is put while a consumer moves the head on is not lost.")
  @Outcome(
      id = {"1, 1, 2, 0", "1, 1, 0, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "The consumer took the first record, and perhaps the second.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or twice there.")
  public static class KFifoQueue_PutMeetsPass extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.kFifo(1, 2));

    public KFifoQueue_PutMeetsPass() {
      super(POOL, 2, 1);
    }

    @Actor
    public void producer(IIII_Result r) {
      r.r1 = put(trial.producer, 2);
    }

    @Actor
    public void consumer(IIII_Result r) {
      r.r2 = take(trial.consumer);
      r.r3 = take(trial.consumer);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r4 = takeRest();
    }
  }

  /**
   * Hazard: two consumers get the same record, or one is told that there is none though there is
   * another.
   *
   * <p>Known to fail: a {@code KFifoQueue.take} that reads a place and then writes it, instead of
   * the exchange.
   *
   * <p>{@code stress/prove --all KFifoQueue_TwoConsumersShareOut}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.ShareOut.class)
  public static class KFifoQueue_TwoConsumersShareOut extends QueueTest {
    private static final Pool<Trial> POOL = Queues.pool(() -> Queues.kFifo(2, 2));

    public KFifoQueue_TwoConsumersShareOut() {
      super(POOL, 2, 2);
    }

    @Actor
    public void left(III_Result r) {
      r.r1 = take(trial.consumer);
    }

    @Actor
    public void right(III_Result r) {
      r.r2 = take(trial.rival);
    }

    @Arbiter
    public void owner(III_Result r) {
      r.r3 = takeRest();
    }
  }
}
