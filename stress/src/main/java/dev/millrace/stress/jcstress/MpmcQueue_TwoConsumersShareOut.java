package dev.millrace.stress.jcstress;

import dev.millrace.queues.QueueOptions;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: two consumers get the same record; or one is told that there is none, because the record
 * that it looked at was taken by the other, while the next is there.
 *
 * <p>Known to fail: a poll that reads the head and then writes it, instead of the exchange in
 * {@code MpmcConsumer.take}; and {@code Claims.ready} that says 0 where it must look again.
 *
 * <p>{@code stress/prove --all MpmcQueue_TwoConsumersShareOut}
 */
@JCStressTest
@State
@Description("Of two records each of two consumers gets one.")
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "The left consumer was first.")
@Outcome(id = "2, 1, 0", expect = Expect.ACCEPTABLE, desc = "The right consumer was first.")
@Outcome(
    id = {"0, .*", "., 0, .*"},
    expect = Expect.FORBIDDEN,
    desc = "A consumer was told that there is none.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or went to both.")
public class MpmcQueue_TwoConsumersShareOut {
  private static final Pool<QueueTrial> POOL =
      new Pool<>(() -> QueueTrial.mpmc(QueueOptions.ofCapacity(2)));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  public MpmcQueue_TwoConsumersShareOut() {
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
