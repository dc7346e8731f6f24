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
 * Hazard: two producers claim the same slot, and one event is lost; or one is published before the
 * other's claim has ended.
 *
 * <p>Known to fail: a claim that reads the tail and then writes it, instead of the exchange in
 * {@code Claims.tryAdvance}.
 *
 * <p>{@code stress/prove --all Sequencer_TwoProducersKeepBoth}
 */
@JCStressTest
@State
@Description("Events of two producers that claim at the same time are both there, and whole.")
@Outcome(id = "1, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "The left producer claimed first.")
@Outcome(id = "1, 1, 2, 1", expect = Expect.ACCEPTABLE, desc = "The right producer claimed first.")
@Outcome(
    id = {"0, .*", "., 0, .*"},
    expect = Expect.FORBIDDEN,
    desc = "A producer was told that the ring is full.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or twice there.")
public class Sequencer_TwoProducersKeepBoth {
  private static final Pool<RingTrial> POOL =
      new Pool<>(() -> RingTrial.ofStages(RingOptions.multiProducer(2)));

  private final RingTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  @Actor
  public void left(IIII_Result r) {
    r.r1 = trial.put(base + 1);
  }

  @Actor
  public void right(IIII_Result r) {
    r.r2 = trial.put(base + 2);
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r3 = trial.take(trial.left, base);
    r.r4 = trial.take(trial.left, base);
    trial.empty(base);
  }
}
