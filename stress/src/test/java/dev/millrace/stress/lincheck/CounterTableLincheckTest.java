package dev.millrace.stress.lincheck;

import dev.millrace.stress.trial.SmallTable;
import dev.millrace.telemetry.Counter;
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
 * <p><b>Known to fail.</b> Two threads add as sole writers do.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all CounterTableLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class CounterTableLincheckTest {
  private static final Mix GAUGE = Mix.ofAny("set", "add", "get");
  private static final Mix STRIPES = Mix.ofAny("countInFirst", "countInSecond", "sum");
  private static final Mix SOLE_WRITER = Mix.ofOne("addAlone").and(Mix.ofAny("get"));
  private static final Mix TWO_WRITERS = Mix.ofAny("addAlone", "get");

  private static Trial trial(Mix mix, String about) {
    return Trial.of(Counter.class, Operations.class, about).mixing(mix).against(PlainNumber.class);
  }

  private static Trial stripes() {
    return trial(STRIPES, "stripes that are counted up make one counter");
  }

  @Test
  void gauge_whenModelChecked_isAtomic(TestInfo test) {
    trial(GAUGE, "a gauge is set, added to and read in one step each")
        .threads(2, 3)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  void stripes_whenModelChecked_sumUpToACounter(TestInfo test) {
    stripes().threads(3, 2).modelChecking(20, 500).passes(test);
  }

  @Test
  void soleWriter_whenModelChecked_isAtomicToItsReaders(TestInfo test) {
    trial(SOLE_WRITER, "a sole writer's additions are one step each")
        .threads(3, 2)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  void soleWriter_whenTwoThreadsAdd_isCaught(TestInfo test) {
    trial(TWO_WRITERS, "planted: two threads add as one alone does")
        .threads(2, 3)
        .modelChecking(30, 1_000)
        .isCaught(test);
  }

  /** On one counter, and on one of two stripes. */
  @Param(name = "number", gen = IntGen.class, conf = "1:3")
  public static class Operations {
    private final SmallTable one = table(1);
    private final SmallTable two = table(2);

    private static SmallTable table(int stripes) {
      SmallTable table = new SmallTable(stripes);
      table.allocate(0, stripes, 1);
      return table;
    }

    @Operation
    public void set(@Param(name = "number") int value) {
      one.set(0, value);
    }

    @Operation
    public void add(@Param(name = "number") int delta) {
      one.add(0, delta);
    }

    @Operation
    public void addAlone(@Param(name = "number") int delta) {
      one.addAlone(0, delta);
    }

    @Operation
    public long get() {
      return one.sum(0, 1);
    }

    @Operation
    public void countInFirst() {
      two.add(0, 1);
    }

    @Operation
    public void countInSecond() {
      two.add(1, 1);
    }

    @Operation
    public long sum() {
      return two.sum(0, 2);
    }
  }

  /** What a counter is. */
  public static class PlainNumber {
    private long value;

    public void set(int newValue) {
      value = newValue;
    }

    public void add(int delta) {
      value += delta;
    }

    public void addAlone(int delta) {
      add(delta);
    }

    public void countInFirst() {
      add(1);
    }

    public void countInSecond() {
      add(1);
    }

    public long get() {
      return value;
    }

    public long sum() {
      return value;
    }
  }
}
