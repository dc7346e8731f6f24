package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Runner.Trial;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that runs a form of the side-by-side, and makes the report. */
@Command(mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
  private final Form form;

  @Spec private CommandSpec spec;

  @Option(names = "--rounds", description = "how often each contender does each work")
  private int rounds;

  @Option(names = "--work", description = "only works whose name begins so")
  private String work = "";

  @Option(names = "--contender", description = "ours, and only peers whose name begins so")
  private String contender = "";

  @Option(names = "--warmup-ms", description = "how long each JVM warms up")
  private long warmupMillis = 1_000;

  @Option(names = "--measure-ms", description = "how long each JVM measures")
  private long millis = 1_000;

  @Option(names = "--seed", description = "of the order within rounds")
  private long seed = 1;

  @Option(names = "--out", description = "the results' file, by default named by the time")
  private Path out;

  RunCommand(Form form) {
    this.form = form;
    this.rounds = form.rounds();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    Machine machine = Machine.here();
    List<Trial> trials = trials(machine.processors());
    boolean isNative = trials.stream().anyMatch(trial -> trial.contender() == Contenders.CPP);
    Optional<Path> ring = isNative ? NativeRing.compile() : Optional.empty();
    List<Sample> samples = new Runner(trials, warmupMillis, millis, seed, ring).run(rounds);
    Results results =
        new Results(
            form.name(),
            repeat(),
            started,
            seed,
            warmupMillis,
            millis,
            machine,
            Child.FLAGS,
            versions(),
            trials.stream()
                .map(Trial::row)
                .distinct()
                .map(row -> Results.Done.of(row, machine.processors()))
                .toList(),
            samples,
            List.of());
    Path file = out == null ? Compare.resultsFile(started) : out;
    results.write(file);
    Console.print(results);
    System.out.println("results: " + file.toAbsolutePath());
    Compare.writeReport(List.of(results), Compare.REPORT);
    return results.samples().stream().anyMatch(sample -> sample.failure() != null) ? 1 : 0;
  }

  private String repeat() {
    String command =
        "bench/compare %s --rounds %d --warmup-ms %d --measure-ms %d --seed %d"
            .formatted(form.name(), rounds, warmupMillis, millis, seed);
    command += work.isEmpty() ? "" : " --work " + work;
    return contender.isEmpty() ? command : command + " --contender " + contender;
  }

  private List<Trial> trials(int processors) {
    List<Trial> trials = new ArrayList<>();
    for (Row row : form.rows()) {
      if (row.work().id().startsWith(work) && row.isFor(processors)) {
        for (int idle : form.idles(row)) {
          contenders(row).forEach(one -> trials.add(new Trial(row, one, idle)));
        }
      }
    }
    if (trials.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "work must be the beginning of one of this form: work=" + work);
    }
    return trials;
  }

  private Stream<Contenders> contenders(Row row) {
    return Stream.concat(
        Stream.of(row.ours()),
        form.peers(row).stream().filter(peer -> peer.id().startsWith(contender)));
  }

  static Map<String, String> versions() throws IOException {
    Properties versions = new Properties();
    try (InputStream in = RunCommand.class.getResourceAsStream("versions.properties")) {
      versions.load(in);
    }
    Map<String, String> sorted = new TreeMap<>();
    versions.stringPropertyNames().forEach(name -> sorted.put(name, versions.getProperty(name)));
    return sorted;
  }
}
