package dev.millrace.stress.scenario;

import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.trial.SmallTable;

/** Counters that come and go in one slot, who writes them, and who watches. */
@ScenariosOf("CounterTable")
public final class CounterTableScenarios extends Steps {
  // ---- the life of a slot ----

  @About("a slot's label is whole and comes with its own values, however often it is used again")
  public void slotIsUsedAgain(Simulation run) {
    SmallTable table = new SmallTable(1);
    long first = table.allocate(0, 1, 1);
    table.set(0, 1);
    run.thread(
        "owner",
        () -> {
          table.free(0, first);
          long second = table.allocate(0, 1, 2);
          table.set(0, 2);
          table.free(0, second);
          table.allocate(0, 1, 3);
          table.set(0, 3);
        });
    addObserver(run, table, 3);
    run.atEnd(
        () -> {
          long[] seen = table.read(0);
          run.check(seen != null && seen[1] == 3 && seen[2] == 3, "the last is not there");
          run.check(seen[0] == 3, "of generation " + seen[0]);
        });
  }

  private static void addObserver(Simulation run, SmallTable table, int looks) {
    long[] generation = new long[1];
    run.thread("observer", times(looks, () -> generation[0] = look(run, table, generation[0])));
  }

  /** Reads slot 0; a gauge has the value of its number, or none yet. Returns the generation. */
  private static long look(Simulation run, SmallTable table, long former) {
    long[] seen = table.read(0);
    if (seen == null) {
      return former;
    }
    run.check(seen[0] >= former, "generation " + seen[0] + " came after " + former);
    run.check(seen[0] == seen[1], "number " + seen[1] + " has generation " + seen[0]);
    boolean isFirst = seen[1] == 1;
    run.check(
        seen[2] == seen[1] || (!isFirst && seen[2] == 0),
        "number " + seen[1] + " is shown with the value " + seen[2]);
    return seen[0];
  }

  /** A write to a counter by a thread that got it from the owner. */
  private interface Write {
    void to(SmallTable table);
  }

  /** A new counter in a used slot is written by another thread than made it. */
  private static void writeInUsedSlot(Simulation run, Write write) {
    SmallTable table = new SmallTable(1);
    long first = table.allocate(0, 1, 1);
    table.set(0, 1);
    Flag handed = new Flag();
    run.thread("owner", () -> table.free(0, first), () -> table.allocate(0, 1, 2), handed::raise);
    run.thread("writer", handed::await, () -> write.to(table));
    addObserver(run, table, 2);
    run.atEnd(
        () -> {
          long[] seen = table.read(0);
          run.check(seen != null && seen[1] == 2 && seen[2] == 2, "the write is not there");
        });
  }

  @About("what is added to a slot's next counter is never shown with the former label")
  public void addInUsedSlot(Simulation run) {
    writeInUsedSlot(run, table -> table.add(0, 2));
  }

  @About("what a sole writer adds to a slot's next counter is never shown with the former label")
  public void addAloneInUsedSlot(Simulation run) {
    writeInUsedSlot(run, table -> table.addAlone(0, 2));
  }

  @About("what a slot's next gauge is set to is never shown with the former label")
  public void setInUsedSlot(Simulation run) {
    writeInUsedSlot(run, table -> table.set(0, 2));
  }

  @About("stripes that are used by other counters afterwards are not summed up with them")
  public void stripeIsUsedAgain(Simulation run) {
    SmallTable table = new SmallTable(3);
    long striped = table.allocate(0, 3, 1);
    for (int slot = 0; slot < 3; slot++) {
      table.add(slot, 5);
    }
    run.thread(
        "owner",
        () -> table.free(0, striped),
        () -> table.allocate(2, 1, 2),
        () -> table.set(2, 7),
        () -> table.allocate(0, 2, 3),
        () -> table.add(1, 9));
    run.thread(
        "observer",
        () -> {
          for (int i = 0; i < 2; i++) {
            long[] head = table.read(0);
            run.check(
                head == null
                    || (head[1] == 1 && head[2] == 15)
                    || (head[1] == 3 && (head[2] == 0 || head[2] == 9)),
                "stripes show another's value");
            run.check(table.read(1) == null, "a stripe is taken for a counter");
            long[] last = table.read(2);
            run.check(
                last == null || (last[1] == 2 && (last[2] == 0 || last[2] == 7)),
                "a former stripe shows another's value");
          }
        });
    run.atEnd(
        () -> run.check(table.sum(0, 2) == 9, "summed up to " + table.sum(0, 2)),
        () -> run.check(table.sum(2, 1) == 7, "is " + table.sum(2, 1)));
  }

  @About("a slot's states follow each other, and only an allocated one is read")
  public void statesFollowEachOther(Simulation run) {
    SmallTable table = new SmallTable(1);
    run.thread(
        "owner",
        () -> {
          expect(run, table, "FREE", false);
          table.label(0, 1, 1);
          expect(run, table, "LABELLING", false);
          long word = table.publish(0);
          expect(run, table, "ALLOCATED", true);
          table.free(0, word);
          expect(run, table, "FREE", false);
          table.label(0, 1, 2);
          expect(run, table, "LABELLING", false);
        });
    Body look =
        () -> {
          table.state(0);
          long[] seen = table.read(0);
          run.check(seen == null || seen[2] == 0, "has a value that nobody wrote");
        };
    run.thread("observer", times(3, look));
    run.atEnd(() -> expect(run, table, "LABELLING", false));
  }

  private static void expect(Simulation run, SmallTable table, String state, boolean isRead) {
    run.check(table.state(0).equals(state), "is " + table.state(0) + ", should be " + state);
    run.check((table.read(0) != null) == isRead, "read while " + state);
  }

  // ---- values ----

  @About("additions by several threads all count, and no sum is too large or falls")
  public void additionsCount(Simulation run) {
    SmallTable table = new SmallTable(2);
    table.allocate(0, 2, 1);
    threads(run, 3, "adder", i -> times(2, () -> table.add(i / 2, 1)).run());
    addReader(run, table, 2);
  }

  @About("what a sole writer adds is seen by readers, in order")
  public void soleWriterAdds(Simulation run) {
    SmallTable table = new SmallTable(1);
    table.allocate(0, 1, 1);
    run.thread("writer", times(3, () -> table.addAlone(0, 2)));
    addReader(run, table, 1);
  }

  /** Adds a reader, to which the sum of some stripes rises up to 6. */
  private static void addReader(Simulation run, SmallTable table, int stripes) {
    long[] last = new long[1];
    Body read =
        () -> {
          long sum = table.sum(0, stripes);
          run.check(sum >= last[0] && sum <= 6, sum + " came after " + last[0]);
          last[0] = sum;
        };
    run.thread("reader", times(3, read));
    run.atEnd(() -> run.check(table.sum(0, stripes) == 6, "sum " + table.sum(0, stripes)));
  }

  @About("a gauge is what it was set to last")
  public void gaugeIsSet(Simulation run) {
    SmallTable table = new SmallTable(1);
    table.allocate(0, 1, 1);
    run.thread("sampler", () -> table.set(0, 3), () -> table.set(0, 2));
    run.thread(
        "reader",
        () -> {
          long first = table.sum(0, 1);
          long second = table.sum(0, 1);
          run.check(first == 0 || second != 0, "fell back to what it was at first");
          run.check(first != 2 || second == 2, "fell back from what it was last");
        });
    run.atEnd(() -> run.check(table.sum(0, 1) == 2, "is " + table.sum(0, 1)));
  }
}
