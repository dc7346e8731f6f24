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
 * Hazard: a producer puts a record into the head's segment, which a consumer has found empty and
 * passes; nobody looks there again.
 *
 * <p>Known to fail: {@code KFifoQueue.isInside} that returns true at once, or that reads a head
 * older than its own exchange.
 *
 * <p>{@code stress/prove --all KFifoQueue_PutMeetsPass}
 */
@JCStressTest
@State
@Description("A record that is put while a consumer moves the head on is not lost.")
@Outcome(
    id = {"1, 1, 2, 0", "1, 1, 0, 2"},
    expect = Expect.ACCEPTABLE,
    desc = "The consumer took the first record, and perhaps the second.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or twice there.")
public class KFifoQueue_PutMeetsPass {
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.kFifo(1, 2));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(2);

  public KFifoQueue_PutMeetsPass() {
    trial.put(base + 1);
  }

  @Actor
  public void producer(IIII_Result r) {
    r.r1 = trial.put(base + 2) ? 1 : 0;
  }

  @Actor
  public void consumer(IIII_Result r) {
    r.r2 = trial.take(base);
    r.r3 = trial.take(base);
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r4 = trial.takeRest(base);
  }
}
