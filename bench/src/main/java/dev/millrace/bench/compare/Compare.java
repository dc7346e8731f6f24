package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Runner.Trial;
import dev.millrace.bench.report.ReportFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command. */
@Command(
    name = "compare",
    description = "Runs Millrace beside its peers on the same work.",
    mixinStandardHelpOptions = true)
public final class Compare {
  /** The script knows the module's folder. */
  private static final Path TARGET = Path.of(System.getProperty("millrace.module", "."), "target");

  private static final Path REPORT = TARGET.resolve("report");

  private Compare() {}

  /**
   * Runs the command.
   *
   * @param args see {@code compare --help}
   */
  public static void main(String[] args) {
    CommandLine command = new CommandLine(new Compare());
    command.addSubcommand("quick", new Run("quick", 7, List.of(1)));
    command.addSubcommand("full", new Run("full", 15, List.of(1, 4, 16)));
    command.addSubcommand("report", new Again());
    System.exit(command.execute(args));
  }

  /** One form of the run. */
  @Command(mixinStandardHelpOptions = true)
  private static final class Run implements Callable<Integer> {
    private final String form;
    private final List<Integer> idles;

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

    Run(String form, int rounds, List<Integer> idles) {
      this.form = form;
      this.rounds = rounds;
      this.idles = idles;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
      String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      List<Trial> trials = trials();
      boolean isNative = trials.stream().anyMatch(trial -> trial.contender() == Contenders.CPP);
      Optional<Path> ring = isNative ? NativeRing.compile() : Optional.empty();
      List<Sample> samples = new Runner(trials, warmupMillis, millis, seed, ring).run(rounds);
      Results results =
          new Results(
              form,
              repeat(),
              started,
              seed,
              warmupMillis,
              millis,
              Machine.here(),
              Runner.FLAGS,
              versions(),
              samples);
      Path file = out == null ? resultsFile(started) : out;
      results.write(file);
      print(results);
      System.out.println("results: " + file.toAbsolutePath());
      writeReport(List.of(results), REPORT);
      return results.samples().stream().anyMatch(sample -> sample.failure() != null) ? 1 : 0;
    }

    private String repeat() {
      String command =
          "bench/compare %s --rounds %d --warmup-ms %d --measure-ms %d --seed %d"
              .formatted(form, rounds, warmupMillis, millis, seed);
      command += work.isEmpty() ? "" : " --work " + work;
      return contender.isEmpty() ? command : command + " --contender " + contender;
    }

    private List<Trial> trials() {
      List<Trial> trials = new ArrayList<>();
      for (Row row : Row.ALL_ROWS) {
        if (row.work().id().startsWith(work)) {
          List<Contenders> peers = form.equals("quick") ? row.quickPeers() : row.peers();
          for (int idle : idles) {
            Stream.concat(
                    Stream.of(row.ours()),
                    peers.stream().filter(peer -> peer.id().startsWith(contender)))
                .forEach(one -> trials.add(new Trial(row, one, idle)));
          }
        }
      }
      return trials;
    }
  }

  /** The report of runs that were made before. */
  @Command(
      name = "report",
      description = "Makes the report of one or several runs on the same machine.",
      mixinStandardHelpOptions = true)
  private static final class Again implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(names = "--to", description = "the report's directory")
    private Path directory = REPORT;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "files of results")
    private List<Path> files;

    @Override
    public Integer call() throws IOException {
      List<Results> runs;
      try {
        runs = Pooled.read(files);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      } catch (IOException e) {
        throw new ParameterException(
            spec.commandLine(), "files must be results of this command: " + e.getMessage(), e);
      }
      print(Pooled.of(runs));
      writeReport(runs, directory);
      return 0;
    }
  }

  /** Without colons, which not every file system takes. */
  private static Path resultsFile(String started) {
    return TARGET.resolve("results").resolve(started.replace(':', '-') + ".json");
  }

  private static void writeReport(List<Results> runs, Path directory) throws IOException {
    Path page = ReportFiles.write(new Report(runs).sideBySide(), directory);
    System.out.println("report: " + page.toAbsolutePath());
  }

  private static Map<String, String> versions() throws IOException {
    Properties versions = new Properties();
    try (InputStream in = Compare.class.getResourceAsStream("versions.properties")) {
      versions.load(in);
    }
    Map<String, String> sorted = new TreeMap<>();
    versions.stringPropertyNames().forEach(name -> sorted.put(name, versions.getProperty(name)));
    return sorted;
  }

  private static void print(Results results) {
    for (Comparison one : Comparison.of(results)) {
      System.out.printf(
          Locale.ROOT,
          "%-24s %-10s %-22s %-5s idle %-2d %6.2f  [%.2f, %.2f]  %s (%d, %d samples)%n",
          one.row().work().id(),
          one.measure(),
          one.peer().id(),
          one.placement().text(),
          one.idle(),
          one.ratio().value(),
          one.ratio().low(),
          one.ratio().high(),
          one.target().map(target -> "target " + target).orElse(""),
          one.ratio().ourSamples(),
          one.ratio().peerSamples());
    }
    for (Sample sample : results.samples()) {
      if (sample.failure() != null) {
        System.out.printf(
            "%s %s failed: %s%n",
            sample.work(),
            sample.contender(),
            sample.failure().lines().findFirst().orElse("no message"));
      }
    }
  }
}
