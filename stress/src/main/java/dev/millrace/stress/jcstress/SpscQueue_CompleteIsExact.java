package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: another thread completes while the producer claims: the consumer finds the end although a
 * record is committed later, or the close is lost.
 *
 * <p>Known to fail: {@code SpscQueue.complete} without its handshake.
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
public class SpscQueue_CompleteIsExact {
  // No pool: a completed queue is not used again.
  private final QueueTrial trial = QueueTrial.spsc(2);

  @Actor
  public void producer(III_Result r) {
    try {
      while (r.r1 < 2 && trial.put(r.r1 + 1)) {
        r.r1++;
      }
    } catch (IllegalStateException e) {
      // completed
    }
  }

  @Actor
  public void closerThenConsumer(III_Result r) {
    trial.queue.complete();
    while (!trial.queue.isDrained()) {
      if (trial.take(0) == r.r2 + 1) {
        r.r2++;
      }
    }
  }

  @Arbiter
  public void owner(III_Result r) {
    r.r3 = trial.queue.isDrained() ? 1 : 0;
    trial.queue.close();
  }
}
