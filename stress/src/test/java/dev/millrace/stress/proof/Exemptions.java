package dev.millrace.stress.proof;

import dev.millrace.stress.mutation.Mutation;
import dev.millrace.stress.proof.MutantGate.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The planted bugs that need not be caught, each by name and with its reason: {@code
 * exempt-mutants.txt}. An entry that is caught after all, or is of no bug, is an error.
 */
final class Exemptions {
  private static final String FILE = "exempt-mutants.txt";

  private final Map<String, String> reasons = new LinkedHashMap<>();
  private final Map<Mutation, String> keys = new HashMap<>();
  private final Set<String> used = new TreeSet<>();
  private final List<String> refuted = new ArrayList<>();

  /** Reads the file: lines of a name and a reason, with a bar between; blank ones and comments. */
  static Exemptions read() throws IOException {
    Exemptions exemptions = new Exemptions();
    try (InputStream in = Exemptions.class.getResourceAsStream(FILE)) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          int bar = line.indexOf('|');
          if (bar < 0 || line.substring(bar + 1).isBlank()) {
            throw new IllegalArgumentException(
                FILE + " must give a reason behind a bar: line=" + line);
          }
          exemptions.reasons.put(line.substring(0, bar).strip(), line.substring(bar + 1).strip());
        }
      }
    }
    return exemptions;
  }

  /** Names the bugs of a class, all of them: those that read alike are numbered in their order. */
  void name(List<Mutation> bugs) {
    Map<String, Integer> alike = new HashMap<>();
    for (Mutation bug : bugs) {
      String name = bug.typeName() + "." + bug.method() + " " + bug.access() + " " + bug.operator();
      int number = alike.merge(name, 1, Integer::sum);
      keys.put(bug, number == 1 ? name : name + " #" + number);
    }
  }

  /** A name that stays the same when lines move: as the id, with a number instead of the line. */
  String key(Mutation mutation) {
    return keys.get(mutation);
  }

  /** The named bugs that need not be caught. */
  Set<Mutation> exempt() {
    return keys.keySet().stream().filter(this::isExempt).collect(Collectors.toUnmodifiableSet());
  }

  private boolean isExempt(Mutation mutation) {
    return reasons.containsKey(key(mutation));
  }

  Optional<String> reason(Mutation mutation) {
    String reason = reasons.get(key(mutation));
    if (reason != null) {
      used.add(key(mutation));
    }
    return Optional.ofNullable(reason);
  }

  /** Notes that a bug was caught. */
  void refute(Verdict verdict) {
    if (isExempt(verdict.mutation())) {
      refuted.add(key(verdict.mutation()) + " by " + verdict.by());
    }
  }

  List<String> refuted() {
    return refuted;
  }

  List<String> unused() {
    return reasons.keySet().stream().filter(name -> !used.contains(name)).toList();
  }
}
