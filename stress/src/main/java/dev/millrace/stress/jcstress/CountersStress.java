package dev.millrace.stress.jcstress;

import java.util.Map;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Counters and gauges, and their readers. */
public final class CountersStress {
  private CountersStress() {}

  /**
   * Hazard: an observer reads the label of a gauge that is being freed, and then the value of the
   * one that follows in its place.
   *
   * <p>Known to fail: {@code CounterTable.read} that does not look at the state again.
   *
   * <p>{@code stress/prove --all Counters_LabelAndValueBelongTogether}
   */
  @JCStressTest
  @State
  @Description("A value that is read while its place is given to another comes with its own label.")
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was free, or being labelled.")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The former gauge.")
  @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "The next one, before it was set.")
  @Outcome(id = "2, 2", expect = Expect.ACCEPTABLE, desc = "The next one.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A label with another's value.")
  public static class Counters_LabelAndValueBelongTogether {
    private static final Pool<CountersTrial> POOL = new Pool<>(() -> made());

    private final CountersTrial trial = POOL.take();

    private static CountersTrial made() {
      CountersTrial trial = new CountersTrial(1);
      trial.replace(1);
      return trial;
    }

    @Actor
    public void owner() {
      trial.replace(2);
    }

    @Actor
    public void observer(II_Result r) {
      for (Map.Entry<String, Long> reading : trial.reader.gauges().entrySet()) {
        r.r1 = Integer.parseInt(reading.getKey());
        r.r2 = reading.getValue().intValue();
      }
    }

    @Arbiter
    public void again() {
      trial.replace(1);
      trial.giveBack();
    }
  }

  /**
   * Hazard: of two threads that add at the same time, to the same stripe or to others, one's
   * addition is lost.
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
  public static class Counters_StripesLoseNothing {
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
}
