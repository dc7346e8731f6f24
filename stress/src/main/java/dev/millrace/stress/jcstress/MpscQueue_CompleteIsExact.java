package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Hazard: a claim succeeds after the completion; or the consumer is told of the end while a claim
 * that came before it is still open, and its record is never delivered.
 *
 * <p>Known to fail: {@code MpscQueue.isAtEnd} that does not ask whether claims are left.
 *
 * <p>{@code stress/prove --all MpscQueue_CompleteIsExact}
 */
@JCStressTest
@State
@Description("After complete() no claim succeeds, and the end comes behind each claim before it.")
@Outcome(id = "0, -3, 0, -3", expect = Expect.ACCEPTABLE, desc = "Completed before the claim.")
@Outcome(id = "1, 1, 0, -3", expect = Expect.ACCEPTABLE, desc = "Completed after the claim.")
@Outcome(
    id = "1, 0, 1, -3",
    expect = Expect.ACCEPTABLE_INTERESTING,
    desc = "Completed while the claim was open, which was then committed.")
@Outcome(id = "1, -3, .*", expect = Expect.FORBIDDEN, desc = "The end came before the record.")
@Outcome(id = "0, 0, .*", expect = Expect.FORBIDDEN, desc = "No claim, but no end.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Lost, torn, twice there, or no end.")
public class MpscQueue_CompleteIsExact {
  // No pool: a completed queue is not used again.
  private final MpscTrial trial = new MpscTrial(2);

  @Actor
  public void producer(IIII_Result r) {
    long offset = trial.queue.tryClaim();
    if (offset >= 0) {
      trial.producer.moveTo(offset);
      trial.producer.write(1);
      r.r1 = trial.queue.commit(offset) ? 1 : 0;
    }
  }

  @Actor
  public void consumer(IIII_Result r) {
    trial.queue.complete();
    r.r2 = poll();
  }

  @Arbiter
  public void owner(IIII_Result r) {
    int polled;
    while ((polled = poll()) > 0) {
      r.r3 = 10 * r.r3 + polled;
    }
    r.r4 = polled;
    trial.queue.abandon();
  }

  /**
   * The record's place in the trial or {@link Numbered#TORN}, 0 if there is none, or CLOSED (-3).
   */
  private int poll() {
    int count = trial.queue.tryPoll(trial.consumer, 1);
    if (count > 0) {
      int place = trial.consumer.whole(0);
      trial.queue.release(trial.consumer);
      return place;
    }
    return count;
  }
}
