package dev.millrace.bench.articles;

import dev.millrace.bench.articles.ArticleFork.Sample;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Table;
import dev.millrace.report.Machine;
import dev.millrace.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
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
    List<Sample> samples =
        inRounds(trials, this::fork, some -> keep(new Results(started, repeat(), machine, some)));
    print(
        Table.format(
            """
            The article's pipeline: parse x%d, enrich x%d, aggregate x%d by symbol; ours waits by %s.
            Queues are the JDK's LinkedBlockingQueue, with objects passed on.
            %s%s
            %s
            %s\
            """,
            ArticlePipeline.PARSERS,
            ArticlePipeline.ENRICHERS,
            ArticlePipeline.AGGREGATORS,
            wait,
            oversubscribed(machine.processors()),
            missed(samples),
            table("At %,d trades a second".formatted(rate), samples, rate, ARTICLE_AT_RATE),
            table("Flat out", samples, 0, ARTICLE_FLAT_OUT)));
    return 0;
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

  private String oversubscribed(int processors) {
    return processors >= publishers + WORKERS
        ? ""
        : "OVERSUBSCRIBED: %d threads on %d processors take turns; times hold those of the scheduler.\n"
            .formatted(publishers + WORKERS, processors);
  }

  /** Who has not kept the rate has times that grow with the length of the run. */
  private String missed(List<Sample> samples) {
    return SIDES.stream()
        .filter(side -> Samples.median(of(samples, side, rate, Sample::perSecond)) < 0.98 * rate)
        .map(
            side ->
                "MISSED THE RATE: %s, %s of %d a second.%n"
                    .formatted(
                        side,
                        Better.median("%,.0f", of(samples, side, rate, Sample::perSecond)),
                        rate))
        .collect(Collectors.joining());
  }

  private static String table(
      String title, List<Sample> samples, long rate, Map<String, String> article) {
    List<List<String>> rows = new ArrayList<>();
    for (String name : figures(samples, rate)) {
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

  private static Set<String> figures(List<Sample> samples, long rate) {
    return samples.stream()
        .filter(one -> one.perSecondWanted() == rate)
        .findFirst()
        .orElseThrow()
        .figures()
        .keySet();
  }

  private static double[] of(
      List<Sample> samples, String side, long rate, ToDoubleFunction<Sample> figure) {
    return samples.stream()
        .filter(one -> one.side().equals(side) && one.perSecondWanted() == rate)
        .mapToDouble(figure)
        .toArray();
  }
}
