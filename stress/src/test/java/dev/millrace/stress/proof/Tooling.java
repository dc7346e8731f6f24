package dev.millrace.stress.proof;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;

/** Digests of code together with that of the simulator and the mutator, which run it. */
final class Tooling {
  private final Digests digests;
  private final String simulator;
  private final Map<List<String>, String> known = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> reached = new ConcurrentHashMap<>();

  Tooling(Code code) throws IOException {
    this.digests = new Digests(code);
    List<String> tools = new ArrayList<>(Code.simulatorClasses());
    tools.addAll(Code.classesOf("classes", "dev.millrace.stress.mutation."));
    this.simulator = digests.of(tools);
  }

  /** The digest of a run in the simulator. */
  String digest(Collection<String> roots, String besides) {
    List<String> key = new ArrayList<>(roots);
    key.add(besides);
    return known.computeIfAbsent(key, _ -> digests.of(roots, simulator, besides));
  }

  /** The digest of a run by another tool. */
  String digestWithout(String root, String besides) {
    return digests.of(List.of(root), besides);
  }

  /** Whether a class leads to another. */
  boolean reaches(String from, String to) {
    return reached.computeIfAbsent(from, this::reached).contains(to);
  }

  private SortedSet<String> reached(String from) {
    return digests.reached(List.of(from));
  }
}
