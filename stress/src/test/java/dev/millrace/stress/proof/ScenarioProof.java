package dev.millrace.stress.proof;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.stress.proof.Ledger.State;
import dev.millrace.stress.report.Results;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Every scenario must run without failure: briefly in each build, and in depth at least a hundred
 * times as long as its hardest planted bug took. What a brief run does is the beginning of what the
 * deep one did, so the same code must come to the same checksums. Code that has changed since the
 * deep run gets a longer brief one.
 */
final class ScenarioProof {
  /** The kind of row, in messages. */
  private static final String KIND = "scenarios";

  private static final long CHANGED = 1_000; // brief executions of code without a deep run
  private static final long DEEP = 20_000;
  private static final long TIMES_HARDEST = 100;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration EXHAUSTIVE_LIMIT = Duration.ofSeconds(2);
  private static final double MOST_EXHAUSTIVE = 3; // times the limit above, in the full form
  private static final int PREEMPTIONS = 2;
  private static final int STALE_READS = 2;
  private static final long FIRST_SEED = 1;
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final double SECONDS_IF_UNKNOWN = 3;

  private final Context context;
  private final Request request;
  private final Findings findings;
  private final Map<String, Results.Mutant> hardest = new TreeMap<>(); // by the scenario's id
  private final Map<String, Results.Scenario> results =
      Collections.synchronizedMap(new TreeMap<>());

  ScenarioProof(Context context) {
    this.context = context;
    this.request = context.request();
    this.findings = context.findings();
  }

  /**
   * Runs the scenarios side by side.
   *
   * @param bugs what came of the planted bugs
   */
  void run(List<Results.Mutant> bugs) throws Exception {
    for (Results.Mutant bug : bugs) {
      if ("caught".equals(bug.verdict())) {
        hardest.merge(bug.by(), bug, (a, b) -> a.executions() >= b.executions() ? a : b);
      }
    }
    List<Callable<?>> tasks = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (Scenarios.Entry entry : context.scenarios()) {
      ids.add(entry.id());
      if (!request.isBrief() || request.includes(entry.type())) {
        tasks.add(
            () -> {
              results.put(entry.id(), judge(entry));
              context.progress().step();
              return null;
            });
      }
    }
    context.progress().begin(KIND, tasks.size());
    Workers.run(tasks);
    context.progress().end();
    context.removeGone(
        context.ledger().scenarios,
        ids,
        key -> request.includes(key.substring(0, key.indexOf('.'))),
        key ->
            findings.error(
                "the ledger has a scenario that is gone, or has another name now: " + key));
  }

  List<Results.Scenario> results() {
    return List.copyOf(results.values());
  }

  private Results.Scenario judge(Scenarios.Entry entry) {
    Ledger.Scenario row = context.ledger().scenarios.get(entry.id());
    String digest = context.tooling().digest(List.of(entry.owner()), "");
    State state = State.of(row, digest);
    boolean isShallow = row != null && row.executions() < wanted(entry);
    boolean isStale = state == State.STALE || isShallow;
    if (isStale && !request.writes() && !request.isDry()) {
      String reason =
          row == null ? "without a row" : isShallow ? "not deep enough" : "of other code";
      findings.stale(KIND, reason, entry.id());
    }
    if (request.isBrief()) {
      return brief(entry, row, state);
    }
    boolean isSettled = request.trustsRows() && !isStale;
    if (!request.includes(entry.type()) || isSettled) {
      return result(entry, row, state, new Walk(null));
    }
    if (request.isDry()) {
      findings.plan(KIND, row == null ? SECONDS_IF_UNKNOWN : row.run().seconds() / PROCESSORS);
      return result(entry, row, state, new Walk(null));
    }
    return deep(entry, row, state, digest);
  }

  /** How deep a scenario must be explored. */
  private long wanted(Scenarios.Entry entry) {
    Results.Mutant bug = hardest.get(entry.id());
    return Math.max(DEEP, bug == null ? 0 : TIMES_HARDEST * bug.executions());
  }

  /** Explorations by chance that follow each other; what they came to at the marks passed. */
  private static final class Walk {
    private final Explorer explorer;
    private final Map<Long, String> checksums = new TreeMap<>(); // by executions
    private long executions;
    private long checksum;
    private double seconds;
    private long depthFirst; // executions after those by chance
    private boolean isComplete;
    private Exploration.Failure failure;

    Walk(Explorer explorer) {
      this.explorer = explorer;
    }

    /** Goes on until so many executions were run in all, or one fails; false if time is up. */
    boolean to(long mark, Duration limit) {
      if (failure != null || mark <= executions) {
        return true;
      }
      Exploration found = explorer.random(mark - executions, limit, FIRST_SEED + executions);
      executions += found.executions();
      seconds += found.seconds();
      failure = found.failure();
      checksum = 31 * checksum + found.checksum();
      checksums.put(executions, Long.toHexString(checksum));
      return failure != null || executions == mark;
    }
  }

