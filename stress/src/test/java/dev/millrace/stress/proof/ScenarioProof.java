package dev.millrace.stress.proof;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.stress.proof.Ledger.State;
import dev.millrace.stress.report.Results;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Every scenario must run without failure: briefly in each build, and in depth at least a hundred
 * times as long as its hardest planted bug took. What a brief run does is the beginning of what the
 * deep one did, so the same code must come to the same checksums.
 */
final class ScenarioProof {
  /** The kind of row, in messages. */
  private static final String KIND = "scenarios";

  private static final long BRIEF = 2_000;
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

  private final List<Scenarios.Entry> scenarios;
  private final Tooling tooling;
  private final Ledger ledger;
  private final Request request;
  private final Findings findings;
  private final Progress progress;

  /** What each exploration loads anew: a class that is warm already would change its checksum. */
  private final Code code;

  private final Map<String, Results.Mutant> hardest = new TreeMap<>(); // by the scenario's id
  private final Map<String, Results.Scenario> results = new TreeMap<>();

  ScenarioProof(
      Code code,
      List<Scenarios.Entry> scenarios,
      Tooling tooling,
      Ledger ledger,
      Request request,
      Findings findings,
      Progress progress) {
    this.scenarios = scenarios;
    this.tooling = tooling;
    this.ledger = ledger;
    this.request = request;
    this.findings = findings;
    this.progress = progress;
    this.code = code;
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
    List<Callable<Void>> tasks = new ArrayList<>();
    for (Scenarios.Entry entry : scenarios) {
      if (request.isBrief() && !request.includes(entry.type())) {
        continue;
      }
      tasks.add(
          () -> {
            Results.Scenario result = judge(entry);
            synchronized (results) {
              results.put(entry.id(), result);
            }
            progress.step();
            return null;
          });
    }
    progress.begin(KIND, tasks.size());
    Workers.run(tasks);
    progress.end();
    for (String key : new HashSet<>(ledger.scenarios().keySet())) {
      boolean isGone = scenarios.stream().noneMatch(entry -> entry.id().equals(key));
      if (isGone && request.includes(key.substring(0, key.indexOf('.')))) {
        if (request.writes()) {
          ledger.scenarios().remove(key);
        } else {
          findings.error("the ledger has a scenario that is gone, or has another name now: " + key);
        }
      }
    }
  }

  List<Results.Scenario> results() {
    return List.copyOf(results.values());
  }

  private Results.Scenario judge(Scenarios.Entry entry) {
    Ledger.Scenario row = ledger.scenarios().get(entry.id());
    String digest = tooling.digest(List.of(entry.owner()), "");
    State state = row == null ? State.STALE : row.state(digest);
    boolean isShallow = row != null && row.executions() < wanted(entry);
    if (!request.writes() && !request.isDry()) {
      if (row == null || state == State.STALE || isShallow) {
        String reason =
            row == null ? "without a row" : isShallow ? "not deep enough" : "of other code";
        findings.stale(KIND, reason, entry.id());
      }
    }
    if (request.isBrief()) {
      return brief(entry, row, state);
    }
    boolean isAsked = request.includes(entry.type());
    boolean isSettled = row != null && request.trustsRows() && state != State.STALE && !isShallow;
    if (!isAsked || isSettled) {
      return result(entry, row, state, 0, 0, null);
    }
    if (request.isDry()) {
      findings.plan(KIND, row == null ? SECONDS_IF_UNKNOWN : row.seconds() / PROCESSORS);
      return result(entry, row, state, 0, 0, null);
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

  private Results.Scenario brief(Scenarios.Entry entry, Ledger.Scenario row, State state) {
    Walk walk = new Walk(new Explorer(Scenarios.load(code.woven(), entry).scenario()));
    if (row == null) {
      // As far as bugs are searched for: an ordering weakened in the source is such a bug.
      walk.to(MutantGate.EXECUTIONS, LIMIT);
    } else {
      walk.to(row.executions() / 100, LIMIT);
      if (row.executions() / 10 <= BRIEF) {
        walk.to(row.executions() / 10, LIMIT);
      }
      walk.to(BRIEF, LIMIT);
    }
    if (walk.failure == null && row != null && state == State.CURRENT) {
      check(entry, walk, row.executions() / 100, row.at1());
      check(entry, walk, row.executions() / 10, row.at10());
    }
    return report(entry, walk, row, state);
  }

  private void check(Scenarios.Entry entry, Walk walk, long mark, String expected) {
    String found = walk.checksums.getOrDefault(mark, expected); // not if it is past what was run
    if (!found.equals(expected)) {
      findings.error(
          "%s came to the checksum %s after %,d executions; the ledger has %s for the same code"
              .formatted(entry.id(), found, mark, expected));
    }
  }

  private Results.Scenario deep(
      Scenarios.Entry entry, Ledger.Scenario row, State state, String digest) {
    Explorer explorer = new Explorer(Scenarios.load(code.woven(), entry).scenario());
    long executions = (long) (request.scale() * wanted(entry));
    Duration limit = times(LIMIT, request.scale());
    Walk walk = new Walk(explorer);
    if (request.isFull() && row != null && state == State.CURRENT) {
      walk.to(row.executions() / 100, limit);
      walk.to(row.executions() / 10, limit);
      walk.to(row.executions(), limit);
      check(entry, walk, row.executions() / 100, row.at1());
      check(entry, walk, row.executions() / 10, row.at10());
      check(entry, walk, row.executions(), row.at100());
    } else {
      walk.to(executions / 100, limit);
      walk.to(executions / 10, limit);
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
                digest,
                Ledger.jdkNow(),
                Ledger.today(),
                Ledger.seconds(walk.seconds + more.seconds()));
        ledger.put(row);
        state = State.CURRENT;
      }
    }
    return report(entry, walk, row, state);
  }

  private static Duration times(Duration limit, double scale) {
    return Duration.ofNanos((long) (limit.toNanos() * scale));
  }

  private Results.Scenario report(
      Scenarios.Entry entry, Walk walk, Ledger.Scenario row, State state) {
    String failure = walk.failure == null ? null : walk.failure.toString();
    if (failure != null) {
      findings.failure(entry.id(), failure);
    }
    return result(entry, row, state, walk.executions, walk.seconds, failure);
  }

  private Results.Scenario result(
      Scenarios.Entry entry,
      Ledger.Scenario row,
      State state,
      long executions,
      double seconds,
      String failure) {
    Results.Mutant bug = hardest.get(entry.id());
    return new Results.Scenario(
        entry.type(),
        entry.name(),
        entry.about(),
        executions,
        seconds,
        failure,
        bug == null
            ? null
            : bug.type() + "." + bug.method() + " " + bug.access() + " " + bug.operator(),
        bug == null ? 0 : bug.executions(),
        row == null ? 0 : row.executions(),
        row == null
            ? null
            : new Results.Depth(
                "%,d by chance, %,d depth first%s"
                    .formatted(
                        row.executions(), row.exhaustive(), row.complete() ? ", complete" : ""),
                row.date(),
                row.jdk(),
                state != State.STALE));
  }
}
