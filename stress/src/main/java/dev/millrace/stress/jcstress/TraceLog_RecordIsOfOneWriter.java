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
 * Hazard: a record is read with the fields of one writer and the name, time or text of another that
 * overwrites it.
 *
 * <p>Known to fail: {@code HistoryCursor.copy} that returns the stamp of its first look.
 *
 * <p>{@code stress/prove --all TraceLog_RecordIsOfOneWriter}
 */
@JCStressTest
@State
@Description("Writer, time, fields and text of a trace record that is read are of one record.")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was being overwritten.")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The first writer's record.")
@Outcome(id = "2, 2, 2, 2", expect = Expect.ACCEPTABLE, desc = "The second writer's record.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A mixture of two records.")
public class TraceLog_RecordIsOfOneWriter {
  private static final Pool<TraceTrial> POOL = new Pool<>(() -> new TraceTrial(1));

  private final TraceTrial trial = POOL.take();

  @Actor
  public void writers() {
    trial.write(1);
    trial.write(2);
  }

  @Actor
  public void reader(IIII_Result r) {
    trial.read(r);
  }

  @Arbiter
  public void owner() {
    trial.drain();
    trial.giveBack();
  }
}
