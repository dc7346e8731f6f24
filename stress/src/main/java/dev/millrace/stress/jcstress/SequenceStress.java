package dev.millrace.stress.jcstress;

import dev.millrace.core.Sequence;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The modes of access to a {@link dev.millrace.core.Sequence}. */
public final class SequenceStress {
  private SequenceStress() {}

  /**
   * Hazard: who sees a released value does not see what was written before it, for a compiler or
   * the processor moved a write below the release or a read above the acquire.
   *
   * <p>Known to fail: {@code getPlain} instead of {@code getAcquire} in the reader.
   *
   * <p>{@code stress/prove --all Sequence_ReleaseAcquire}
   */
  @JCStressTest
  @State
  @Description(
      "What was written before setRelease is there after a getAcquire that sees its value.")
  @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Read before anything was written.")
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "Not released yet; the data race.")
  @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "Not released yet; the data race.")
  @Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "Not released yet; the data race.")
  @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Released, and all is there.")
  @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "Released, but a write is missing.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A value that nobody wrote.")
  public static class Sequence_ReleaseAcquire {
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

  /**
   * Hazard: two threads each announce themselves and then look for the other, and neither sees the
   * other, for both looks overtook the announcements.
   *
   * <p>Known to fail: {@code setRelease} instead of {@code setVolatile}.
   *
   * <p>{@code stress/prove --all Sequence_VolatileOrder}
   */
  @JCStressTest
  @State
  @Description(
      "Of two threads that setVolatile one sequence and getVolatile the other, one sees both.")
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The right one came first.")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The left one came first.")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Both wrote before both read.")
  @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "Neither sees the other.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A value that nobody wrote.")
  public static class Sequence_VolatileOrder {
    private final Sequence leftSequence = new Sequence();
    private final Sequence rightSequence = new Sequence();

    @Actor
    public void left(II_Result r) {
      leftSequence.setVolatile(1);
      r.r1 = (int) rightSequence.getVolatile();
    }

    @Actor
    public void right(II_Result r) {
      rightSequence.setVolatile(1);
      r.r2 = (int) leftSequence.getVolatile();
    }
  }
}
