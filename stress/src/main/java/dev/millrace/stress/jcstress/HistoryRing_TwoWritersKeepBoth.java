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
 * Hazard: two writers get the same sequence, hence the same slot, and one record is lost.
 *
 * <p>Known to fail: a claim that reads the next sequence and then writes it, instead of {@code
 * getAndAdd}.
 *
 * <p>{@code stress/prove --all HistoryRing_TwoWritersKeepBoth}
 */
@JCStressTest
@State
@Description("Records of two writers in slots of their own are both kept, in the order of claims.")
@Outcome(id = "1, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "The left writer claimed first.")
@Outcome(id = "1, 1, 2, 1", expect = Expect.ACCEPTABLE, desc = "The right writer claimed first.")
@Outcome(
    id = {"0, .*", "., 0, .*"},
    expect = Expect.FORBIDDEN,
    desc = "A record was refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or twice there.")
public class HistoryRing_TwoWritersKeepBoth {
  private static final Pool<HistoryTrial> POOL = new Pool<>(() -> new HistoryTrial(2));

  private final HistoryTrial trial = POOL.take();
  private final long base = trial.history.claimedCount();

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
    if (trial.reader.latest(2) == 2) {
      r.r3 = trial.reader.at(0).whole(base);
      r.r4 = trial.reader.at(1).whole(base);
    }
    trial.giveBack();
  }
}
