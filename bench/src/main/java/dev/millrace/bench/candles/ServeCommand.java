package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that asks {@code ohlcv serve} for candles over HTTP. */
@Command(
    name = "serve",
    description = {
      "Sends trades to ohlcv serve and asks it for candles over HTTP, at fixed rates, and checks"
          + " every answer against a recomputation up to the trade that it names. The server runs"
          + " with its cache, without, and with the naive engine. Client and server are processes"
          + " of their own.",
      "Of four queries two are for the newest hour of minutes, one for an hour that is over, one"
          + " for a day of quarter hours that is over. Trades follow from the seed; their clock"
          + " runs fast, so that the run covers 30 hours."
    },
    footer = {
      "",
      "Latency is measured from when a query was due to when its answer has come, so that what a"
          + " stall holds up counts too (no coordinated omission). A run that cannot keep up is"
          + " ended after twice its time, and the tables say so.",
      "",
      "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage."
    })
public final class ServeCommand extends LoadRounds<ServeTrial, ServeResult> {
  private static final int MOST_CLIENTS = 1_000;
  private static final double MICRO = 1e3;
  private static final double MEGA = 1e6;

  @Option(names = "--clients", description = "threads that ask, each on a connection")
  private int clients = 8;

  /** Makes the command. */
  public ServeCommand() {
    super(ServeResult.class);
    rounds = 1;
  }

  @Override
  public Integer call() throws Exception {
    check("clients", clients, 1, MOST_CLIENTS);
    LoadSettings pipeline = load(CandleContender.PIPELINE);
    return run(
        List.of(
            new ServeTrial(pipeline, true, flags()),
            new ServeTrial(pipeline, false, flags()),
            new ServeTrial(load(CandleContender.NAIVE), true, flags())));
  }

  private LoadSettings load(CandleContender engine) {
    return paced(engine, clients + LoadSettings.OTHER_THREADS);
  }

  @Override
  protected String folder() {
    return "candles-serve";
  }

  @Override
  protected boolean isWrong(ServeResult result) {
    return result.checked().wrong() > 0 || result.errors() > 0;
  }

  @Override
  protected String tables(List<ServeResult> results, int processors) {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    figure(rows, results, "trades/s", "%,.0f", ServeResult::tradesPerSecond);
    figure(rows, results, "queries/s", "%,.1f", r -> r.queries().perSecond());
    for (double rank : List.of(50.0, 90.0, 99.0, 99.9, 100.0)) {
      String name = "answer, us, " + (rank < 100 ? Latencies.percentile(rank) : "max");
      figure(rows, results, name, "%,.0f", r -> at(r.queries().times(), rank) / MICRO);
    }
    for (double rank : List.of(50.0, 99.0, 100.0)) {
      String name = "trades behind, " + (rank < 100 ? Latencies.percentile(rank) : "max");
      figure(rows, results, name, "%,.0f", r -> at(r.behind(), rank));
    }
    figure(rows, results, "from the cache, %", "%.1f", r -> 100.0 * r.hits() / r.queries().count());
    figure(
        rows,
        results,
        "processors busy",
        "%.2f",
        r -> r.server().processorSeconds() / r.server().seconds());
    figure(rows, results, "collections", "%,.0f", r -> r.server().collections());
    figure(
        rows, results, "pauses in all, ms", "%,.1f", r -> Pauses.totalMillis(r.server().pauses()));
    figure(
        rows,
        results,
        "longest pause, ms",
        "%,.1f",
        r -> Pauses.longestMillis(r.server().pauses()));
    figure(
        rows,
        results,
        "allocated, MB/s",
        "%,.1f",
        r -> r.server().allocatedBytes() / MEGA / r.server().seconds());
    LoadSettings load = results.getFirst().trial().load();
    return Table.format(
            "%,d trades and %,d queries a second for %,d s, of %,d symbols; %,d clients, %,d"
                + " processors for all\n\n",
            load.rate(),
            load.queries(),
            load.seconds(),
            load.symbols(),
            load.queriers(),
            processors)
        + Table.ofCells("", rows).markdown()
        + "\n"
        + notes(results)
        + Table.format(
            "Checked: %,d answers with %,d candles, %,d wrong, %,d errors\n",
            results.stream().mapToLong(r -> r.checked().answers()).sum(),
            results.stream().mapToLong(r -> r.checked().candles()).sum(),
            results.stream().mapToLong(r -> r.checked().wrong()).sum(),
            results.stream().mapToLong(ServeResult::errors).sum());
  }

  private static void figure(
      Map<String, Map<String, String>> rows,
      List<ServeResult> results,
      String name,
      String format,
      ToDoubleFunction<ServeResult> of) {
    Map<String, String> row = rows.computeIfAbsent(name, _ -> new LinkedHashMap<>());
    results.stream()
        .collect(Collectors.groupingBy(r -> r.trial().toString(), Collectors.toList()))
        .entrySet()
        .stream()
        .sorted(Map.Entry.<String, List<ServeResult>>comparingByKey().reversed())
        .forEach(
            each ->
                row.put(
                    each.getKey(),
                    Table.format(
                        format,
                        Samples.median(each.getValue().stream().mapToDouble(of).toArray()))));
  }

  private static double at(String times, double rank) {
    Histogram histogram = Latencies.decode(times);
    return histogram.getValueAtPercentile(rank);
  }

  /** Which runs did not go as they should. */
  private static String notes(List<ServeResult> results) {
    return results.stream()
        .map(
            r ->
                (r.cutShort() ? r.trial() + ": ended undone after twice the time\n" : "")
                    + (r.checked().example().isEmpty()
                        ? ""
                        : r.trial() + ", a wrong answer: " + r.checked().example() + "\n"))
        .collect(Collectors.joining());
  }
}
