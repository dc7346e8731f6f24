package dev.millrace.stress.proof;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is wrong, and which rows of the ledger do not tell of the code as it is. */
final class Findings {
  private static final int NAMES_PRINTED = 12;

  private final List<String> errors = new ArrayList<>();
  private final Map<String, String> failures = new TreeMap<>(); // by the scenario
  private final Map<String, String> caughtThoughExempt =
      new TreeMap<>(); // the scenario, by the bug
  private final Map<String, Set<String>> stale = new TreeMap<>(); // names by kind and reason
  private final Map<String, List<Double>> planned = new TreeMap<>(); // seconds by kind

  synchronized void error(String what) {
    errors.add(what);
  }

  /** Notes a scenario that fails on the code as it is. */
  synchronized void failure(String scenario, String why) {
    failures.put(scenario, why);
  }

  /** Notes a planted bug that is exempt, and a scenario that catches it all the same. */
  synchronized void caughtThoughExempt(String bug, String scenario) {
    caughtThoughExempt.put(bug, scenario);
  }

  /**
   * Notes a row.
   *
   * @param kind of which rows, such as {@code scenarios}
   * @param reason why it is stale, such as {@code of other code}
   * @param name the row's key
   */
  synchronized void stale(String kind, String reason, String name) {
    stale.computeIfAbsent(kind + " " + reason, _ -> new TreeSet<>()).add(name);
  }

  /**
   * Notes what a dry run leaves out.
   *
   * @param kind of what
   * @param seconds about how long it would take
   */
  synchronized void plan(String kind, double seconds) {
    planned.computeIfAbsent(kind, _ -> new ArrayList<>()).add(seconds);
  }

  /** What would run, and about how long. */
  String plan() {
    double seconds = 0;
    List<String> parts = new ArrayList<>();
    for (Map.Entry<String, List<Double>> entry : planned.entrySet()) {
      parts.add("%,d %s".formatted(entry.getValue().size(), entry.getKey()));
      seconds += entry.getValue().stream().mapToDouble(Double::doubleValue).sum();
    }
    return parts.isEmpty()
        ? "nothing would run: the ledger tells of the code as it is"
        : "%s would run, about %d min"
            .formatted(String.join(", ", parts), Math.ceilDiv((long) seconds, 60));
  }

  /** All that is wrong; first what fails without any bug planted. */
  List<String> errors() {
    List<String> all = new ArrayList<>();
    failures.forEach((scenario, why) -> all.add(scenario + ": " + why));
    all.addAll(errors);
    caughtThoughExempt.forEach(
        (bug, scenario) -> {
          if (!failures.containsKey(scenario)) { // or it would catch everything
            all.add("exempt, yet caught: " + bug + " by " + scenario);
          }
        });
    return all;
  }

  /** The names of stale rows, by kind and reason. */
  Map<String, Set<String>> stale() {
    return stale;
  }

  /** The names that were noted, of all kinds. */
  Set<String> staleNames() {
    Set<String> names = new TreeSet<>();
    stale.values().forEach(names::addAll);
    return names;
  }

  /** One line for each kind of stale row, with the first names. */
  List<String> staleLines() {
    List<String> lines = new ArrayList<>();
    stale.forEach(
        (kind, names) -> {
          List<String> shown = names.stream().limit(NAMES_PRINTED).toList();
          int more = names.size() - shown.size();
          lines.add(
              "ledger: %d %s: %s%s"
                  .formatted(
                      names.size(),
                      kind,
                      String.join(", ", shown),
                      more == 0 ? "" : " and " + more + " more"));
        });
    return lines;
  }

  void print(PrintStream out) {
    staleLines().forEach(out::println);
    if (!stale.isEmpty()) {
      out.println("ledger: stress/prove renews these rows");
    }
    errors().forEach(error -> out.println("proof FAILED: " + error));
  }
}
