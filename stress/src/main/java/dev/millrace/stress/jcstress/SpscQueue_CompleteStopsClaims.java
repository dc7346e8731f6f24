package dev.millrace.stress.jcstress;

import dev.millrace.queues.OffHeapQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: another thread completes while the producer raises its limit, which closing overwrites:
 * the close is lost, or a record that was committed is never delivered.
 *
 * <p>Known to fail: {@code Gate.admits} that raises the limit by a plain write instead of a
 * compare-and-set.
 *
 * <p>{@code stress/prove --all SpscQueue_CompleteStopsClaims}
 */
@JCStressTest
@State
@Description(
    "After complete() by another thread no claim succeeds, and what was committed is there.")
@Outcome(id = "0, 0, -3", expect = Expect.ACCEPTABLE, desc = "Completed before the first claim.")
@Outcome(id = "1, 1, -3", expect = Expect.ACCEPTABLE, desc = "Completed between the claims.")
@Outcome(id = "2, 2, -3", expect = Expect.ACCEPTABLE, desc = "Completed after both claims.")
@Outcome(id = ".*, .*, -3", expect = Expect.FORBIDDEN, desc = "A committed record is lost.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The queue is still open.")
public class SpscQueue_CompleteStopsClaims {
  // No pool: a completed queue is not used again.
  private final SpscTrial trial = new SpscTrial(2);

  public SpscQueue_CompleteStopsClaims() {
    // Once around, so that the producer's first claim has to raise the limit.
    trial.put(1);
    trial.put(2);
    trial.take(0);
    trial.take(0);
  }

  @Actor
  public void producer(III_Result r) {
    long offset;
    while (r.r1 < 2 && (offset = trial.queue.tryClaim()) >= 0) {
      trial.queue.commit(offset);
      r.r1++;
    }
  }

  @Actor
  public void closer() {
    trial.queue.complete();
  }

  @Arbiter
  public void owner(III_Result r) {
    long offset;
    while ((offset = trial.queue.tryPoll()) >= 0) {
      trial.queue.release(offset);
      r.r2++;
    }
    r.r3 = (int) trial.queue.tryClaim();
    if (offset != OffHeapQueue.CLOSED) {
      trial.queue.abandon();
    }
  }
}
