package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a run has found, as it is kept in a file.
 *
 * @param form the command's name
 * @param command that repeats the run, from the root of the checkout
 * @param started when, in UTC
 * @param seed that rounds were shuffled with
 * @param warmupMillis how long each JVM warmed up
 * @param millis how long each JVM measured
 * @param machine what it ran on
 * @param flags the options of the JVMs
 * @param versions of the contenders, by name
 * @param works what was done
 * @param samples one for each JVM
 * @param footprints what memory queues take, if that was asked for
 */
record Results(
    String form,
    String command,
    String started,
    long seed,
    long warmupMillis,
    long millis,
    Machine machine,
    List<String> flags,
    Map<String, String> versions,
    List<Done> works,
    List<Sample> samples,
    List<Footprint> footprints) {
  private static final String FLAGS = "flags";
  private static final String WARMUP = "warm-up of each JVM";
  private static final String TIME = "measured by each JVM";

  /** What only samples depend on. */
  private static final Set<String> OF_SAMPLES = Set.of(FLAGS, WARMUP, TIME);

  /**
   * A work that was done, so that the file speaks for itself.
   *
   * @param suite what it belongs to
   * @param work what was done
   * @param isOversubscribed whether it has more threads than the machine has processors
   * @param flags the options of its JVMs beside those of all
   */
  record Done(Suite suite, Work work, boolean isOversubscribed, List<String> flags) {
    static Done of(Row row, int processors) {
      Work work = row.work();
      return new Done(row.suite(), work, work.isOversubscribed(processors), work.flags());
    }
  }

  Results {
    samples = samples.stream().map(Sample::judged).toList();
    footprints = footprints == null ? List.of() : List.copyOf(footprints);
  }

  static Results read(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), Results.class);
  }

  /**
   * Reads runs that may be pooled.
   *
   * @throws IllegalArgumentException if they may not: the message names what differs
   */
  static List<Results> readAll(List<Path> files) throws IOException {
    List<Results> runs = new ArrayList<>();
    for (Path file : files) {
      Results run = read(file);
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

  /** Several runs as one: with all their samples, otherwise as the first is. */
  static Results pooled(List<Results> runs) {
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
    Map<String, String> expected = first.conditions();
    Map<String, String> found = run.conditions();
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
    for (Done one : first.works()) {
      for (Done other : run.works()) {
        if (one.work().id().equals(other.work().id()) && !one.equals(other)) {
          throw new IllegalArgumentException(
              "files must mean the same by a work's name: %s in %s, but %s in %s"
                  .formatted(one, firstFile, other, file));
        }
      }
    }
  }

  /** What must be the same in runs that are pooled, by the name that a reader is told. */
  Map<String, String> conditions() {
    Map<String, String> all = new LinkedHashMap<>(machine.facts());
    all.put(FLAGS, String.join(" ", flags));
    all.put(WARMUP, warmupMillis + " ms");
    all.put(TIME, millis + " ms");
    versions.forEach((name, version) -> all.put("version of " + name, version));
    return all;
  }

  /** The idle counts that a work was run with; if it was not, then the one that it has. */
  List<Integer> idles(Row row) {
    List<Integer> run =
        samples.stream()
            .filter(sample -> sample.work().equals(row.work().id()))
            .map(Sample::idle)
            .distinct()
            .sorted()
            .toList();
    return run.isEmpty() ? List.of(row.work().idle()) : run;
  }

  /** The samples that count. */
  List<Sample> samples(Row row, Contenders contender, Placement placement, int idle) {
    return samples.stream()
        .filter(sample -> sample.failure() == null)
        .filter(sample -> sample.isOf(row, contender))
        .filter(sample -> sample.idle() == idle && sample.placement() == placement)
        .toList();
  }

  /** The samples of a work that count: those of each contender, at each placement of the cores. */
  List<Group> groups(Row row) {
    List<Group> groups = new ArrayList<>();
    for (int idle : idles(row)) {
      for (Placement placement : Placement.COMPARED) {
        row.contenders()
            .map(one -> Group.of(one, placement, idle, samples(row, one, placement, idle)))
            .filter(group -> !group.samples().isEmpty())
            .forEach(groups::add);
      }
    }
    return groups;
  }

  /** The peers that its form runs a work with. */
  List<Contenders> peers(Row row) {
    return Form.all().stream()
        .filter(one -> one.name().equals(form))
        .findFirst()
        .map(one -> one.peers(row))
        .orElse(row.peers());
  }
}
