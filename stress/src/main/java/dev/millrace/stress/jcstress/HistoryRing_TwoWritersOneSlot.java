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
 * Hazard: a writer laps another that is still writing, and both write the same bytes; or the lapped
 * one commits all the same; or a refusal is not counted.
 *
 * <p>Known to fail: a {@code claimSlot} that ignores that the slot is in use; then a commit throws,
 * which is a test error.
 *
 * <p>{@code stress/prove --all HistoryRing_TwoWritersOneSlot}
 */
@JCStressTest
@State
@Description("Of two writers in the same slot at a time none tears the other's record.")
@Outcome(
    id = {"1, 1, 1, 0", "1, 1, 2, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "One after the other; the later record is kept.")
@Outcome(
    id = {"1, 0, 1, 1", "0, 1, 2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "One claimed first but came to the slot second, and was refused.")
@Outcome(
    id = "0, 0, 0, 2",
    expect = Expect.ACCEPTABLE_INTERESTING,
    desc = "One was lapped before it committed: both are refused.")
@Outcome(id = ".*-99.*", expect = Expect.FORBIDDEN, desc = "Torn.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Records committed, kept and refused do not agree.")
public class HistoryRing_TwoWritersOneSlot {
  private static final Pool<HistoryTrial> POOL = new Pool<>(() -> new HistoryTrial(1));

  private final HistoryTrial trial = POOL.take();
  private final long base = trial.history.claimedCount();
  private final long refusedBefore = trial.history.refusedCount();

  @Actor
  public void left(IIII_Result r) {
    r.r1 = trial.write(trial.first, base + 1) ? 1 : 0;
  }

  @Actor
  public void right(IIII_Result r) {
    r.r2 = trial.write(trial.second, base + 2) ? 1 : 0;
  }

  @Arbiter
  public void owner(IIII_Result r) {
    if (trial.reader.latest(1) == 1) {
      r.r3 = trial.reader.at(0).whole(base);
    }
    r.r4 = (int) (trial.history.refusedCount() - refusedBefore);
    trial.giveBack();
  }
}
