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
 * Hazard: the consumer sees a run, or a part of it, without its bytes.
 *
 * <p>Known to fail: a producer that commits the run before it writes the last record of it.
 *
 * <p>{@code stress/prove --all SpscQueue_RunIsWhole}
 */
@JCStressTest
@State
@Description("Of a run of two a poll gets nothing or both, whole.")
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before the commit.")
@Outcome(id = "2, 1, 2", expect = Expect.ACCEPTABLE, desc = "Polled after the commit.")
@Outcome(id = ".*-.*", expect = Expect.FORBIDDEN, desc = "A torn record, or one of a former trial.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Half a run.")
public class SpscQueue_RunIsWhole {
  // Of four slots and two records a trial: no run crosses the ring's end.
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.spsc(4));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  @Actor
  public void producer() {
    trial.producer.tryClaim(2);
    trial.producer.at(0).write(base + 1);
    trial.producer.at(1).write(base + 2);
    trial.producer.commit();
  }

  @Actor
  public void consumer(III_Result r) {
    r.r1 = trial.consumer.tryPoll(4);
    if (r.r1 > 0) {
      r.r2 = trial.consumer.at(0).whole(base);
      r.r3 = r.r1 > 1 ? trial.consumer.at(1).whole(base) : 0;
      trial.consumer.release();
    }
  }

  @Arbiter
  public void owner() {
    trial.takeRest(base);
  }
}
