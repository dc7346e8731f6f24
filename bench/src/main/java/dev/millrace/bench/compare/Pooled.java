package dev.millrace.bench.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Several runs as one: only if they differ in nothing that a ratio could depend on. */
final class Pooled {
  private static final String FLAGS = "flags";
  private static final String WARMUP = "warm-up of each JVM";
  private static final String TIME = "measured by each JVM";

  /** What only samples depend on. */
  private static final Set<String> OF_SAMPLES = Set.of(FLAGS, WARMUP, TIME);

  private Pooled() {}

  /**
   * Reads runs that may be pooled.
   *
   * @throws IllegalArgumentException if they may not: the message names what differs
   */
  static List<Results> read(List<Path> files) throws IOException {
    List<Results> runs = new ArrayList<>();
    for (Path file : files) {
      Results run = Results.read(file);
      if (runs.contains(run)) {
        throw new IllegalArgumentException("files must be of different runs: file=" + file);
      }
      for (int i = 0; i < runs.size(); i++) {
        check(files.get(i), runs.get(i), file, run);
      }
      runs.add(run);
    }
    return runs;
  }

  /** The runs with all their samples, otherwise as the first is. */
  static Results of(List<Results> runs) {
    Results first =
        runs.stream().filter(run -> !run.samples().isEmpty()).findFirst().orElseGet(runs::getFirst);
    return new Results(
        first.form(),
        first.command(),
        first.started(),
        first.seed(),
        first.warmupMillis(),
        first.millis(),
        first.machine(),
        first.flags(),
        first.versions(),
        runs.stream().flatMap(run -> run.works().stream()).distinct().toList(),
        runs.stream().flatMap(run -> run.samples().stream()).toList(),
        runs.stream().flatMap(run -> run.footprints().stream()).distinct().toList());
  }

  private static void check(Path firstFile, Results first, Path file, Results run) {
    Map<String, Object> expected = conditions(first);
    Map<String, Object> found = conditions(run);
    if (first.samples().isEmpty() || run.samples().isEmpty()) {
      expected.keySet().removeAll(OF_SAMPLES);
      found.keySet().removeAll(OF_SAMPLES);
    }
    TreeSet<String> names = new TreeSet<>(expected.keySet());
    names.addAll(found.keySet());
    for (String name : names) {
      if (!Objects.equals(expected.get(name), found.get(name))) {
        throw new IllegalArgumentException(
            "files must be of the same machine, versions and times: %s=%s in %s, but %s in %s"
                .formatted(name, expected.get(name), firstFile, found.get(name), file));
      }
    }
    // a name must mean the same work
    for (Results.Done one : first.works()) {
      for (Results.Done other : run.works()) {
        if (one.work().id().equals(other.work().id()) && !one.equals(other)) {
          throw new IllegalArgumentException(
              "files must mean the same by a work's name: %s in %s, but %s in %s"
                  .formatted(one, firstFile, other, file));
        }
      }
    }
  }

  /** What must be the same, by the name that a reader is told. */
  static Map<String, Object> conditions(Results run) {
    Map<String, Object> all = new LinkedHashMap<>(run.machine().facts());
    all.put(FLAGS, String.join(" ", run.flags()));
    all.put(WARMUP, run.warmupMillis() + " ms");
    all.put(TIME, run.millis() + " ms");
    run.versions().forEach((name, version) -> all.put("version of " + name, version));
    return all;
  }
}
