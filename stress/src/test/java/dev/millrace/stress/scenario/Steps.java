package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;

/** What threads of scenarios are made of; the scenarios' classes inherit it. */
public abstract class Steps {
  /** Parks at once, until woken. */
  static final WaitStrategy PARK = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  /** A step of one thread of several, or of one round of several. */
  interface Numbered {
    void run(int number) throws Exception;
  }

  /** Adds threads that differ by their numbers, from 0. */
  static void threads(Simulation run, int count, String name, Numbered step) {
    for (int i = 0; i < count; i++) {
      int number = i;
      run.thread(name + " " + number, () -> step.run(number));
    }
  }

  /** Takes a step several times. */
  static Body times(int count, Body step) {
    return rounds(count, _ -> step.run());
  }

  /** Takes a step several times, which differ by their numbers, from 0. */
  static Body rounds(int count, Numbered step) {
    return () -> {
      for (int i = 0; i < count; i++) {
        step.run(i);
      }
    };
  }

  /** What a reader does; true if it has seen what the writer wrote. */
  interface Read {
    boolean sees() throws Exception;
  }

  /**
   * Adds a thread that does something and then writes, and readers that must see it if they see
   * that.
   */
  static void publishes(Simulation run, Body write, Read... reads) {
    Flag.Plain before = new Flag.Plain();
    run.thread("writer", before::set, write);
    threads(
        run,
        reads.length,
        "reader",
        i -> run.check(!reads[i].sees() || before.isSet(), "what came before was not seen"));
  }

  /** Checks that a number is from one to another, both included. */
  static void checkWithin(Simulation run, long least, long value, long most, String name) {
    run.check(value >= least && value <= most, name + " " + value);
  }

  /** Whether a use is refused by an exception. */
  static boolean refuses(Body use) {
    try {
      use.run();
      return false;
    } catch (IllegalStateException | IllegalArgumentException e) {
      return true;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
