package dev.millrace.stress.proof;

import dev.millrace.stress.mutation.Mutation;
import dev.millrace.stress.proof.Ledger.State;
import dev.millrace.stress.proof.MutantGate.Caught;
import dev.millrace.stress.proof.MutantGate.Target;
import dev.millrace.stress.proof.Request.Mode;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Every planted bug must be caught, or be exempt and not be caught. A bug that the ledger knows is
 * caught by the execution that its row names; if that does not catch it, or if it has no row, it is
 * searched for.
 */
final class BugProof {
  /** The kind of row, in messages. */
  private static final String KIND = "planted bugs";

  /** A look at a bug that is exempt, to find those that are not any longer. */
  private static final long BRIEF_IF_EXEMPT = 20;

  private static final long DEEP_IF_EXEMPT = 660;

  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final double SECONDS_IF_UNKNOWN = 1;

  private final Context context;
  private final Request request;
  private final Findings findings;
  private final MutantGate gate;

  /** Results by class, so that those of a class stay in the order of its code. */
  private final Map<String, List<Results.Mutant>> results = new TreeMap<>();

  BugProof(Context context) {
    this.context = context;
    this.request = context.request();
    this.findings = context.findings();
    this.gate = new MutantGate(context.code(), context.scenarios());
  }

  /** Judges all bugs, those of different classes side by side. */
  void run() throws Exception {
    Set<String> keys = new HashSet<>();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (Target target : longestFirst(gate.targets())) {
      Map<Mutation, String> named = Exemptions.keys(target.bugs());
      for (String key : named.values()) {
        if (!keys.add(key)) {
          throw new IllegalStateException("two planted bugs have one name: " + key);
        }
      }
      tasks.add(
          () -> {
            judge(target, named);
            return null;
          });
    }
    context.progress().begin(KIND, keys.size());
    Workers.run(tasks);
    context.progress().end();
    for (String key : context.exemptions().without(keys)) {
      findings.error("exempt, yet no planted bug: " + key);
    }
    context.removeGone(
        context.ledger().bugs,
        keys,
        key -> request.includes(key.substring(0, key.indexOf('.'))),
        key -> findings.stale(KIND, "that are gone", key));
  }

  /** What came of each, in the order of the classes and of their code. */
  List<Results.Mutant> results() {
    return results.values().stream().flatMap(List::stream).toList();
  }

  private static List<Target> longestFirst(List<Target> targets) {
    return targets.stream()
        .sorted(Comparator.comparingInt((Target target) -> -target.bugs().size()))
        .toList();
  }

  private void judge(Target target, Map<Mutation, String> keys) throws IOException {
    Map<String, Long> catches = new HashMap<>(); // of the class, by the scenario's id
    if (request.trustsRows()) {
      for (String key : keys.values()) {
        Ledger.Bug row = context.ledger().bugs.get(key);
        if (row != null && !row.scenario().isEmpty()) {
          catches.merge(row.scenario(), 1L, Long::sum);
        }
      }
    }
    List<Results.Mutant> found = new ArrayList<>();
    for (Mutation bug : target.bugs()) {
      Results.Mutant result = judge(target, bug, keys.get(bug), catches);
      if (result != null) {
        found.add(result);
      }
      context.progress().step();
    }
    synchronized (results) {
      results.put(target.name(), found);
    }
  }

  private Results.Mutant judge(Target target, Mutation bug, String key, Map<String, Long> catches) {
    Ledger.Bug row = context.ledger().bugs.get(key);
    boolean isAsked = request.includes(bug.typeName());
    if (row == null && !isAsked) {
      return null;
    }
    String exemption = context.exemptions().reason(key);
    boolean isExempt = exemption != null;
    boolean isOfItsKind = row != null && row.scenario().isEmpty() == isExempt;
    State state =
        isOfItsKind ? State.of(row, digest(target, row.scenario(), exemption)) : State.STALE;
    boolean isSettled = row != null && request.mode() == Mode.STALE && state != State.STALE;
    if (!isAsked || isSettled) {
      String by = row.scenario().isEmpty() ? null : row.scenario();
      return result(bug, exemption, new Caught(by, row.seed()), row.run().depth(state));
    }
    if (request.isDry()) {
      findings.plan(KIND, row == null ? SECONDS_IF_UNKNOWN : row.run().seconds() / PROCESSORS);
      return null;
    }

    long start = System.nanoTime();
    Caught caught = replay(target, bug, row, state);
    if (caught == null) {
      caught =
          gate.search(target, bug, catches, isExempt ? depthIfExempt() : MutantGate.EXECUTIONS);
      if (caught.isCaught()) {
        catches.merge(caught.by(), 1L, Long::sum);
      }
    }
    if (caught.isCaught() && isExempt) {
      findings.caughtThoughExempt(key, caught.by());
    } else if (!caught.isCaught() && !isExempt) {
      findings.error("planted bug that no scenario caught: " + key + " (" + bug.id() + ")");
    } else if (request.writes()) {
      String by = caught.isCaught() ? caught.by() : "";
      double seconds = (System.nanoTime() - start) / 1e9;
      Ledger.Run run = Ledger.Run.ended(digest(target, by, exemption), seconds);
      row = new Ledger.Bug(key, by, caught.seed(), run);
      context.ledger().bugs.put(row);
    }
    if (!request.writes() && state == State.STALE) {
      findings.stale(KIND, row == null ? "without a row" : "of other code", key);
    }
    return result(bug, exemption, caught, null);
  }

  /** Runs the execution that a row names; null if there is none to trust, or it catches nothing. */
  private Caught replay(Target target, Mutation bug, Ledger.Bug row, State state) {
    if (row == null || row.scenario().isEmpty() || !request.trustsRows()) {
      return null;
    }
    Caught caught = gate.replay(target, bug, row.scenario(), row.seed());
    if (caught != null) {
      return caught;
    }
    if (request.isBrief() && state == State.CURRENT) {
      // The same code and the same seed give the same execution: the row is not of a run.
      findings.error(
          "the ledger's row does not catch %s: %s, seed %d"
              .formatted(row.key(), row.scenario(), row.seed()));
    } else {
      findings.stale(KIND, "not caught as the row says", row.key());
    }
    return null;
  }

  private long depthIfExempt() {
    return request.isBrief()
        ? BRIEF_IF_EXEMPT
        : request.isFull() ? MutantGate.EXECUTIONS : DEEP_IF_EXEMPT;
  }

  /** Of the code that catches it; of one that is exempt, of all that might. */
  private String digest(Target target, String scenario, String exemption) {
    List<String> roots = new ArrayList<>(List.of(target.name()));
    for (Scenarios.Entry entry : context.scenarios()) {
      if (exemption == null
          ? entry.id().equals(scenario)
          : context.tooling().reaches(entry.owner(), target.name())) {
        roots.add(entry.owner());
      }
    }
    return context.tooling().digest(roots, exemption == null ? "" : exemption);
  }

  private static Results.Mutant result(
      Mutation bug, String exemption, Caught caught, Results.Depth depth) {
    boolean isCaught = caught.isCaught();
    return new Results.Mutant(
        bug.typeName(),
        bug.method(),
        bug.line(),
        bug.access(),
        bug.operator(),
        bug.ordering(),
        isCaught ? "caught" : exemption == null ? "survived" : "exempt",
        isCaught ? caught.by() : exemption,
        caught.seed(),
        depth);
  }
}
