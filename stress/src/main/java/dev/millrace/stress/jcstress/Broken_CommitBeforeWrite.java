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
 * {@link SpscQueue_RecordIsWhole} with a producer that does it wrong. It runs whenever another
 * jcstress test does, and the run fails unless it is caught: were the tests blind, this one would
 * show it.
 */
@JCStressTest
@State
@Description("A producer that commits before it writes is caught.")
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before the commit.")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Polled, and whole by chance.")
@Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "A field is of an earlier record.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
public class Broken_CommitBeforeWrite {
  private static final Pool<QueueTrial> POOL = new Pool<>(() -> QueueTrial.spsc(2));

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(1);

  @Actor
  public void producer() {
    Numbered record = trial.producer.tryClaim();
    long offset = record.offset();
    trial.producer.commit();
    for (int i = 0; i < 64; i++) {
      Thread.onSpinWait(); // as long as a slow write takes
    }
    record.moveTo(offset);
    record.write(base + 1);
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
