package dev.millrace.bench.compare;

import dev.millrace.bench.compare.ArticleFork.Sample;
import dev.millrace.report.Machine;
import dev.millrace.report.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that runs the article's pipeline of three stages on a ring and on queues. */
@Command(
    name = "article-pipeline",
    description = "The three stages of the article on one ring, and with queues between them.")
final class ArticleCommand extends RoundsCommand {
  private static final List<String> SIDES = List.of("millrace", "queues");
  private static final int WORKERS =
      ArticlePipeline.PARSERS + ArticlePipeline.ENRICHERS + ArticlePipeline.AGGREGATORS;

  /** The article's figures, by ours. */
  private static final Map<String, String> ARTICLE_AT_RATE =
      Map.of("all: mean, us", "23.9x", "all: p99.9, us", "72.4x");

  private static final Map<String, String> ARTICLE_FLAT_OUT =
      Map.of("throughput, thousands/s", "10.9x", "allocation, MB/s", "0.1 against 23.4");

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

  /**
   * What a JVM does.
   *
   * @param rate 0 for as fast as it goes
   */
  private record Trial(String side, long rate) {}

  /** A run, as it is kept. */
  private record Results(String started, String command, Machine machine, List<Sample> samples) {}

  @Override
  public Integer call() throws Exception {
    Machine machine = Machine.here();
    List<Trial> trials =
        LongStream.of(0, rate)
            .boxed()
            .flatMap(each -> SIDES.stream().map(side -> new Trial(side, each)))
            .toList();
    List<Sample> samples = Runner.inRounds(trials, rounds, seed, this::fork);
    keep(new Results(started, repeat(), machine, samples));
    print(machine, samples);
    return 0;
  }

  /** Apart from those that {@code bench/compare report} reads. */
  @Override
  Path usualFile() {
    Path file = super.usualFile();
    return file.getParent().resolveSibling("article-pipeline").resolve(file.getFileName());
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
