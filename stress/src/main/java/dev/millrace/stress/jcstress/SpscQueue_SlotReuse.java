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
public class SpscQueue_SlotReuse {
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.spsc(2));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(3);

  public SpscQueue_SlotReuse() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void producer(III_Result r) {
    r.r1 = trial.put(base + 3) ? 1 : 0;
  }

  @Actor
  public void consumer(III_Result r) {
    r.r2 = trial.take(base);
  }

  @Arbiter
  public void owner(III_Result r) {
    r.r3 = trial.takeRest(base);
  }
}
