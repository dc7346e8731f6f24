package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Runner.Trial;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command. */
@Command(
    name = "compare",
    description = "Runs Millrace beside its peers on the same work.",
    mixinStandardHelpOptions = true)
public final class Compare {
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

    @Option(names = "--out", description = "the results' file")
    private Path out = Path.of("target", "results.json");

    Run(String form, int rounds, List<Integer> idles) {
      this.form = form;
      this.rounds = rounds;
      this.idles = idles;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
      String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      List<Sample> samples =
          new Runner(trials(), warmupMillis, millis, seed, NativeRing.compile()).run(rounds);
      Results results =
          new Results(
              form,
              started,
              seed,
              warmupMillis,
              millis,
              Machine.here(),
              Runner.FLAGS,
              versions(),
              samples);
      results.write(out);
      print(results);
      return samples.stream().anyMatch(sample -> sample.failure() != null) ? 1 : 0;
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
          one.placement().name().toLowerCase(Locale.ROOT),
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
            "%s %s failed: %s%n", sample.work(), sample.contender(), sample.failure());
      }
    }
  }
}
