package dev.millrace.stress.jcstress;

import dev.millrace.queues.RecordQueue;
import dev.millrace.stress.trial.Whole;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A {@link RecordQueue}, whose records are objects. */
public final class RecordQueueStress {
  private RecordQueueStress() {}

  /**
   * Hazard: a queue for one, whose ring has two slots, takes two records, or finds no room though
   * it is empty.
   *
   * <p>Known to fail: {@code MpmcSlots.claimSlot} without {@code admits}.
   *
   * <p>{@code stress/prove --all RecordQueue_OneFits}
   */
  @JCStressTest
  @State
  @Description("Of two offers to a queue for one, one is taken in until a consumer makes room.")
  @Outcome(
      id = "1, 0, 1, 0",
      expect = Expect.ACCEPTABLE,
      desc = "The producer is first; the other thread finds no room, and takes its record.")
  @Outcome(
      id = "0, 1, 1, 0",
      expect = Expect.ACCEPTABLE,
      desc = "The other thread is first; the producer comes before it takes its record back.")
  @Outcome(
      id = "1, 1, 1, 1",
      expect = Expect.ACCEPTABLE,
      desc = "The other thread is through before the producer comes.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Two inside, or none though one was offered.")
  public static class RecordQueue_OneFits {
    private static final Pool<Trial> POOL = new Pool<>(() -> new Trial(1));

    private final Trial trial = POOL.take();

    @Actor
    public void producer(IIII_Result r) {
      r.r1 = trial.offer(1);
    }

    @Actor
    public void producerAndConsumer(IIII_Result r) {
      r.r2 = trial.offer(2);
      r.r3 = trial.poll();
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r4 = trial.poll();
      trial.queue.clear();
      trial.giveBack();
    }
  }

  /**
   * Hazard: a consumer peeks while a producer puts more, takes, and peeks again: it sees a record
   * that is torn, or another than it takes, or none though one is there.
   *
   * <p>Known to fail: {@code RecordSlots.copyRecord} without its look at the head.
   *
   * <p>{@code stress/prove --all RecordQueue_PollAndPeek}
   */
  @JCStressTest
  @State
  @Description("What a consumer peeks at beside a producer is whole, and what it takes next.")
  @Outcome(
      id = {"1, 1, 0, 2", "1, 1, 2, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "The first record twice, then nothing or the second, which stays.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or out of order.")
  public static class RecordQueue_PollAndPeek {
    private static final Pool<Trial> POOL = new Pool<>(() -> new Trial(2));

    private final Trial trial = POOL.take();
    private final long base = trial.written;

    public RecordQueue_PollAndPeek() {
      trial.written += 2;
      trial.queue.add(Whole.of(base + 1));
    }

    @Actor
    public void producer() {
      trial.queue.add(Whole.of(base + 2));
    }

    @Actor
    public void consumer(IIII_Result r) {
      r.r1 = place(trial.queue.peek(), base);
      r.r2 = place(trial.queue.poll(), base);
      r.r3 = place(trial.queue.peek(), base);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r4 = place(trial.queue.poll(), base);
      trial.queue.clear();
      trial.giveBack();
    }
  }

  private static final class Trial extends Pool.Item {
    final RecordQueue<Whole> queue;
    long written;

    Trial(int capacity) {
      queue = RecordQueue.of(Whole.class, capacity);
    }

    int offer(long number) {
      return queue.offer(Whole.of(number)) ? 1 : 0;
    }

    int poll() {
      return queue.poll() == null ? 0 : 1;
    }
  }

  /** A record's place in the trial, 0 for none. */
  private static int place(Whole record, long base) {
    return record == null ? 0 : record.place(base);
  }
}
