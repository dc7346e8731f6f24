package dev.millrace.stress.proof;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.simulator.WovenLoader;
import dev.millrace.stress.ProofScale;
import dev.millrace.stress.PublishedModules;
import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.Mutation;
import dev.millrace.stress.mutation.Mutator;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/**
 * Plants each bug that the mutator can make of the published modules' ordering accesses, one at a
 * time, and lets the scenarios look for it.
 */
final class MutantGate {
  /** The executions of each scenario in each round; most bugs are found in the first. */
  private static final long[] ROUNDS = {60, 600, 6_000};

  /** Those of bugs that are exempt, which would go through all; in the full form they do. */
  private static final int ROUNDS_IF_EXEMPT = ProofScale.scale() > 1 ? ROUNDS.length : 2;

  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final long FIRST_SEED = 1;

  private final WovenLoader original = Scenarios.loader();
  private final List<Scenarios.Entry> scenarios = Scenarios.load(original);
  private final Map<String, Set<String>> loadedBy = new HashMap<>();
  private final Mutator mutator = PublishedModules.mutator();

  /** What came of a planted bug: which scenario caught it, after how many executions. */
  record Verdict(Mutation mutation, String by, long executions) {
    boolean isCaught() {
      return by != null;
    }

    Results.Mutant result(String exemption) {
      return new Results.Mutant(
          mutation.typeName(),
          mutation.method(),
          mutation.line(),
          mutation.access(),
          mutation.operator(),
          mutation.ordering(),
          isCaught() ? "caught" : exemption == null ? "survived" : "exempt",
          isCaught() ? by : exemption,
          executions);
    }
  }

  MutantGate() {
    for (Scenarios.Entry entry : scenarios) {
      WovenLoader fresh = Scenarios.loader();
      new Explorer(Scenarios.load(fresh, entry).scenario()).random(1, LIMIT, FIRST_SEED);
      loadedBy.put(entry.id(), fresh.loadedNames());
    }
  }

  /**
   * A class and the bugs that can be planted in it.
   *
   * @param classFile where it is
   * @param bugs in the order of the code
   */
  record Target(Path classFile, List<Mutation> bugs) {}

  /** The classes of the published modules that have an ordering access. */
  List<Target> targets() throws IOException {
    List<Target> targets = new ArrayList<>();
    for (String module : PublishedModules.NAMES) {
      Path folder = Path.of("..", module, "target", "classes");
      for (Path file : PublishedModules.files(folder, ".class")) {
        byte[] bytes = Files.readAllBytes(file);
        if (!file.endsWith("module-info.class")
            && mutator.sites(bytes).stream()
                .anyMatch(site -> site.mode() != AccessSite.Mode.PLAIN)) {
          targets.add(new Target(file, mutator.mutations(bytes)));
        }
      }
    }
    return targets;
  }

  /**
   * Plants all bugs of classes and tells what became of each, in their order. The classes are
   * judged side by side, and what is said of one does not depend on the others.
   */
  List<Verdict> judge(List<Target> targets, Set<Mutation> exempt) throws Exception {
    List<Target> longestFirst =
        targets.stream()
            .sorted(Comparator.comparingInt((Target target) -> -target.bugs().size()))
            .toList();
    List<Future<List<Verdict>>> judged =
        Workers.start(
            longestFirst.stream()
                .<Callable<List<Verdict>>>map(target -> () -> judge(target, exempt))
                .toList());
    List<Verdict> verdicts = new ArrayList<>();
    for (Target target : targets) {
      verdicts.addAll(Workers.await(judged.get(longestFirst.indexOf(target))));
    }
    return verdicts;
  }

  private List<Verdict> judge(Target target, Set<Mutation> exempt) throws IOException {
    byte[] bytes = Files.readAllBytes(target.classFile());
    Map<String, Integer> catches = new HashMap<>(); // by the scenario's id
    List<Verdict> verdicts = new ArrayList<>();
    for (Mutation bug : target.bugs()) {
      int rounds = exempt.contains(bug) ? ROUNDS_IF_EXEMPT : ROUNDS.length;
      List<Scenarios.Entry> candidates = candidates(bug, catches);
      Verdict verdict = judge(bug, mutator.apply(bytes, bug), candidates, rounds);
      if (verdict.isCaught()) {
        catches.merge(verdict.by(), 1, Integer::sum);
      }
      verdicts.add(verdict);
    }
    return verdicts;
  }

  private Verdict judge(
      Mutation mutation, byte[] mutant, List<Scenarios.Entry> candidates, int rounds) {
    WovenLoader loader = original.with(className(mutation), mutant);
    boolean isWeakened = mutation.operator().startsWith("weaken");
    long seed = FIRST_SEED;
    for (long executions : Arrays.copyOf(ROUNDS, rounds)) {
      for (Scenarios.Entry entry : candidates) {
        Explorer explorer = new Explorer(Scenarios.load(loader, entry).scenario());
        if (isWeakened) { // a weak form may stand for a weaker strong one
          explorer = explorer.withoutSpuriousFailures();
        }
        Exploration found = explorer.search(executions, LIMIT, seed);
        if (found.failure() != null) {
          checkIsFinding(mutation, found.failure().cause());
          return new Verdict(mutation, entry.id(), seed - FIRST_SEED + found.executions());
        }
      }
      seed += executions;
    }
    return new Verdict(mutation, null, seed - FIRST_SEED);
  }

  /** The scenarios that use a class, first those that have caught most bugs of it so far. */
  private List<Scenarios.Entry> candidates(Mutation mutation, Map<String, Integer> catches) {
    Comparator<Scenarios.Entry> byCatches =
        Comparator.comparingInt(entry -> -catches.getOrDefault(entry.id(), 0));
    return scenarios.stream()
        .filter(entry -> loadedBy.get(entry.id()).contains(className(mutation)))
        .sorted(byCatches.thenComparing(entry -> !isOf(entry, mutation)))
        .toList();
  }

  private static boolean isOf(Scenarios.Entry entry, Mutation mutation) {
    return mutation.typeName().startsWith(entry.type());
  }

  /** A class that the JVM refuses is no planted bug. */
  private static void checkIsFinding(Mutation mutation, Throwable cause) {
    if (cause instanceof LinkageError || cause instanceof UnsupportedOperationException) {
      throw new IllegalStateException("mutant must be a class that runs: " + mutation.id(), cause);
    }
  }

  private static String className(Mutation mutation) {
    String descriptor = mutation.type().descriptorString();
    return descriptor.substring(1, descriptor.length() - 1).replace('/', '.');
  }
}
