package dev.millrace.stress.ordering;

import dev.millrace.report.Page;
import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.ordering.PairTable.Pair;
import dev.millrace.stress.ordering.Reasons.Clause;
import dev.millrace.stress.report.Results.Mutant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A page for those who audit the orderings: each access, its mode, the reason that stands beside it
 * in the source, and what became of the bugs planted there.
 */
public final class OrderingPage {
  /**
   * A source file.
   *
   * @param name its class's
   * @param exempt why its accesses need no reasons, or null
   * @param pairs the pairs of its table
   * @param ordered its accesses but for plain ones
   * @param plain its plain accesses
   */
  public record Section(
      String name, String exempt, List<Pair> pairs, List<Access> ordered, List<Plain> plain) {}

  /**
   * An access whose ordering is relied on.
   *
   * @param text what stands there
   * @param method where
   * @param mode how it is ordered
   * @param why its reason
   * @param bugs what became of the bugs planted there
   */
  public record Access(String text, String method, String mode, String why, String bugs) {}

  /**
   * Plain accesses that are alike.
   *
   * @param text what stands there
   * @param why the reason
   * @param methods where
   */
  public record Plain(String text, String why, String methods) {}

  private final List<Mutant> mutants;

  OrderingPage(List<Mutant> mutants) {
    this.mutants = mutants;
  }

  /**
   * Writes the page of the published modules.
   *
   * @param page the file to write
   * @param mutants the planted bugs, judged
   * @throws IOException if sources cannot be read, or the page cannot be written
   */
  public static void write(Path page, List<Mutant> mutants) throws IOException {
    List<OrderingUnit> units = OrderingSources.read(Path.of(".."));
    List<Section> sections = new OrderingPage(mutants).sections(units);
    Page.write(OrderingPage.class, "orderings.ftlh", Map.of("sections", sections), page);
  }

  List<Section> sections(List<OrderingUnit> units) {
    return units.stream().map(this::section).toList();
  }

  private Section section(OrderingUnit unit) {
    return new Section(
        unit.name(),
        OrderingSources.EXEMPT.get(unit.name()),
        unit.table().pairs(),
        ordered(unit),
        plain(unit));
  }

  private List<Access> ordered(OrderingUnit unit) {
    Set<Access> rows = new LinkedHashSet<>(); // accesses of one line that read alike are one row
    for (AccessSite site : unit.sites()) {
      if (site.mode() != Mode.PLAIN) {
        rows.add(
            new Access(
                site.text(),
                method(unit, site),
                site.mode().name().toLowerCase(Locale.ROOT),
                reason(unit, site),
                bugs(site)));
      }
    }
    return List.copyOf(rows);
  }

  /** Plain accesses are many and alike: one row for those of a reason. */
  private static List<Plain> plain(OrderingUnit unit) {
    Map<List<String>, Set<String>> places = new LinkedHashMap<>();
    for (AccessSite site : unit.sites()) {
      if (site.mode() == Mode.PLAIN) {
        places
            .computeIfAbsent(List.of(site.text(), reason(unit, site)), _ -> new LinkedHashSet<>())
            .add(method(unit, site));
      }
    }
    return places.entrySet().stream()
        .map(
            entry ->
                new Plain(
                    entry.getKey().getFirst(),
                    entry.getKey().getLast(),
                    String.join(", ", entry.getValue())))
        .toList();
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
    // the column before it shows the mode
    String mode = "^" + site.mode().name().toLowerCase(Locale.ROOT) + ": ";
    return unit.reasons(site).stream()
        .map(Clause::text)
        .map(text -> text.replaceFirst(mode, ""))
        .collect(Collectors.joining("; "));
  }

  private String bugs(AccessSite site) {
    List<String> bugs = new ArrayList<>();
    for (Mutant mutant : mutants) {
      if (mutant.type().equals(site.typeName())
          && mutant.method().equals(site.method())
          && mutant.line() == site.line()
          && mutant.access().equals(site.text())) {
        String by = mutant.by() == null ? "" : " (" + mutant.by() + ")";
        bugs.add(mutant.operator() + ": " + mutant.verdict() + by);
      }
    }
    return String.join("; ", bugs);
  }
}
