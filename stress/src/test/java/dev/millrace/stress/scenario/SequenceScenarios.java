package dev.millrace.stress.scenario;

import dev.millrace.core.Sequence;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** What the access modes of a sequence promise. */
@ScenariosOf("Sequence")
public class SequenceScenarios extends Steps {
  /** Makes a sequence of the kind. */
  Sequence sequence(long value) {
    return new Sequence(value);
  }

  private Sequence sequence() {
    return sequence(0);
  }

  @About("setRelease and getAcquire publish")
  public void releasePublishes(Simulation run) {
    Sequence sequence = sequence();
    publishes(run, () -> sequence.setRelease(1), () -> sequence.getAcquire() == 1);
  }

  @About("compareAndSet and getAndSet publish what came before them to who reads their value")
  public void exchangePublishes(Simulation run) {
    Sequence byCompare = sequence();
    Sequence bySet = sequence();
    Sequence byAdd = sequence();
    publishes(
        run,
        () -> {
          run.check(byCompare.compareAndSet(0, 1), "the value was another");
          bySet.getAndSet(1);
          byAdd.getAndAdd(1);
        },
        () -> byCompare.getAcquire() == 1 || bySet.getAcquire() == 1 || byAdd.getAcquire() == 1,
        () -> byAdd.getAndAdd(0) == 1 || bySet.getAndSet(2) == 1 || byCompare.compareAndSet(1, 2));
  }

  @About("setVolatile and getVolatile publish, and have one order for all threads")
  public void volatilesHaveOneOrder(Simulation run) {
    Sequence[] sequences = {sequence(), sequence()};
    long[] seen = new long[2];
    Numbered step =
        i -> {
          sequences[i].setVolatile(1);
          seen[i] = sequences[1 - i].getVolatile();
        };
    threads(run, 2, "thread", step);
    run.atEnd(() -> run.check(seen[0] + seen[1] > 0, "each came before the other"));
  }

  @About("opaque writes are seen in order, and no read goes back")
  public void opaqueIsCoherent(Simulation run) {
    Sequence sequence = sequence();
    run.thread("writer", rounds(3, i -> sequence.setOpaque(1 + i)));
    run.thread(
        "reader",
        () -> {
          long first = sequence.getOpaque();
          long second = sequence.getOpaque();
          run.check(first <= second, second + " was read after " + first);
          run.check(Long.parseLong(sequence.toString()) >= second, "printed an older value");
        });
    run.atEnd(() -> run.check(sequence.getPlain() == 3, "the last write is not the last"));
  }

  @About("plain writes and reads of one thread, handed over by another variable")
  public void plainIsForOneThread(Simulation run) {
    Sequence sequence = sequence(5);
    Flag handed = new Flag();
    run.thread(
        "first",
        () -> run.check(sequence.getPlain() == 5, "not the initial value"),
        () -> sequence.setPlain(6),
        handed::raise);
    run.thread(
        "second",
        handed::await,
        () -> run.check(sequence.getPlain() == 6, "not the value written"));
  }

  @About("additions by several threads all count, and each returns another value")
  public void additionsCount(Simulation run) {
    Sequence sequence = sequence();
    boolean[] taken = new boolean[4];
    Body add =
        () -> {
          int before = (int) sequence.getAndAdd(1);
          run.check(!taken[before], before + " was taken twice");
          taken[before] = true;
        };
    run.thread("adder", add, add);
    run.thread("another adder", add, add);
    run.atEnd(() -> run.check(sequence.getPlain() == 4, "additions were lost"));
  }

  @About("of several that exchange a value one gets it; what it did before is published")
  public void exchangeIsExclusive(Simulation run) {
    Sequence lock = sequence();
    Flag.Plain guarded = new Flag.Plain();
    int[] winners = new int[1];
    Numbered step =
        _ -> {
          if (lock.compareAndSet(0, 1)) {
            winners[0]++;
            guarded.set();
            lock.setRelease(2);
          } else if (lock.compareAndSet(2, 3)) {
            run.check(guarded.isSet(), "the lock does not publish");
          }
        };
    threads(run, 2, "thread", step);
    run.atEnd(() -> run.check(winners[0] == 1, winners[0] + " winners"));
  }

  @About("a weak exchange that releases publishes what came before it, in a single step")
  public void weakExchangePublishes(Simulation run) {
    Sequence sequence = sequence();
    publishes(
        run,
        () -> {
          while (!sequence.weakCompareAndSetRelease(0, 1)) {
            // fails for no reason
          }
        },
        () -> sequence.getAcquire() == 1);
  }

  @About("of several that set a value one gets the former")
  public void setIsExclusive(Simulation run) {
    Sequence token = sequence(1);
    long[] got = new long[2];
    threads(run, 2, "thread", i -> got[i] = token.getAndSet(0));
    run.atEnd(() -> run.check(got[0] + got[1] == 1, got[0] + " and " + got[1] + " were got"));
  }

  @About("weak exchanges and plain additions are single steps")
  public void weakUpdatesAreAtomic(Simulation run) {
    Sequence counted = sequence();
    Sequence exchanged = sequence();
    Sequence released = sequence();
    Numbered step =
        _ -> {
          counted.getAndAddPlain(2);
          long seen = exchanged.getOpaque();
          while (!exchanged.weakCompareAndSetPlain(seen, seen + 3)) {
            seen = exchanged.getOpaque();
          }
          seen = released.getOpaque();
          while (!released.weakCompareAndSetRelease(seen, seen + 4)) {
            seen = released.getOpaque();
          }
        };
    threads(run, 2, "thread", step);
    run.atEnd(
        () -> run.check(counted.getPlain() == 4, "additions were lost: " + counted),
        () -> run.check(exchanged.getPlain() == 6, "exchanges were lost: " + exchanged),
        () -> run.check(released.getPlain() == 8, "exchanges were lost: " + released));
  }
}
