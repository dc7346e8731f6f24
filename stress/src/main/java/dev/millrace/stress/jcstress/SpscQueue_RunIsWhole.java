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
 * Hazard: a run is published by the tail alone, past a single record that was published by its
 * stamp alone. The consumer may see part of the run, or records without their bytes, or the run
 * without the single record before it.
 *
 * <p>Known to fail: a producer that commits the run before it writes the last record of it.
 *
 * <p>{@code stress/prove --all SpscQueue_RunIsWhole}
 */
@JCStressTest
@State
@Description("Of a record and a run after it, a poll gets nothing, the record, or all; and whole.")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before both commits.")
@Outcome(id = "1, 1, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled between the commits.")
@Outcome(id = "3, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "Polled after both commits.")
@Outcome(id = "2, .*", expect = Expect.FORBIDDEN, desc = "Half a run.")
@Outcome(id = ".*-.*", expect = Expect.FORBIDDEN, desc = "A torn record, or one of a former trial.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
public class SpscQueue_RunIsWhole {
  // Of four slots and three records a trial, every second run or so crosses the ring's end.
  private static final Pool<SpscTrial> POOL = new Pool<>(() -> new SpscTrial(4));

  private final SpscTrial trial = POOL.take();
  private final long base = trial.reserve(3);

  @Actor
  public void producer() {
    RecordThenRun.put(trial, base);
  }

  @Actor
  public void consumer(IIII_Result r) {
    RecordThenRun.poll(trial, base, r);
  }

  @Arbiter
  public void owner() {
    trial.empty(base);
  }
}
