package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: two consumers get the same record, or one is told that there is none though there is
 * another.
 *
 * <p>Known to fail: a {@code KFifoQueue.take} that reads a place and then writes it, instead of the
 * exchange.
 *
 * <p>{@code stress/prove --all KFifoQueue_TwoConsumersShareOut}
 */
@JCStressTest
@State
@Description("Of two records each of two consumers gets one.")
@Outcome(
    id = {"1, 2, 0", "2, 1, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Each consumer has one.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or went to both.")
public class KFifoQueue_TwoConsumersShareOut {
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.kFifo(2, 2));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  public KFifoQueue_TwoConsumersShareOut() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void left(III_Result r) {
    r.r1 = QueueTrial.take(trial.consumer, base);
  }

  @Actor
  public void right(III_Result r) {
    r.r2 = QueueTrial.take(trial.rival, base);
  }

  @Arbiter
  public void owner(III_Result r) {
    r.r3 = trial.takeRest(base);
  }
}