  /**
   * Each exploration loads its classes anew: one that is warm already would change its checksum.
   */
  private Explorer explorer(Scenarios.Entry entry) {
    return new Explorer(Scenarios.load(context.code().woven(), entry).scenario());
  }

  private Results.Scenario brief(Scenarios.Entry entry, Ledger.Scenario row, State state) {
    Walk walk = new Walk(explorer(entry));
    if (row == null) {
      // As far as bugs are searched for: an ordering weakened in the source is such a bug.
      walk.to(MutantGate.EXECUTIONS, LIMIT);
    } else {
      // a row is a hundred times as long as the hardest planted bug took
      walk.to(row.executions() / 100, LIMIT);
      check(entry, walk, row, state);
      if (state != State.CURRENT) {
        walk.to(CHANGED, LIMIT);
      }
    }
    return result(entry, row, state, walk);
  }

  /** Compares the checksums at those of a row's marks that were passed. */
  private void check(Scenarios.Entry entry, Walk walk, Ledger.Scenario row, State state) {
    if (walk.failure != null || state != State.CURRENT) {
      return;
    }
    Map<Long, String> marks =
        Map.of(
            row.executions() / 100,
            row.at1(),
            row.executions() / 10,
            row.at10(),
            row.executions(),
            row.at100());
    marks.forEach(
        (mark, expected) -> {
          String found = walk.checksums.getOrDefault(mark, expected);
          if (!found.equals(expected)) {
            findings.error(
                "%s came to the checksum %s after %,d executions; the ledger has %s for the same code"
                    .formatted(entry.id(), found, mark, expected));
          }
        });
  }

  private Results.Scenario deep(
      Scenarios.Entry entry, Ledger.Scenario row, State state, String digest) {
    Explorer explorer = explorer(entry);
    Walk walk = new Walk(explorer);
    long executions = (long) (request.scale() * wanted(entry));
    Duration limit = times(LIMIT, request.scale());
    boolean isRepeated = request.isFull() && state == State.CURRENT;
    long marked = isRepeated ? row.executions() : executions;
    walk.to(marked / 100, limit);
    walk.to(marked / 10, limit);
    if (isRepeated) {
      walk.to(marked, limit);
      check(entry, walk, row, state);
    }
    if (!walk.to(executions, limit)) {
      findings.error(
          "%s ran only %,d of %,d executions in %d s"
              .formatted(entry.id(), walk.executions, executions, limit.toSeconds()));
    } else if (walk.failure == null) {
      Duration exhaustiveLimit =
          times(EXHAUSTIVE_LIMIT, Math.min(request.scale(), MOST_EXHAUSTIVE));
      Exploration more = explorer.exhaustive(PREEMPTIONS, STALE_READS, exhaustiveLimit);
      walk.failure = more.failure();
      walk.depthFirst = more.executions();
      walk.isComplete = more.complete();
      if (more.failure() == null && request.writes()) {
        row =
            new Ledger.Scenario(
                entry.id(),
                executions,
                more.executions(),
                more.complete(),
                walk.checksums.get(executions / 100),
                walk.checksums.get(executions / 10),
                walk.checksums.get(executions),
                Ledger.Run.ended(digest, walk.seconds + more.seconds()));
        context.ledger().scenarios.put(row);
        state = State.CURRENT;
      }
    }
    return result(entry, row, state, walk);
  }

  private static Duration times(Duration limit, double scale) {
    return Duration.ofNanos((long) (limit.toNanos() * scale));
  }

  private Results.Scenario result(
      Scenarios.Entry entry, Ledger.Scenario row, State state, Walk walk) {
    String failure = walk.failure == null ? null : walk.failure.toString();
    if (failure != null) {
      findings.failure(entry.id(), failure);
    }
    boolean isDeep = walk.executions >= wanted(entry);
    boolean isOfRow = row != null && !isDeep;
    return new Results.Scenario(
        entry.type(),
        entry.name(),
        entry.about(),
        walk.executions,
        failure,
        isOfRow ? row.executions() : isDeep ? walk.executions : 0,
        isOfRow ? row.exhaustive() : walk.depthFirst,
        isOfRow ? row.complete() : walk.isComplete,
        isOfRow ? depth(entry, row, state) : null);
  }

  private Results.Depth depth(Scenarios.Entry entry, Ledger.Scenario row, State state) {
    Results.Depth depth = row.run().depth(state);
    return state == State.CURRENT && row.executions() < wanted(entry)
        ? new Results.Depth(depth.date(), depth.jdk(), "not deep enough")
        : depth;
  }
}
