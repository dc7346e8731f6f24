package dev.millrace.stress.lincheck;

import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Inside.Table;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each kind of counter is an atomic number; the sum of stripes is one as long as additions are of
 * one.
 *
 * <p><b>Hazard.</b> An addition that is lost, or counted by one reader and not by a later one.
 *
 * <p><b>Known to fail.</b> {@link SharedByMistake}: two threads add as sole writers do.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=CounterTableLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Djcstress.skip}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class CounterTableLincheckTest {
  @Test
  void gauge_whenModelChecked_isAtomic(TestInfo test) {
    Trial.of(Counter.class, Gauge.class, "a gauge is set, added to and read in one step each")
        .against(PlainNumber.class)
        .threads(2, 3)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  void stripes_whenModelChecked_sumUpToACounter(TestInfo test) {
    Trial.of(Counter.class, Striped.class, "stripes that are counted up make one counter")
        .against(PlainCount.class)
        .threads(3, 2)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void stripes_whenStressed_sumUpToACounter(TestInfo test) {
    Trial.of(Counter.class, Striped.class, "stripes that are counted up make one counter")
        .against(PlainCount.class)
        .threads(2, 3)
        .stress(30, 1_000)
        .passes(test);
  }

  @Test
  void soleWriter_whenModelChecked_isAtomicToItsReaders(TestInfo test) {
    Trial.of(Counter.class, OneWriter.class, "a sole writer's additions are one step each")
        .against(PlainNumber.class)
        .threads(3, 2)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  void soleWriter_whenTwoThreadsAdd_isCaught(TestInfo test) {
    Trial.of(Counter.class, SharedByMistake.class, "planted: two threads add as one alone does")
        .against(PlainNumber.class)
        .threads(2, 3)
        .modelChecking(30, 1_000)
        .isCaught(test);
  }

  private static Table table(int stripes) {
    Table table = new Table(stripes);
    table.allocate(0, stripes, 1);
    return table;
  }

  /** Operations of any thread. */
  @Param(name = "number", gen = IntGen.class, conf = "1:3")
  public static class Gauge {
    final Table table = table(1);

    @Operation
    public void set(@Param(name = "number") int value) {
      table.set(0, value);
    }

    @Operation
    public void add(@Param(name = "number") int delta) {
      table.add(0, delta);
    }

    @Operation
    public long get() {
      return table.sum(0, 1);
    }
  }

  /** One adds, others read. */
  @Param(name = "number", gen = IntGen.class, conf = "1:3")
  public static class OneWriter {
    final Table table = table(1);

    @Operation(nonParallelGroup = "writer")
    public void add(@Param(name = "number") int delta) {
      table.addAlone(0, delta);
    }

    @Operation
    public long get() {
      return table.sum(0, 1);
    }
  }

  /** What the sole writer must not be: several. */
  @Param(name = "number", gen = IntGen.class, conf = "1:3")
  public static class SharedByMistake {
    final Table table = table(1);

    @Operation
    public void add(@Param(name = "number") int delta) {
      table.addAlone(0, delta);
    }

    @Operation
    public long get() {
      return table.sum(0, 1);
    }
  }

  /** What a number is. */
  public static class PlainNumber {
    private long value;

    public void set(int newValue) {
      value = newValue;
    }

    public void add(int delta) {
      value += delta;
    }

    public long get() {
      return value;
    }
  }

  /** Two stripes, each for whoever is told to use it. */
  public static class Striped {
    final Table table = table(2);

    @Operation
    public void countInFirst() {
      table.add(0, 1);
    }

    @Operation
    public void countInSecond() {
      table.add(1, 1);
    }

    @Operation
    public long get() {
      return table.sum(0, 2);
    }
  }

  /** What a count is. */
  public static class PlainCount {
    private long value;

    public void countInFirst() {
      value++;
    }

    public void countInSecond() {
      value++;
    }

    public long get() {
      return value;
    }
  }
}
