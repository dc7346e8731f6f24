package dev.millrace.simulator;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Runs a scenario many times, each time with other schedules and other values read. */
public final class Explorer {
  private static final int EXECUTIONS_PER_LOOK_AT_THE_CLOCK = 64;

  private final Scenario scenario;
  private final boolean weakFails;

  /**
   * Makes an explorer of a scenario.
   *
   * @param scenario what to run; its class and those under test loaded by one {@link WovenLoader}
   * @throws IllegalStateException if the JVM does not export the package that the simulator needs
   */
  public Explorer(Scenario scenario) {
    this(scenario, true);
    Module own = Explorer.class.getModule();
    if (!Object.class.getModule().isExported("jdk.internal.vm", own)) {
      throw new IllegalStateException(
          "the JVM must be started with --add-exports java.base/jdk.internal.vm="
              + (own.isNamed() ? own.getName() : "ALL-UNNAMED"));
    }
  }

  private Explorer(Scenario scenario, boolean weakFails) {
    this.scenario = scenario;
    this.weakFails = weakFails;
  }

  /**
   * Lets no weak compare-and-set fail for no reason, for code in which it stands for a strong one.
   *
   * @return another explorer
   */
  public Explorer withoutSpuriousFailures() {
    return new Explorer(scenario, false);
  }

  /**
   * Explores by chance.
   *
   * @param executions how many at the most
   * @param limit when to stop earlier
   * @param firstSeed the first execution's seed; the others' follow it
   * @return what was found; it ends with the first failure
   */
  public Exploration random(long executions, Duration limit, long firstSeed) {
    return random(executions, limit, firstSeed, true);
  }

  /**
   * Explores by chance, as {@link #random} does, but does not replay what fails: for those who want
   * to know only whether something does.
   *
   * @param executions how many at the most
   * @param limit when to stop earlier
   * @param firstSeed the first execution's seed; the others' follow it
   * @return what was found, without a trace; it ends with the first failure
   */
  public Exploration search(long executions, Duration limit, long firstSeed) {
    return random(executions, limit, firstSeed, false);
  }

  private Exploration random(long executions, Duration limit, long firstSeed, boolean replays) {
    Tally tally = new Tally("random schedules", limit);
    while (tally.executions < executions && tally.hasTime()) {
      long seed = firstSeed + tally.executions;
      Simulation simulation = run(new Choices.ByChance(seed), false);
      if (!tally.add(simulation)) {
        Simulation failed = replays ? run(new Choices.ByChance(seed), true) : simulation;
        return tally.failed(failed, OptionalLong.of(seed));
      }
    }
    return tally.end(false);
  }

  /**
   * Runs one execution again and writes down what happens. The seed decides over everything, so the
   * same code fails in the same way; other code may fail in another way, or not at all.
   *
   * @param seed the execution's, of {@link #random} or {@link #search}
   * @return what was found, with a trace if it fails
   */
  public Exploration replay(long seed) {
    Tally tally = new Tally("seed " + seed, Duration.ofDays(1));
    Simulation simulation = run(new Choices.ByChance(seed), true);
    return tally.add(simulation)
        ? tally.end(false)
        : tally.failed(simulation, OptionalLong.of(seed));
  }

  /**
   * Explores all executions within bounds, depth first.
   *
   * @param preemptions how often a thread loses its turn that it could have kept
   * @param staleReads how often a read sees, or a write is put behind, another than the newest
   * @param limit when to stop before all are explored
   * @return what was found; it ends with the first failure
   */
  public Exploration exhaustive(int preemptions, int staleReads, Duration limit) {
    Tally tally =
        new Tally(
            "exhaustive to " + preemptions + " preemptions, " + staleReads + " stale reads", limit);
    Choices.DepthFirst choices = new Choices.DepthFirst(preemptions, staleReads);
    do {
      if (!tally.add(run(choices, false))) {
        choices.rewind();
        return tally.failed(run(choices, true), OptionalLong.empty());
      }
      if (!tally.hasTime()) {
        return tally.end(false);
      }
    } while (choices.advance());
    return tally.end(true);
  }

  private Simulation run(Choices choices, boolean traced) {
    Simulation simulation = new Simulation(choices, traced);
    simulation.memory.weakFails = weakFails;
    simulation.run(scenario);
    return simulation;
  }

  /** Counts what came out. */
  private static final class Tally {
    private final String mode;
    private final long start = System.nanoTime();
    private final long limitNanos;
    private final Map<String, long[]> outcomes = new HashMap<>();
    private long executions;
    private long checksum;

    Tally(String mode, Duration limit) {
      this.mode = mode;
      this.limitNanos = limit.toNanos();
    }

    /** Counts an execution; false if it failed. */
    boolean add(Simulation simulation) {
      executions++;
      checksum = 31 * checksum + simulation.checksum();
      String outcome = simulation.outcome();
      if (outcome != null) {
        outcomes.computeIfAbsent(outcome, key -> new long[1])[0]++;
      }
      return simulation.failure() == null;
    }

    boolean hasTime() {
      return executions % EXECUTIONS_PER_LOOK_AT_THE_CLOCK != 0
          || System.nanoTime() - start < limitNanos;
    }

    Exploration end(boolean complete) {
      return result(complete, null);
    }

    Exploration failed(Simulation again, OptionalLong seed) {
      String replay =
          seed.isPresent()
              ? "seed " + seed.getAsLong()
              : "execution " + executions + ", depth first";
      Throwable cause = again.failure();
      if (cause == null) {
        cause = new IllegalStateException("scenario must do the same each time: " + replay);
      }
      String message = cause instanceof AssertionError ? cause.getMessage() : cause.toString();
      String trace = String.join("\n", again.trace.lines());
      return result(false, new Exploration.Failure(message, replay, seed, trace, cause));
    }

    private Exploration result(boolean complete, Exploration.Failure failure) {
      Map<String, Long> counts = new TreeMap<>();
      outcomes.forEach((outcome, count) -> counts.put(outcome, count[0]));
      double seconds = (System.nanoTime() - start) / 1e9;
      return new Exploration(mode, executions, complete, seconds, counts, checksum, failure);
    }
  }
}
