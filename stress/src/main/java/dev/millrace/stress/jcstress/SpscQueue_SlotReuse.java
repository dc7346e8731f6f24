package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIIII_Result;

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
@Outcome(
    id = "0, 1, 1, 1, 2",
    expect = Expect.ACCEPTABLE,
    desc = "Claimed before the release: full. The second record is left.")
@Outcome(
    id = "1, 1, 1, 1, 23",
    expect = Expect.ACCEPTABLE,
    desc = "Claimed after the release. The second and third records are left.")
@Outcome(id = "., .*3.*, .*", expect = Expect.FORBIDDEN, desc = "Overwritten while it was read.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, stale, or twice there.")
public class SpscQueue_SlotReuse {
  private static final Pool<SpscTrial> POOL = new Pool<>(() -> new SpscTrial(2));

  private final SpscTrial trial = POOL.take();
  private final long base = trial.reserve(3);

  public SpscQueue_SlotReuse() {
    ClaimWhileRead.fill(trial, base);
  }

  @Actor
  public void producer(IIIII_Result r) {
    ClaimWhileRead.put(trial, base, r);
  }

  @Actor
  public void consumer(IIIII_Result r) {
    ClaimWhileRead.poll(trial, base, r);
  }

  @Arbiter
  public void owner(IIIII_Result r) {
    ClaimWhileRead.takeRest(trial, base, r);
  }
}
