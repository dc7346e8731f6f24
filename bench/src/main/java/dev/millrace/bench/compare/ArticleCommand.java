package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.ArticleFork.Sample;
import dev.millrace.report.Machine;
import dev.millrace.report.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that runs the article's pipeline of three stages on a ring and on queues. */
@Command(
    name = "article-pipeline",
    description = "The three stages of the article on one ring, and with queues between them.",
    mixinStandardHelpOptions = true)
final class ArticleCommand implements Callable<Integer> {
  private static final List<String> SIDES = List.of("millrace", "queues");
  private static final int WORKERS =
      ArticlePipeline.PARSERS + ArticlePipeline.ENRICHERS + ArticlePipeline.AGGREGATORS;

  /** The article's figures, by ours. */
  private static final Map<String, String> ARTICLE_AT_RATE =
      Map.of("all: mean, us", "23.9x", "all: p99.9, us", "72.4x");

  private static final Map<String, String> ARTICLE_FLAT_OUT =
      Map.of("throughput, thousands/s", "10.9x", "allocation, MB/s", "0.1 against 23.4");

  private static final ObjectMapper JSON = new ObjectMapper();

  @Option(names = "--rounds", description = "how often each side does each work")
  private int rounds = 5;

  @Option(names = "--rate", description = "trades a second where times are taken")
  private long rate = 20_000;

  @Option(names = "--publishers", description = "threads that put trades in")
  private int publishers = 1;

  @Option(
      names = "--wait",
      description =
          "how our stages wait: yielding, parking, spinning-then-parking, parking-at-once,"
              + " sleeping or sleeping-at-once")
  private String wait = "parking";

  @Option(names = "--warmup-ms", description = "how long each JVM warms up")
  private long warmupMillis = 3_000;

  @Option(names = "--measure-ms", description = "how long each JVM measures")
  private long millis = 5_000;

  @Option(names = "--seed", description = "of the order within rounds")
  private long seed = 1;

  @Option(names = "--out", description = "the results' file, by default named by the time")
  private Path out;

  /**
   * What a JVM does.
   *
   * @param rate 0 for as fast as it goes
   */
  private record Trial(String side, long rate) {}

  /** A run, as it is kept. */
  private record Results(String started, String command, Machine machine, List<Sample> samples) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    Machine machine = Machine.here();
    List<Sample> samples = samples();
    Path file =
        out == null
            ? Compare.REPORT
                .resolveSibling("article-pipeline")
                .resolve(started.replace(':', '-') + ".json")
            : out;
    Files.createDirectories(file.toAbsolutePath().getParent());
    String command =
        "bench/compare article-pipeline --rounds %d --rate %d --publishers %d --wait %s --warmup-ms %d --measure-ms %d --seed %d"
            .formatted(rounds, rate, publishers, wait, warmupMillis, millis, seed);
    JSON.writerWithDefaultPrettyPrinter()
        .writeValue(file.toFile(), new Results(started, command, machine, samples));
    print(machine, samples);
    System.out.println("results: " + file.toAbsolutePath());
    return 0;
  }

  private List<Sample> samples() throws IOException, InterruptedException {
    List<Trial> trials = new ArrayList<>();
    SIDES.forEach(side -> trials.add(new Trial(side, 0)));
    SIDES.forEach(side -> trials.add(new Trial(side, rate)));
    Random random = new Random(seed);
    List<Sample> samples = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      Collections.shuffle(trials, random);
      for (Trial trial : trials) {
        Sample sample = fork(trial, round);
        samples.add(sample);
        System.err.println(round + "/" + rounds + " " + sample);
      }
    }
    return samples;
  }

  private Sample fork(Trial trial, int round) throws IOException, InterruptedException {
    return Child.run(
        ArticleFork.class,
        Jvm.DEFAULT.flags(),
        List.of(trial.side(), round, wait, trial.rate(), publishers, warmupMillis, millis),
        120 + (warmupMillis + millis) / 1_000,
        Sample.class);
  }

  // ---- what is told ----

  private void print(Machine machine, List<Sample> samples) {
    System.out.printf(
        Locale.ROOT,
        "The article's pipeline: parse x%d, enrich x%d, aggregate x%d by symbol; ours waits by"
            + " %s.%n",
        ArticlePipeline.PARSERS,
        ArticlePipeline.ENRICHERS,
        ArticlePipeline.AGGREGATORS,
        wait);
    System.out.println("Queues are the JDK's LinkedBlockingQueue, with objects passed on.");
    if (machine.processors() < publishers + WORKERS) {
      System.out.printf(
          Locale.ROOT,
          "OVERSUBSCRIBED: %d threads on %d processors take turns; times hold those of the"
              + " scheduler.%n",
          publishers + WORKERS,
          machine.processors());
    }
    tellMissed(samples);
    print("At %,d trades a second".formatted(rate), samples, rate, ARTICLE_AT_RATE);
    print("Flat out", samples, 0, ARTICLE_FLAT_OUT);
  }

  private static void print(
      String title, List<Sample> samples, long rate, Map<String, String> article) {
    System.out.printf(
        "%n%-28s %12s %12s %8s   %s%n", title, "millrace", "queues", "ratio", "article");
    for (String name : figures(samples, rate).findFirst().orElseThrow().keySet()) {
      double ours = median(samples, SIDES.getFirst(), rate, one -> one.figures().get(name));
      double theirs = median(samples, SIDES.getLast(), rate, one -> one.figures().get(name));
      double ratio = name.startsWith("throughput") ? ours / theirs : theirs / ours;
      System.out.printf(
          Locale.ROOT,
          "%-28s %,12.3f %,12.3f %8s   %s%n",
          name,
          ours,
          theirs,
          Double.isFinite(ratio) ? "%.1fx".formatted(ratio) : "-",
          article.getOrDefault(name, ""));
    }
  }

  private static Stream<Map<String, Double>> figures(List<Sample> samples, long rate) {
    return samples.stream().filter(one -> one.perSecondWanted() == rate).map(Sample::figures);
  }

  /** Who has not kept the rate has times that grow with the length of the run. */
  private void tellMissed(List<Sample> samples) {
    for (String side : SIDES) {
      double kept = median(samples, side, rate, Sample::perSecond);
      if (kept < 0.98 * rate) {
        System.out.printf(
            Locale.ROOT, "MISSED THE RATE: %s, %,.0f of %,d a second.%n", side, kept, rate);
      }
    }
  }

  private static double median(
      List<Sample> samples, String side, long rate, ToDoubleFunction<Sample> figure) {
    return Samples.median(
        samples.stream()
            .filter(one -> one.side().equals(side) && one.perSecondWanted() == rate)
            .mapToDouble(figure)
            .toArray());
  }
}
