package dev.millrace.stress.ordering;

import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.ordering.PairTable.Pair;
import dev.millrace.stress.ordering.Reasons.Clause;
import dev.millrace.stress.report.Results.Mutant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The page for who audits the orderings: each access, its mode, its reason, and what proves it. */
final class OrderingPage {
  private static final String HEAD =
      """
      # Orderings

      Every access whose ordering somebody relies on, with the reason that stands beside it in the source. Generated from
      the classes and their comments; a build fails where a reason is missing or this page is out of date. To write it
      anew: `mvn verify -pl stress -am -Dtest=OrderingCommentsTest -Dsurefire.failIfNoSpecifiedTests=false
      -Dmillrace.update=true`.

      A letter names a pair of the class's table: what a thread did before it released, another sees after it has acquired
      what the first one wrote. An access that belongs to no pair says why its mode suffices. *Bugs planted* are
      the weaker or missing accesses that were compiled into the class, and whether a proof caught them; a dash means that
      the proofs were not run before this page was written.
      """;

  private static final String NONE = "–";
  private static final String ACCESS_HEAD = "| access | mode | why | bugs planted |";

  private final List<OrderingUnit> units;
  private final Map<String, String> exempt;
  private final List<Mutant> mutants;

  OrderingPage(List<OrderingUnit> units, Map<String, String> exempt, List<Mutant> mutants) {
    this.units = units;
    this.exempt = exempt;
    this.mutants = mutants;
  }

  /** The whole page. */
  String text() {
    StringBuilder page = new StringBuilder(HEAD);
    for (OrderingUnit unit : units) {
      page.append("\n## ").append(unit.name()).append("\n");
      if (exempt.containsKey(unit.name())) {
        page.append("\nNo reasons: ").append(exempt.get(unit.name())).append(".\n");
      }
      pairs(page, unit);
      ordered(page, unit);
      plain(page, unit);
    }
    return page.toString();
  }

  /** A page with all verdicts taken out, and so rows that differ by them alone, for comparing. */
  static String withoutVerdicts(String page) {
    StringBuilder without = new StringBuilder();
    Set<String> rows = new HashSet<>();
    boolean verdicts = false;
    for (String line : page.split("\n", -1)) {
      verdicts = line.equals(ACCESS_HEAD) || (verdicts && line.startsWith("|"));
      if (!verdicts) {
        rows.clear();
      }
      boolean isRow = verdicts && line.startsWith("| `");
      String kept = isRow ? line.substring(0, line.lastIndexOf(" | ")) : line;
      if (!isRow || rows.add(kept)) {
        without.append(kept).append('\n');
      }
    }
    return without.toString();
  }

  private static void pairs(StringBuilder page, OrderingUnit unit) {
    if (unit.table().pairs().isEmpty()) {
      return;
    }
    page.append("\n| pair | released by | acquired by | what is ordered |\n|---|---|---|---|\n");
    for (Pair pair : unit.table().pairs()) {
      page.append("| **%s** | ".formatted(pair.label()))
          .append(escaped(pair.release()))
          .append(" | ")
          .append(escaped(pair.acquire()))
          .append(" | ")
          .append(escaped(pair.effect()))
          .append(" |\n");
    }
  }

  private void ordered(StringBuilder page, OrderingUnit unit) {
    Set<String> rows = new LinkedHashSet<>();
    for (AccessSite site : unit.sites()) {
      if (site.mode() != Mode.PLAIN) {
        rows.add(
            "| `%s` in `%s` | %s | %s | %s |\n"
                .formatted(
                    site.text(),
                    method(unit, site),
                    site.mode().name().toLowerCase(Locale.ROOT),
                    escaped(reason(unit, site)),
                    escaped(verdicts(site))));
      }
    }
    if (!rows.isEmpty()) {
      page.append("\n").append(ACCESS_HEAD).append("\n|---|---|---|---|\n");
      rows.forEach(page::append);
    }
  }

  /** Plain accesses are many and alike: one row for those of a reason. */
  private static void plain(StringBuilder page, OrderingUnit unit) {
    Map<String, Set<String>> places = new LinkedHashMap<>();
    for (AccessSite site : unit.sites()) {
      if (site.mode() == Mode.PLAIN) {
        String key = "`%s` | %s".formatted(site.text(), escaped(reason(unit, site)));
        places.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add("`" + method(unit, site) + "`");
      }
    }
    if (!places.isEmpty()) {
      page.append("\n| plain access | why | in |\n|---|---|---|\n");
      places.forEach(
          (key, methods) ->
              page.append("| ")
                  .append(key)
                  .append(" | ")
                  .append(String.join(", ", methods))
                  .append(" |\n"));
    }
  }

  /** The method, with the class if it is not the one that the section is of. */
  private static String method(OrderingUnit unit, AccessSite site) {
    String method = site.method().equals("<init>") ? "constructor" : site.method();
    String type = site.typeName();
    return type.equals(unit.name())
        ? method
        : type.replaceFirst("^" + unit.name() + "\\.", "") + "." + method;
  }

  private static String reason(OrderingUnit unit, AccessSite site) {
    // the column before tells the mode
    String mode = "^" + site.mode().name().toLowerCase(Locale.ROOT) + ": ";
    List<String> texts =
        unit.reasons(site).stream()
            .map(Clause::text)
            .map(one -> one.replaceFirst(mode, ""))
            .toList();
    return texts.isEmpty() ? NONE : String.join("; ", texts);
  }

  private String verdicts(AccessSite site) {
    List<String> verdicts = new ArrayList<>();
    for (Mutant mutant : mutants) {
      if (mutant.type().equals(site.typeName())
          && mutant.method().equals(site.method())
          && mutant.line() == site.line()
          && mutant.access().equals(site.text())) {
        String by = mutant.by() == null ? "" : " (" + mutant.by() + ")";
        verdicts.add(mutant.operator() + ": " + mutant.verdict() + by);
      }
    }
    return verdicts.isEmpty() ? NONE : String.join("; ", verdicts);
  }

  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;");
  }
}
