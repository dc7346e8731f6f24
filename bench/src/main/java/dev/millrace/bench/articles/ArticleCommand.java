package dev.millrace.bench.articles;

import dev.millrace.bench.articles.ArticleFork.Sample;
import dev.millrace.bench.harness.Better;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that runs the article's pipeline of three stages on a ring and on queues. */
@Command(
    name = "article-pipeline",
    description = "The three stages of the article on one ring, and with queues between them.")
public final class ArticleCommand extends RoundsCommand {
  private static final List<String> SIDES = List.of("millrace", "queues");
  private static final int WORKERS =
      ArticlePipeline.PARSERS + ArticlePipeline.ENRICHERS + ArticlePipeline.AGGREGATORS;

  /** The article's figures, by ours. */
  private static final Map<String, String> ARTICLE_AT_RATE =
      Map.of(
          "publish call: mean, us", "23.9x",
          "publish call: p50, us", "24.2x",
          "publish call: p90, us", "25.7x",
          "publish call: p99, us", "31.1x",
          "publish call: p99.9, us", "72.4x");

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

  @Override
  public Integer call() throws Exception {
    List<ArticleFork> trials = new ArrayList<>();
    for (String side : SIDES) {
      for (long each : new long[] {0, rate}) {
        trials.add(new ArticleFork(side, 0, wait, each, publishers, warmupMillis, millis));
      }
    }
    List<Sample> samples =
        inRounds(trials, ArticleFork::inJvm, some -> keep(ArticleFork.FLAGS, some));
    int processors = Runtime.getRuntime().availableProcessors();
    if (publishers + WORKERS > processors) {
      print(
          "OVERSUBSCRIBED: %d threads on %d processors take turns; times hold those of the scheduler.%n%n"
              .formatted(publishers + WORKERS, processors));
    }
    for (String side : SIDES) { // the times of a side that has not kept the rate grow with the run
      double reached = Samples.median(of(samples, side, rate, Sample::perSecond));
      if (reached < 0.98 * rate) {
        print("MISSED THE RATE: %s, %,.0f of %d a second.%n%n".formatted(side, reached, rate));
      }
    }
    print(table("At %,d trades a second".formatted(rate), samples, rate, ARTICLE_AT_RATE) + "\n");
    print(table("Flat out", samples, 0, ARTICLE_FLAT_OUT));
    return 0;
  }

  private static String table(
      String title, List<Sample> samples, long rate, Map<String, String> article) {
    List<List<String>> rows = new ArrayList<>();
    for (String name : of(samples, rate).findFirst().orElseThrow().figures().keySet()) {
      List<String> row = new ArrayList<>(List.of(name));
      row.addAll(
          (name.startsWith("throughput") ? Better.MORE : Better.LESS)
              .cells(
                  "%,.3f",
                  of(samples, SIDES.getFirst(), rate, one -> one.figures().get(name)),
                  of(samples, SIDES.getLast(), rate, one -> one.figures().get(name))));
      row.add(article.getOrDefault(name, ""));
      rows.add(row);
    }
    return Table.of(title, title + ";#millrace;#queues;#ratio;#95 %;article", rows).markdown();
  }

  private static Stream<Sample> of(List<Sample> samples, long rate) {
    return samples.stream().filter(one -> one.fork().perSecond() == rate);
  }

  private static double[] of(
      List<Sample> samples, String side, long rate, ToDoubleFunction<Sample> figure) {
    return of(samples, rate)
        .filter(one -> one.fork().side().equals(side))
        .mapToDouble(figure)
        .toArray();
  }
}
