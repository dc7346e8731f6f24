package dev.millrace.stress.proof;

import dev.millrace.stress.mutation.Mutation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The planted bugs that need not be caught, each by name and with its reason. */
final class Exemptions {
  private static final String FILE = "exempt-mutants.txt";

  private final Map<String, String> reasons;

  private Exemptions(Map<String, String> reasons) {
    this.reasons = reasons;
  }

  /** Reads {@code exempt-mutants.txt}. */
  static Exemptions read() throws IOException {
    try (InputStream in = Exemptions.class.getResourceAsStream(FILE)) {
      return of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** Takes lines of a name and a reason, with a bar between; blank ones and comments are none. */
  static Exemptions of(String lines) {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (String line : lines.lines().toList()) {
      if (!line.isBlank() && !line.startsWith("#")) {
        int bar = line.indexOf('|');
        if (bar < 0 || line.substring(bar + 1).isBlank()) {
          throw new IllegalArgumentException(
              FILE + " must give a reason behind a bar: line=" + line);
        }
        reasons.put(line.substring(0, bar).strip(), line.substring(bar + 1).strip());
      }
    }
    return new Exemptions(reasons);
  }

  /**
   * Names the bugs of a class, all of them; those that read alike are numbered in their order. A
   * name stays the same when lines move: it is the id, with a number instead of the line.
   */
  static Map<Mutation, String> keys(List<Mutation> bugs) {
    Map<String, Integer> alike = new HashMap<>();
    Map<Mutation, String> keys = new HashMap<>();
    for (Mutation bug : bugs) {
      String name = bug.typeName() + "." + bug.method() + " " + bug.access() + " " + bug.operator();
      int number = alike.merge(name, 1, Integer::sum);
      keys.put(bug, number == 1 ? name : name + " #" + number);
    }
    return keys;
  }

  /** Why a bug need not be caught; null if it must be. */
  String reason(String key) {
    return reasons.get(key);
  }

  /** The names that are of no bug. */
  Set<String> without(Set<String> keys) {
    Set<String> unused = new LinkedHashSet<>(reasons.keySet());
    unused.removeAll(new HashSet<>(keys));
    return unused;
  }
}
