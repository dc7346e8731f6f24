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
 * Hazard: the stamp of a single record is seen before its bytes, so that the consumer reads what a
 * record of an earlier lap left in the slot.
 *
 * <p>Known to fail: a producer that commits before it writes, {@link Broken_CommitBeforeWrite}.
 *
 * <p>{@code stress/prove --all SpscQueue_RecordIsWhole}
 */
@JCStressTest
@State
@Description("A record that is polled has all its bytes.")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before the commit.")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Polled, and whole.")
@Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "A field is of an earlier record.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
public class SpscQueue_RecordIsWhole {
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.spsc(2));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(1);

  @Actor
  public void producer() {
    trial.put(base + 1);
  }

  @Actor
  public void consumer(IIII_Result r) {
    trial.pollFields(base, r);
  }

  @Arbiter
  public void owner() {
    trial.takeRest(base);
  }
}
