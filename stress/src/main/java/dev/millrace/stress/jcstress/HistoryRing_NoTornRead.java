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
 * Hazard: a reader copies a record while a writer overwrites it, and takes the mixture for whole.
 *
 * <p>Known to fail: {@code HistoryCursor.copy} that returns the stamp of its first look.
 *
 * <p>{@code stress/prove --all HistoryRing_NoTornRead}
 */
@JCStressTest
@State
@Description("A record that is read while its slot is overwritten is whole, or not read at all.")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was being overwritten.")
@Outcome(id = "1, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "The record of the former trial.")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The first record.")
@Outcome(id = "1, 2, 2, 2", expect = Expect.ACCEPTABLE, desc = "The second record.")
@Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "Torn: fields of several records.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
public class HistoryRing_NoTornRead {
  private static final Pool<HistoryTrial> POOL = new Pool<>(() -> new HistoryTrial(1));

  private final HistoryTrial trial = POOL.take();
  private final long base = trial.history.claimedCount();

  @Actor
  public void writer() {
    trial.write(trial.first, base + 1);
    trial.write(trial.first, base + 2);
  }

  @Actor
  public void reader(IIII_Result r) {
    trial.readLatest(r, base);
  }

  @Arbiter
  public void owner() {
    trial.giveBack();
  }
}
