package dev.millrace.stress.ordering;

import dev.millrace.stress.mutation.AccessSite;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.ordering.PairTable.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A source file with the accesses of its classes, and what its comments say about them. */
final class OrderingUnit {
  private static final Pattern ELSEWHERE = Pattern.compile("\\bin ([A-Z]\\w*)\\.(\\w+)");
  private static final Pattern HERE = Pattern.compile("\\bin ([a-z]\\w*)");

  private final String name;
  private final SourceText source;
  private final List<AccessSite> sites;
  private final Set<String> methods;
  private final PairTable table;

  /**
   * Makes a unit.
   *
   * @param name the file's name without its ending
   * @param source its text
   * @param sites the accesses of its classes, by line
   * @param methods the names of its classes' methods
   */
  OrderingUnit(String name, SourceText source, List<AccessSite> sites, Set<String> methods) {
    this.name = name;
    this.source = source;
    this.sites = List.copyOf(sites);
    this.methods = Set.copyOf(methods);
    this.table = new PairTable(source);
  }

  String name() {
    return name;
  }

  List<AccessSite> sites() {
    return sites;
  }

  PairTable table() {
    return table;
  }

  private static List<String> words(AccessSite site) {
    if (site.mode() == Mode.VOLATILE) {
      return switch (site.operation()) {
        case READ -> List.of("acquire", "volatile");
        case WRITE -> List.of("release", "volatile");
        case UPDATE -> List.of("acquire", "release", "volatile");
        case FENCE -> List.of("fence");
      };
    }
    String mode = site.mode().name().toLowerCase(Locale.ROOT);
    return switch (site.operation()) {
      case READ, WRITE -> List.of(mode);
      case UPDATE -> List.of(mode, "atomic");
      case FENCE -> List.of("fence", mode);
    };
  }

  /** Breaches of the rule, each with the place. */
  List<String> breaches(List<OrderingUnit> all) {
    List<String> breaches = new ArrayList<>();
    for (AccessSite site : sites) {
      if (new Reasons(source.comment(site.line())).of(words(site)).isEmpty()) {
        breaches.add(
            "%s %s must say why: expected %s, comment is \"%s\""
                .formatted(
                    place(site.line()), site.text(), words(site), source.comment(site.line())));
      }
    }
    for (int line = 1; line <= source.lineCount(); line++) {
      for (String label : new Reasons(source.commentOf(line)).labels()) {
        if (table.pair(label).isEmpty()) {
          breaches.add(place(line) + " pair must be in the table: pair=" + label);
        }
      }
    }
    Set<String> seen = new TreeSet<>();
    for (Pair pair : table.pairs()) {
      if (!seen.add(pair.label())) {
        breaches.add(place(pair) + " must be there only once");
      }
      checkSides(pair, all, breaches);
    }
    return breaches;
  }

  private void checkSides(Pair pair, List<OrderingUnit> all, List<String> breaches) {
    long fences = uses(pair, "fence");
    boolean fenced = fences >= 2;
    if (uses(pair, "release") + Math.min(1, fences) == 0
        && !isElsewhere(pair.release(), all, breaches)) {
      breaches.add(place(pair) + " must have a releasing access");
    }
    if (!fenced
        && uses(pair, "acquire") + (uses(pair, "release") > 0 ? fences : 0) == 0
        && !isElsewhere(pair.acquire(), all, breaches)) {
      breaches.add(place(pair) + " must have an acquiring access");
    }
    checkMethods(pair, pair.release(), breaches);
    checkMethods(pair, pair.acquire(), breaches);
  }

  private void checkMethods(Pair pair, String side, List<String> breaches) {
    Matcher here = HERE.matcher(side);
    while (here.find()) {
      if (!methods.contains(here.group(1))) {
        breaches.add(place(pair) + " must name a method of the class: " + here.group(1));
      }
    }
  }

  /** Whether a side names a method of another class, and that class has such an access. */
  private boolean isElsewhere(String side, List<OrderingUnit> all, List<String> breaches) {
    Matcher elsewhere = ELSEWHERE.matcher(side);
    if (!elsewhere.find()) {
      return false;
    }
    Predicate<OrderingUnit> fits =
        unit ->
            unit.name().equals(elsewhere.group(1))
                && unit.methods.contains(elsewhere.group(2))
                && unit.sites().stream().anyMatch(site -> names(side, site.name()));
    if (all.stream().noneMatch(fits)) {
      breaches.add(name + ": no such access: " + side);
    }
    return true;
  }

  private static boolean names(String side, String method) {
    return Pattern.compile("\\b" + method + "\\b").matcher(side).find();
  }

  /** How many line comments use a pair with a word. */
  private long uses(Pair pair, String word) {
    return Stream.iterate(1, line -> line <= source.lineCount(), line -> line + 1)
        .flatMap(line -> new Reasons(source.commentOf(line)).of(List.of(word)).stream())
        .filter(clause -> clause.labels().contains(pair.label()))
        .count();
  }

  private String place(int line) {
    return name + ".java:" + line;
  }

  private String place(Pair pair) {
    return name + ", pair " + pair.label();
  }
}
