package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
