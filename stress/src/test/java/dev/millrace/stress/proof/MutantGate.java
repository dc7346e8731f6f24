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
import java.util.function.Predicate;

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
  private final Map<String, Integer> catches = new HashMap<>();
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

  /** The classes of the published modules that have an ordering access. */
  List<Path> classesWithOrderings() throws IOException {
    List<Path> classes = new ArrayList<>();
    for (String module : PublishedModules.NAMES) {
      Path folder = Path.of("..", module, "target", "classes");
      for (Path file : PublishedModules.files(folder, ".class")) {
        if (!file.endsWith("module-info.class")
            && mutator.sites(Files.readAllBytes(file)).stream()
                .anyMatch(site -> site.mode() != AccessSite.Mode.PLAIN)) {
          classes.add(file);
        }
      }
    }
    return classes;
  }

  /** Plants all bugs of a class file and tells what became of each. */
  List<Verdict> judge(Path classFile, Predicate<Mutation> isExempt) throws IOException {
    byte[] bytes = Files.readAllBytes(classFile);
    List<Verdict> verdicts = new ArrayList<>();
    for (Mutation mutation : mutator.mutations(bytes)) {
      int rounds = isExempt.test(mutation) ? ROUNDS_IF_EXEMPT : ROUNDS.length;
      verdicts.add(judge(mutation, mutator.apply(bytes, mutation), rounds));
    }
    return verdicts;
  }

  private Verdict judge(Mutation mutation, byte[] mutant, int rounds) {
    String className = className(mutation);
    WovenLoader loader = original.with(className, mutant);
    List<Scenarios.Entry> candidates = candidates(className, mutation);
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
          catches.merge(key(className, entry), 1, Integer::sum);
          return new Verdict(mutation, entry.id(), seed - FIRST_SEED + found.executions());
        }
      }
      seed += executions;
    }
    return new Verdict(mutation, null, seed - FIRST_SEED);
  }

  /** The scenarios that use a class, first those that have caught most bugs of it so far. */
  private List<Scenarios.Entry> candidates(String className, Mutation mutation) {
    Comparator<Scenarios.Entry> byCatches =
        Comparator.comparingInt(entry -> -catches.getOrDefault(key(className, entry), 0));
    return scenarios.stream()
        .filter(entry -> loadedBy.get(entry.id()).contains(className))
        .sorted(byCatches.thenComparing(entry -> !isOf(entry, mutation)))
        .toList();
  }

  private static String key(String className, Scenarios.Entry entry) {
    return className + " " + entry.id();
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
