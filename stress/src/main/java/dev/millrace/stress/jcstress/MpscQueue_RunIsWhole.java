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
 * Hazard: a run is published by the stamp of its first slot alone, which counts the others. The
 * consumer may see part of the run, or records without their bytes.
 *
 * <p>Known to fail: a producer that commits the run before it writes the last record of it.
 *
 * <p>{@code stress/prove --all MpscQueue_RunIsWhole}
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
public class MpscQueue_RunIsWhole {
  // Of four slots, of which each trial uses all: no run crosses the ring's end.
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.mpsc(4));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(4);

  @Actor
  public void producer() {
    trial.putRecordThenRun(base);
  }

  @Actor
  public void consumer(IIII_Result r) {
    trial.pollRun(base, r);
  }

  @Arbiter
  public void owner() {
    trial.put(base + 4);
    trial.takeRest(base);
  }
}
