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
 * Hazard: the one writer, which updates nothing atomically, overwrites a record while a reader
 * copies it, and the reader takes the mixture for whole.
 *
 * <p>Known to fail: a claim of the one writer that does not stamp its slot before the record is
 * written.
 *
 * <p>{@code stress/prove --all HistoryRing_OneWriterNoTornRead}
 */
@JCStressTest
@State
@Description("A record read while the only writer overwrites it is whole, or not read at all.")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was being overwritten.")
@Outcome(id = "1, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "The record of the former trial.")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The first record.")
@Outcome(id = "1, 2, 2, 2", expect = Expect.ACCEPTABLE, desc = "The second record.")
@Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "Torn: fields of several records.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
public class HistoryRing_OneWriterNoTornRead {
  private static final Pool<HistoryTrial> POOL = new Pool<>(() -> HistoryTrial.ofOneWriter(1));

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
