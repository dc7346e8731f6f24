package dev.millrace.stress.jcstress;

import dev.millrace.disruptor.RingOptions;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Hazard: a producer gets the slot of an event that a worker still has in its hand, because the
 * group's cursor, which has passed it, is taken for the end of its use.
 *
 * <p>Known to fail: a {@code Gate.slowest} that looks at the first sequence alone, which is the
 * cursor.
 *
 * <p>{@code stress/prove --all SharedConsumer_InHandHoldsBack}
 */
@JCStressTest
@State
@Description(
    "The first of two slots is claimed again only when the worker that took it is through.")
@Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "Still in hand: full.")
@Outcome(id = "1, 2, 1, 3", expect = Expect.ACCEPTABLE, desc = "Claimed after the release.")
@Outcome(
    id = "2, 1, 0, 0",
    expect = Expect.ACCEPTABLE,
    desc = "The other was first, and said full.")
@Outcome(id = "2, 1, 1, 3", expect = Expect.ACCEPTABLE, desc = "The other was first, and claimed.")
@Outcome(id = "3, .*", expect = Expect.FORBIDDEN, desc = "Overwritten while it was read.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or went to both.")
public class SharedConsumer_InHandHoldsBack {
  private static final Pool<RingTrial> POOL =
      new Pool<>(() -> RingTrial.ofWorkers(RingOptions.singleProducer(2)));

  private final RingTrial trial = POOL.take();
  private final long base = trial.reserve(3);

  public SharedConsumer_InHandHoldsBack() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void worker(IIII_Result r) {
    r.r1 = trial.take(trial.left, base);
  }

  @Actor
  public void workerThenProducer(IIII_Result r) {
    r.r2 = trial.take(trial.right, base);
    r.r3 = trial.put(base + 3);
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r4 = trial.take(trial.left, base);
    trial.empty(base);
  }
}
