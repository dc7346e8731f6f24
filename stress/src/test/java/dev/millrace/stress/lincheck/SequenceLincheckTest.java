package dev.millrace.stress.lincheck;

import dev.millrace.core.Sequence;
import org.jetbrains.lincheck.datastructures.IntGen;
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
 * <p><b>Known to fail.</b> {@link LosesAdditions}, whose addition is a read and a write.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=SequenceLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 *
 * <p>All modes of access to one variable agree on one order of its values, so opaque, acquire and
 * release are linearizable here as volatile is; where they differ is in what they say of other
 * variables, which the queues' trials look at. Plain access is for a variable that no other thread
 * uses at that time, so it is tried by one thread only.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SequenceLincheckTest {
  private static final String ATOMIC = "reads, writes and read-modify-writes are each one step";

  @Test
  void allMethods_whenModelChecked_areAtomic(TestInfo test) {
    Trial.of(Sequence.class, Shared.class, ATOMIC)
        .against(AtomicNumber.class)
        .threads(3, 2)
        .modelChecking(40, 1_000)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void allMethods_whenStressed_areAtomic(TestInfo test) {
    Trial.of(Sequence.class, Shared.class, ATOMIC)
        .against(AtomicNumber.class)
        .threads(2, 3)
        .stress(40, 1_000)
        .passes(test);
  }

  @Test
  void plainMethods_whenOneThreadCalls_areThoseOfANumber(TestInfo test) {
    Trial.of(Sequence.class, Owned.class, "plain reads and writes, by the only user")
        .against(AtomicNumber.class)
        .threads(1, 5)
        .modelChecking(20, 10)
        .passes(test);
  }

  @Test
  void getAndAdd_whenMadeOfReadAndWrite_isCaught(TestInfo test) {
    Trial.of(Sequence.class, LosesAdditions.class, "planted: an addition in two steps")
        .against(AtomicNumber.class)
        .threads(3, 2)
        .modelChecking(40, 1_000)
        .isCaught(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void getAndAdd_whenMadeOfReadAndWriteAndStressed_isCaught(TestInfo test) {
    Trial.of(Sequence.class, LosesAdditions.class, "planted: an addition in two steps")
        .against(AtomicNumber.class)
        .threads(2, 3)
        .stress(40, 3_000)
        .isCaught(test);
  }

  /** Operations of any thread. */
  @Param(name = "number", gen = IntGen.class, conf = "0:3")
  public static class Shared {
    final Sequence sequence = new Sequence();

    @Operation
    public long getOpaque() {
      return sequence.getOpaque();
    }

    @Operation
    public void setOpaque(@Param(name = "number") int value) {
      sequence.setOpaque(value);
    }

    @Operation
    public long getAcquire() {
      return sequence.getAcquire();
    }

    @Operation
    public void setRelease(@Param(name = "number") int value) {
      sequence.setRelease(value);
    }

    @Operation
    public long getVolatile() {
      return sequence.getVolatile();
    }

    @Operation
    public void setVolatile(@Param(name = "number") int value) {
      sequence.setVolatile(value);
    }

    @Operation
    public boolean compareAndSet(
        @Param(name = "number") int expected, @Param(name = "number") int value) {
      return sequence.compareAndSet(expected, value);
    }

    @Operation
    public long getAndSet(@Param(name = "number") int value) {
      return sequence.getAndSet(value);
    }

    @Operation
    public long getAndAdd(@Param(name = "number") int delta) {
      return add(delta);
    }

    @Operation
    public String text() {
      return sequence.toString();
    }

    long add(int delta) {
      return sequence.getAndAdd(delta);
    }
  }

  /** Operations of a sequence that only one thread uses. */
  @Param(name = "number", gen = IntGen.class, conf = "0:3")
  public static class Owned {
    private final Sequence sequence = new Sequence();

    @Operation(nonParallelGroup = "owner")
    public long getPlain() {
      return sequence.getPlain();
    }

    @Operation(nonParallelGroup = "owner")
    public void setPlain(@Param(name = "number") int value) {
      sequence.setPlain(value);
    }

    @Operation(nonParallelGroup = "owner")
    public long getVolatile() {
      return sequence.getVolatile();
    }

    @Operation(nonParallelGroup = "owner")
    public void setVolatile(@Param(name = "number") int value) {
      sequence.setVolatile(value);
    }
  }

  /** Planted: adds in two steps. */
  public static class LosesAdditions extends Shared {
    @Override
    long add(int delta) {
      long before = sequence.getVolatile();
      sequence.setVolatile(before + delta);
      return before;
    }
  }

  /** The specification. */
  public static class AtomicNumber {
    private long number;

    public long getPlain() {
      return number;
    }

    public long getOpaque() {
      return number;
    }

    public long getAcquire() {
      return number;
    }

    public long getVolatile() {
      return number;
    }

    public String text() {
      return Long.toString(number);
    }

    public void setPlain(int value) {
      number = value;
    }

    public void setOpaque(int value) {
      number = value;
    }

    public void setRelease(int value) {
      number = value;
    }

    public void setVolatile(int value) {
      number = value;
    }

    public boolean compareAndSet(int expected, int value) {
      boolean isExpected = number == expected;
      number = isExpected ? value : number;
      return isExpected;
    }

    public long getAndSet(int value) {
      long before = number;
      number = value;
      return before;
    }

    public long getAndAdd(int delta) {
      long before = number;
      number += delta;
      return before;
    }
  }
}
