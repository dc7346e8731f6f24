package dev.millrace.stress.ordering;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a comment says about orderings: clauses such as {@code acquire A: sees the commit} and
 * {@code opaque: the fence orders it}.
 */
final class Reasons {
  /**
   * A clause.
   *
   * @param word {@code acquire}, {@code release}, {@code fence}, {@code plain}, {@code opaque},
   *     {@code volatile} or {@code atomic}
   * @param labels the pairs that it names; none after the last four words
   */
  record Clause(String word, List<String> labels) {}

  private static final Pattern BEGIN =
      Pattern.compile(
          "\\b(acquire|release|fence) ([A-Z](?:,"
              + " [A-Z])*)(?![\\w'])|\\b(plain|opaque|volatile|atomic):");
  private static final Pattern OTHER = Pattern.compile("\\bpairs with ([A-Z](?:, [A-Z])*)\\b");

  private final List<Clause> clauses = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();

  Reasons(String comment) {
    Matcher begin = BEGIN.matcher(comment);
    while (begin.find()) {
      boolean labelled = begin.group(1) != null;
      List<String> named = labelled ? List.of(begin.group(2).split(", ")) : List.of();
      clauses.add(new Clause(labelled ? begin.group(1) : begin.group(3), named));
      labels.addAll(named);
    }
    Matcher other = OTHER.matcher(comment);
    while (other.find()) {
      labels.addAll(List.of(other.group(1).split(", ")));
    }
  }

  List<Clause> clauses() {
    return clauses;
  }

  /** All pairs that the comment names. */
  List<String> labels() {
    return labels;
  }

  /** The clauses that begin with one of the words. */
  List<Clause> of(List<String> words) {
    return clauses.stream().filter(clause -> words.contains(clause.word())).toList();
  }
}
