package dev.millrace.stress.jcstress;

import dev.millrace.queues.RecordQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

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
public class RecordQueue_PollAndPeek {
  private static final Pool<Trial> POOL = new Pool<>(Trial::new);

  private final Trial trial = POOL.take();
  private final long base = trial.written;

  public RecordQueue_PollAndPeek() {
    trial.written += 2;
    trial.queue.add(Whole.of(base + 1));
  }

  /**
   * A record that shows whether it is whole.
   *
   * @param number a number
   * @param negated the same below zero
   */
  public record Whole(long number, long negated) {
    static Whole of(long number) {
      return new Whole(number, -number);
    }

    /** Its place in the trial, 0 for none, or {@link Numbered#TORN}. */
    static int place(Whole record, long base) {
      if (record == null) {
        return 0;
      }
      return record.negated() == -record.number() ? (int) (record.number() - base) : Numbered.TORN;
    }
  }

  private static final class Trial extends Pool.Item {
    final RecordQueue<Whole> queue = RecordQueue.of(Whole.class, 2);
    long written;
  }

  @Actor
  public void producer() {
    trial.queue.add(Whole.of(base + 2));
  }

  @Actor
  public void consumer(IIII_Result r) {
    r.r1 = Whole.place(trial.queue.peek(), base);
    r.r2 = Whole.place(trial.queue.poll(), base);
    r.r3 = Whole.place(trial.queue.peek(), base);
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r4 = Whole.place(trial.queue.poll(), base);
    trial.queue.clear();
    trial.giveBack();
  }
}
