package dev.millrace.stress.proof;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.simulator.WovenLoader;
import dev.millrace.stress.PublishedModules;
import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.Mutation;
import dev.millrace.stress.mutation.Mutator;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Plants each bug that the mutator can make of the published modules' ordering accesses, one at a
 * time, and lets the scenarios catch it.
 */
final class MutantGate {
  /** The executions of each scenario in each round; most bugs are caught in the first. */
  private static final long[] ROUNDS = {60, 600, 6_000};

  /** How many executions of each scenario a bug must survive before it counts as not caught. */
  static final long EXECUTIONS = Arrays.stream(ROUNDS).sum();

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final long FIRST_SEED = 1;

  private final Code code;
  private final List<Scenarios.Entry> scenarios;
  private final Mutator mutator = PublishedModules.mutator();
  private final Map<String, Set<String>> loaded = new ConcurrentHashMap<>(); // by scenario's id

  MutantGate(Code code, List<Scenarios.Entry> scenarios) {
    this.code = code;
    this.scenarios = scenarios;
  }

  /**
   * What came of a planted bug.
   *
   * @param by the id of the scenario that caught it; null if none did
   * @param seed the execution that caught it, or the last one of each scenario
   */
  record Caught(String by, long seed) {
    boolean isCaught() {
      return by != null;
    }
  }

  /**
   * A class and the bugs that can be planted in it.
   *
   * @param name the class's
   * @param bytes its class file
   * @param bugs in the order of the code
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Target(String name, byte[] bytes, List<Mutation> bugs) {}

  /** The classes of the published modules that have an ordering access. */
  List<Target> targets() throws IOException {
    List<Target> targets = new ArrayList<>();
    for (String name : Code.publishedClasses()) {
      byte[] bytes = code.bytes(name);
      if (mutator.sites(bytes).stream().anyMatch(site -> site.mode() != AccessSite.Mode.PLAIN)) {
        targets.add(new Target(name, bytes, mutator.mutations(bytes)));
      }
    }
    return targets;
  }

  /** Plants a bug and runs one execution, which has caught it before; null if it does not again. */
  Caught replay(Target target, Mutation bug, String scenario, long seed) {
    for (Scenarios.Entry entry : scenarios) {
      if (entry.id().equals(scenario)) {
        return search(planted(target, bug), bug, entry, seed, 1);
      }
    }
    return null;
  }

  /**
   * Plants a bug and looks for a scenario that catches it, in the order of the seeds.
   *
   * @param catches how many bugs of the class each scenario has caught; those with most are first
   * @param executions how many of each scenario, at most {@link #EXECUTIONS}
   */
  Caught search(Target target, Mutation bug, Map<String, Long> catches, long executions) {
    WovenLoader loader = planted(target, bug);
    List<Scenarios.Entry> likelyFirst = likelyFirst(bug, catches);
    long seed = FIRST_SEED;
    for (long round : ROUNDS) {
      long count = Math.min(round, executions - (seed - FIRST_SEED));
      for (Scenarios.Entry entry : likelyFirst) {
        if (loadedBy(entry).contains(target.name())) {
          Caught caught = search(loader, bug, entry, seed, count);
          if (caught != null) {
            return caught;
          }
        }
      }
      seed += count;
    }
    return new Caught(null, seed - FIRST_SEED);
  }

  private WovenLoader planted(Target target, Mutation bug) {
    return code.woven(target.name(), mutator.apply(target.bytes(), bug));
  }

  private static Caught search(
      WovenLoader loader, Mutation bug, Scenarios.Entry entry, long seed, long executions) {
    Explorer explorer = new Explorer(Scenarios.load(loader, entry).scenario());
    if (bug.operator().startsWith("weaken")) { // a weak form may stand for a weaker strong one
      explorer = explorer.withoutSpuriousFailures();
    }
    for (long done = 0; done < executions; ) {
      Exploration found = explorer.search(executions - done, LIMIT, seed + done);
      if (found.failure() == null) {
        return null;
      }
      done += found.executions();
      Throwable cause = found.failure().cause();
      checkRuns(bug, cause);
      if (!(cause instanceof UnsupportedOperationException)) {
        return new Caught(entry.id(), seed + done - 1);
      } // else the bug did what the simulator cannot follow, which proves nothing
    }
    return null;
  }

  /** The scenarios, first those that have caught most bugs of a class so far. */
  private List<Scenarios.Entry> likelyFirst(Mutation bug, Map<String, Long> catches) {
    Comparator<Scenarios.Entry> byCatches =
        Comparator.comparingLong(entry -> -catches.getOrDefault(entry.id(), 0L));
    return scenarios.stream()
        .sorted(byCatches.thenComparing(entry -> !bug.typeName().startsWith(entry.type())))
        .toList();
  }

  /** The classes that a scenario uses; found out when the first search comes to it. */
  private Set<String> loadedBy(Scenarios.Entry entry) {
    Set<String> names = loaded.get(entry.id());
    if (names == null) {
      // Not in computeIfAbsent: a continuation that is never resumed keeps the monitors that the
      // thread below it holds, and the JVM crashes later.
      WovenLoader fresh = code.woven();
      new Explorer(Scenarios.load(fresh, entry).scenario()).random(1, LIMIT, FIRST_SEED);
      names = fresh.loadedNames();
      loaded.put(entry.id(), names);
    }
    return names;
  }

  /** A class that the JVM refuses is no planted bug. */
  private static void checkRuns(Mutation bug, Throwable cause) {
    if (cause instanceof LinkageError) {
      throw new IllegalStateException("mutant must be a class that runs: " + bug.id(), cause);
    }
  }
}
