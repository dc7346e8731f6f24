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
 * Hazard: two workers get the same event; or one is told that there is none, because the event that
 * it looked at was taken by the other, while the next is there; or what one has in its hand is
 * taken for free for ever.
 *
 * <p>Known to fail: a poll that reads the cursor and then writes it, instead of the exchange in
 * {@code SharedConsumer.take}.
 *
 * <p>{@code stress/prove --all SharedConsumer_TwoWorkersShareOut}
 */
@JCStressTest
@State
@Description("Of two events each of two workers gets one, and then both slots are free.")
@Outcome(id = "1, 2, 0, 2", expect = Expect.ACCEPTABLE, desc = "The left worker was first.")
@Outcome(id = "2, 1, 0, 2", expect = Expect.ACCEPTABLE, desc = "The right worker was first.")
@Outcome(
    id = {"0, .*", "., 0, .*"},
    expect = Expect.FORBIDDEN,
    desc = "A worker was told that there is none.")
@Outcome(id = ".*, [01]", expect = Expect.FORBIDDEN, desc = "A slot is not free again.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or went to both.")
public class SharedConsumer_TwoWorkersShareOut {
  private static final Pool<RingTrial> POOL =
      new Pool<>(() -> RingTrial.ofWorkers(RingOptions.multiProducer(2)));

  private final RingTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  public SharedConsumer_TwoWorkersShareOut() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void left(IIII_Result r) {
    r.r1 = trial.take(trial.left, base);
  }

  @Actor
  public void right(IIII_Result r) {
    r.r2 = trial.take(trial.right, base);
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r3 = trial.take(trial.left, base);
    r.r4 = trial.sequencer.remainingCapacity();
    trial.empty(base);
  }
}
