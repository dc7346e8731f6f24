package dev.millrace.stress.jcstress;

import dev.millrace.disruptor.RingOptions;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Hazard: a consumer behind another handles an event before that one is through with it, or does
 * not see what that one wrote beside it; and the other way round, it writes into an event that the
 * one before it still reads.
 *
 * <p>Known to fail: a consumer that releases before it marks.
 *
 * <p>{@code stress/prove --all Sequencer_BehindSeesAll}
 */
@JCStressTest
@State
@Description("A consumer behind another sees what that one made of the event, or no event.")
@Outcome(id = "1, 0, 4, 5", expect = Expect.ACCEPTABLE, desc = "Looked before the release.")
@Outcome(id = "1, 4, 5, 0", expect = Expect.ACCEPTABLE, desc = "Looked after the release.")
@Outcome(
    id = {"1, 1, .*", "1, 2, .*"},
    expect = Expect.FORBIDDEN,
    desc = "Saw an event that was not marked.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or twice there.")
public class Sequencer_BehindSeesAll {
  private static final int BY = 3;
  private static final Pool<RingTrial> POOL =
      new Pool<>(() -> RingTrial.ofStages(RingOptions.singleProducer(2)));

  private final RingTrial trial = POOL.take();
  private final long base = trial.reserve(2 + BY);

  public Sequencer_BehindSeesAll() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void before(IIII_Result r) {
    r.r1 = trial.mark(base, BY);
  }

  @Actor
  public void behind(IIII_Result r) {
    r.r2 = trial.take(trial.right, base);
  }

  @Arbiter
  public void owner(IIII_Result r) {
    trial.mark(base, BY);
    r.r3 = trial.take(trial.right, base);
    r.r4 = trial.take(trial.right, base);
    trial.empty(base);
  }
}
