package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Hazard: of two threads that add at the same time, to the same stripe or to others, one's addition
 * is lost.
 *
 * <p>Known to fail: {@code CounterTable.add} that reads and then writes.
 *
 * <p>{@code stress/prove --all Counters_StripesLoseNothing}
 */
@JCStressTest
@State
@Description("Additions to a striped counter all count, and are seen when they are read.")
@Outcome(id = "[1-4], 4", expect = Expect.ACCEPTABLE, desc = "All count; own ones are seen.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An addition was lost, or counted twice.")
public class Counters_StripesLoseNothing {
  private static final Pool<CountersTrial> POOL = new Pool<>(() -> new CountersTrial(2));

  private final CountersTrial trial = POOL.take();
  private final long base = trial.counter.get();

  @Actor
  public void first(II_Result r) {
    trial.counter.increment();
    r.r1 = (int) (trial.counter.get() - base);
  }

  @Actor
  public void second() {
    trial.counter.increment();
    trial.counter.add(2);
  }

  @Arbiter
  public void total(II_Result r) {
    r.r2 = (int) (trial.counter.get() - base);
    trial.giveBack();
  }
}
