package dev.millrace.stress.lincheck;

import dev.millrace.core.Sequence;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link Sequence} is an atomic number, whatever the mode of access.
 *
 * <p><b>Hazard.</b> A read-modify-write that is made of a read and a write loses what another
 * thread wrote in between: positions are claimed twice.
 *
 * <p><b>Known to fail.</b> {@link Operations#addInTwoSteps}, whose addition is a read and a write.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all SequenceLincheckTest}
 *
 * <p>All modes of access to one variable agree on one order of its values, so opaque, acquire and
 * release are linearizable here as volatile is; where they differ is in what they say of other
 * variables, which the queues' trials look at. Plain access is for a variable that no other thread
 * uses at that time, so it is tried by one thread only.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SequenceLincheckTest {
  private static final String[] BESIDES_PLAIN = {
    "getOpaque",
    "setOpaque",
    "getAcquire",
    "setRelease",
    "getVolatile",
    "setVolatile",
    "compareAndSet",
    "getAndSet",
    "toText"
  };
  private static final Mix ALL = Mix.ofAny(BESIDES_PLAIN).and(Mix.ofAny("getAndAdd"));
  private static final Mix PLANTED = Mix.ofAny(BESIDES_PLAIN).and(Mix.ofAny("addInTwoSteps"));
  private static final Mix PLAIN = Mix.ofOne("getPlain", "setPlain", "getVolatile", "setVolatile");

  private static Trial trial(Mix mix, String about) {
    return Trial.of(Sequence.class, Operations.class, about)
        .mixing(mix)
        .against(AtomicNumber.class);
  }

  private static Trial all() {
    return trial(ALL, "reads, writes and read-modify-writes are each one step");
  }

  private static Trial planted() {
    return trial(PLANTED, "planted: an addition in two steps");
  }

  @Test
  void allMethods_whenModelChecked_areAtomic(TestInfo test) {
    all().threads(3, 2).modelChecking(40, 1_000).passes(test);
  }

  @Test
  void plainMethods_whenOneThreadCalls_areThoseOfANumber(TestInfo test) {
    trial(PLAIN, "plain reads and writes, by the only user")
        .threads(1, 5)
        .modelChecking(20, 10)
        .passes(test);
  }

  @Test
  void getAndAdd_whenMadeOfReadAndWrite_isCaught(TestInfo test) {
    planted().threads(3, 2).modelChecking(40, 1_000).isCaught(test);
  }

  /** All that a sequence can do. */
  @Param(name = "number", gen = LongGen.class, conf = "0:3")
  public static class Operations {
    private final Sequence sequence = new Sequence();

    @Operation
    public long getPlain() {
      return sequence.getPlain();
    }

    @Operation
    public void setPlain(@Param(name = "number") long value) {
      sequence.setPlain(value);
    }

    @Operation
    public long getOpaque() {
      return sequence.getOpaque();
    }

    @Operation
    public void setOpaque(@Param(name = "number") long value) {
      sequence.setOpaque(value);
    }

    @Operation
    public long getAcquire() {
      return sequence.getAcquire();
    }

    @Operation
    public void setRelease(@Param(name = "number") long value) {
      sequence.setRelease(value);
    }

    @Operation
    public long getVolatile() {
      return sequence.getVolatile();
    }

    @Operation
    public void setVolatile(@Param(name = "number") long value) {
      sequence.setVolatile(value);
    }

    @Operation
    public boolean compareAndSet(
        @Param(name = "number") long expected, @Param(name = "number") long value) {
      return sequence.compareAndSet(expected, value);
    }

    @Operation
    public long getAndSet(@Param(name = "number") long value) {
      return sequence.getAndSet(value);
    }

    @Operation
    public long getAndAdd(@Param(name = "number") long delta) {
      return sequence.getAndAdd(delta);
    }

    @Operation
    public String toText() {
      return sequence.toString();
    }

    /** Planted: others may write between the two steps. */
    @Operation
    public long addInTwoSteps(@Param(name = "number") long delta) {
      long before = sequence.getVolatile();
      sequence.setVolatile(before + delta);
      return before;
    }
  }

  /** The specification: one call at a time, so the mode does not matter. */
  @SuppressWarnings("serial") // it never is
  public static class AtomicNumber extends AtomicLong {
    public long getVolatile() {
      return get();
    }

    public void setVolatile(long value) {
      set(value);
    }

    public String toText() {
      return toString();
    }

    public long addInTwoSteps(long delta) {
      return getAndAdd(delta);
    }
  }
}
