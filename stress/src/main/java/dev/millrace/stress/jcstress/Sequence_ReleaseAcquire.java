package dev.millrace.stress.jcstress;

import dev.millrace.core.Sequence;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: who sees a released value does not see what was written before it, for a compiler or the
 * processor moved a write below the release or a read above the acquire.
 *
 * <p>Known to fail: {@code getPlain} instead of {@code getAcquire} in the reader.
 *
 * <p>{@code stress/prove --all Sequence_ReleaseAcquire}
 */
@JCStressTest
@State
@Description("What was written before setRelease is there after a getAcquire that sees its value.")
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Read before anything was written.")
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "Not released yet; the data race.")
@Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "Not released yet; the data race.")
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "Not released yet; the data race.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Released, and all is there.")
@Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "Released, but a write is missing.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A value that nobody wrote.")
public class Sequence_ReleaseAcquire {
  private final Sequence sequence = new Sequence();
  private int left;
  private int right;

  @Actor
  public void writer() {
    left = 1;
    right = 1;
    sequence.setRelease(1);
  }

  @Actor
  public void reader(III_Result r) {
    r.r1 = (int) sequence.getAcquire();
    r.r2 = left;
    r.r3 = right;
  }
}
