package dev.millrace.stress.jcstress;

import dev.millrace.core.Producer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Hazard: two producers claim the same slot, and one record is lost.
 *
 * <p>Known to fail: a claim that reads the tail and then writes it, instead of the exchange in
 * {@code Claims.tryAdvance}.
 *
 * <p>{@code stress/prove --all MpscQueue_TwoProducersKeepBoth}
 */
@JCStressTest
@State
@Description("Records of two producers that claim at the same time are both there, and whole.")
@Outcome(id = "1, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "The left producer claimed first.")
@Outcome(id = "1, 1, 2, 1", expect = Expect.ACCEPTABLE, desc = "The right producer claimed first.")
@Outcome(
    id = {"0, .*", "., 0, .*"},
    expect = Expect.FORBIDDEN,
    desc = "A producer was told that the queue is full.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or twice there.")
public class MpscQueue_TwoProducersKeepBoth {
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.mpsc(2));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  @Actor
  public void left(IIII_Result r) {
    r.r1 = put(trial.producer, base + 1);
  }

  @Actor
  public void right(IIII_Result r) {
    r.r2 = put(trial.other, base + 2);
  }

  private static int put(Producer<Numbered> producer, long number) {
    return QueueTrial.put(producer, number) ? 1 : 0;
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r3 = trial.take(base);
    r.r4 = trial.take(base);
    trial.takeRest(base);
  }
}
