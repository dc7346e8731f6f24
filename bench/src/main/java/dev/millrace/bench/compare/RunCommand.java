package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The command that runs a form of the side-by-side, and makes the report. */
final class RunCommand extends RoundsCommand {
  private final Form form;

  @Option(names = "--work", description = "only works whose name begins so")
  private String work = "";

  @Option(names = "--contender", description = "ours, and only peers whose name begins so")
  private String contender = "";

  @Option(names = "--warmup-ms", description = "how long each JVM warms up")
  private long warmupMillis = 1_000;

  @Option(names = "--measure-ms", description = "how long each JVM measures")
  private long millis = 1_000;

  RunCommand(Form form) {
    this.form = form;
    this.rounds = form.rounds();
  }

  @Override
  public Integer call() throws Exception {
    Machine machine = Machine.here();
    List<Fork> trials = trials(machine.processors());
    boolean isNative = trials.stream().anyMatch(trial -> trial.contender() == Contenders.CPP);
    Optional<Path> ring = isNative ? NativeRing.compile() : Optional.empty();
    if (ring.isEmpty()) {
      trials.removeIf(trial -> trial.contender() == Contenders.CPP);
    }
    String program = ring.map(Path::toString).orElse("");
    List<Results.Done> works =
        trials.stream()
            .map(Fork::work)
            .distinct()
            .map(one -> Results.Done.of(Row.of(one.id()), machine.processors()))
            .toList();
    List<Sample> samples =
        inRounds(
            trials,
            (trial, round) -> trial.inJvm(round, program),
            some -> keep(results(machine, works, some)));
    Results results = results(machine, works, samples);
    Compare.writeReport(List.of(results), Compare.REPORT);
    return results.samples().stream().anyMatch(sample -> sample.failure() != null) ? 1 : 0;
  }

  private Results results(Machine machine, List<Results.Done> works, List<Sample> samples)
      throws IOException {
    return new Results(
        form.name(),
        repeat(),
        started,
        seed,
        warmupMillis,
        millis,
        machine,
        Child.FLAGS,
        versions(),
        works,
        samples,
        List.of());
  }

  @Override
  protected String folder() {
    return "results";
  }

  private List<Fork> trials(int processors) {
    List<Fork> trials = new ArrayList<>();
    for (Row row : form.rows()) {
      if (row.work().id().startsWith(work) && row.isFor(processors)) {
        for (int idle : form.idles(row)) {
          contenders(row)
              .forEach(one -> trials.add(new Fork(row.work(), one, idle, warmupMillis, millis)));
        }
      }
    }
    if (trials.isEmpty()) {
      throw wrongUsage("work must be the beginning of one of this form: work=" + work);
    }
    return trials;
  }

  private Stream<Contenders> contenders(Row row) {
    return Stream.concat(
        Stream.of(row.ours()),
        form.peers(row).stream().filter(peer -> peer.id().startsWith(contender)));
  }

  static Map<String, String> versions() throws IOException {
    return properties("versions.properties");
  }

  /** What the build has written into a file. */
  static Map<String, String> properties(String resource) throws IOException {
    Properties properties = new Properties();
    try (InputStream in = RunCommand.class.getResourceAsStream(resource)) {
      properties.load(in);
    }
    Map<String, String> sorted = new TreeMap<>();
    properties.forEach((name, value) -> sorted.put(name.toString(), value.toString()));
    return sorted;
  }
}
