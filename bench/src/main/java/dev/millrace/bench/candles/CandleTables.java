package dev.millrace.bench.candles;

import dev.millrace.bench.candles.LoadResult.Rate;
import dev.millrace.bench.harness.Better;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The tables of one engine or two, flat out by threads and at the fixed rate: medians of the
 * rounds, and of two engines ratios, above 1 where the first is better.
 *
 * @param results one for each JVM
 * @param processors of the machine
 */
record CandleTables(List<LoadResult> results, int processors) {
  private static final List<Double> RANKS = List.of(50.0, 90.0, 99.0, 99.9, 99.99);
  private static final double MICRO = 1e3;
  private static final double KILO = 1e3;
  private static final double MEGA = 1e6;

  /** A row of a table: a figure of each run, and which way it is good. */
  private record Figure(
      String name, ToDoubleFunction<LoadResult> of, String format, Better better) {}

  private static final List<Figure> GARBAGE =
      List.of(
          new Figure("collections", r -> r.memory().collections(), "%,.0f", Better.LESS),
          new Figure(
              "young collections a minute", r -> collections(r, false), "%,.1f", Better.LESS),
          new Figure("old collections a minute", r -> collections(r, true), "%,.1f", Better.LESS),
          new Figure("pauses", r -> r.memory().pauses().size(), "%,.0f", Better.LESS),
          new Figure(
              "a young pause: mean, ms",
              r -> Pauses.meanMillis(r.memory().pauses(false)),
              "%,.2f",
              Better.LESS),
          new Figure(
              "an old pause: mean, ms",
              r -> Pauses.meanMillis(r.memory().pauses(true)),
              "%,.2f",
              Better.LESS),
          new Figure(
              "pauses in all, ms",
              r -> Pauses.totalMillis(r.memory().pauses()),
              "%,.2f",
              Better.LESS),
          new Figure(
              "longest, ms", r -> Pauses.longestMillis(r.memory().pauses()), "%,.2f", Better.LESS),
          new Figure(
              "share of the time, %", r -> 100 * r.memory().pausedShare(), "%,.3f", Better.LESS),
          new Figure(
              "objects made a minute, thousands",
              r -> r.memory().perMinute(r.memory().objects()) / KILO,
              "%,.0f",
              Better.LESS),
          new Figure(
              "allocated, MB/s",
              r -> r.memory().allocatedBytes() / MEGA / r.settings().seconds(),
              "%,.2f",
              Better.LESS),
          new Figure(
              "held, heap, MB", r -> r.memory().held().heapBytes() / MEGA, "%,.2f", Better.NEITHER),
          new Figure(
              "held, native, MB",
              r -> r.memory().held().nativeBytes() / MEGA,
              "%,.2f",
              Better.NEITHER),
          new Figure(
              "held in all, MB",
              r -> (r.memory().held().heapBytes() + r.memory().held().nativeBytes()) / MEGA,
              "%,.2f",
              Better.LESS));

  private static double collections(LoadResult result, boolean old) {
    LoadResult.Memory memory = result.memory();
    return memory.perMinute((double) Pauses.collections(memory.pauses(old)));
  }

  /** The tables for a document. */
  String markdown() {
    List<Figure> latencies = new ArrayList<>();
    addLatencies(latencies, "trades/s", "write", LoadResult::writes);
    addLatencies(latencies, "queries/s", "query", LoadResult::queries);
    latencies.add(
        new Figure("trades behind at a query, most", LoadResult::mostBehind, "%,.0f", Better.LESS));
    return head()
        + throughput()
        + paced("Latency at the fixed rate, from when each was due, us", latencies)
        + paced("Garbage at the fixed rate (pauses by flight recording), and memory held", GARBAGE)
        + notes()
        + Table.format(
            "Checked: %,d answers with %,d candles, %,d wrong; runs ended undone: %,d\n",
            results.stream().mapToLong(r -> r.checked().answers()).sum(),
            results.stream().mapToLong(r -> r.checked().candles()).sum(),
            results.stream().mapToLong(r -> r.checked().wrong()).sum(),
            results.stream().filter(LoadResult::cutShort).count());
  }

  private String head() {
    LoadSettings rate =
        results.stream()
            .map(LoadResult::settings)
            .filter(LoadSettings::paced)
            .findFirst()
            .orElseThrow();
    return Table.format(
        "Fixed rate: %,d trades and %,d queries a second for %,d s, of %,d symbols; %,d threads on"
            + " %,d processors\n\n",
        rate.rate(), rate.queries(), rate.seconds(), rate.symbols(), rate.threads(), processors);
  }

  /** Which runs did not go as they should. */
  private String notes() {
    return results.stream()
        .map(
            r ->
                (r.cutShort() ? r.settings() + ": ended undone after twice the time\n" : "")
                    + (r.checked().wrong() > 0
                        ? "%s, a wrong answer: %s%n".formatted(r.settings(), r.checked().example())
                        : ""))
        .collect(Collectors.joining());
  }

  private String throughput() {
    Figure writes = new Figure("", r -> r.writes().perSecond(), "%,.0f", Better.MORE);
    Figure queries = new Figure("", r -> r.queries().perSecond(), "%,.0f", Better.NEITHER);
    List<List<String>> rows = new ArrayList<>();
    results.stream()
        .map(LoadResult::settings)
        .filter(settings -> !settings.paced())
        .map(LoadSettings::callers)
        .distinct()
        .sorted()
        .forEach(
            callers -> {
              Predicate<LoadResult> these =
                  r -> !r.settings().paced() && r.settings().callers() == callers;
              List<String> row =
                  row(callers + (callers + 1 > processors ? " (*)" : ""), these, writes);
              row.addAll(row("", these, queries).subList(1, 1 + engines().size()));
              rows.add(row);
            });
    return rows.isEmpty()
        ? ""
        : section(
            "Trades a second by threads, flat out ((*): more threads than the processors)",
            "threads" + heads() + ";#queries/s, off-heap;#naive",
            rows);
  }

  private static void addLatencies(
      List<Figure> figures, String rate, String name, Function<LoadResult, Rate> which) {
    figures.add(new Figure(rate, r -> which.apply(r).perSecond(), "%,.1f", Better.MORE));
    for (double rank : RANKS) {
      figures.add(latency(name + " " + Latencies.percentile(rank), which, rank));
    }
    figures.add(latency(name + " max", which, 100));
  }

  private static Figure latency(String name, Function<LoadResult, Rate> which, double rank) {
    return new Figure(
        name,
        r -> Latencies.decode(which.apply(r).times()).getValueAtPercentile(rank) / MICRO,
        "%,.1f",
        Better.LESS);
  }

  /** A table of the runs at the fixed rate. */
  private String paced(String title, List<Figure> figures) {
    return section(
        title,
        heads(),
        figures.stream().map(one -> row(one.name(), r -> r.settings().paced(), one)).toList());
  }

  private static String section(String title, String heads, List<List<String>> rows) {
    return "### %s\n\n%s\n".formatted(title, Table.of(title, heads, rows).markdown());
  }

  private List<CandleContender> engines() {
    return results.stream().map(r -> r.settings().engine()).distinct().sorted().toList();
  }

  /** The heads of the engines' columns, and of two those of their ratios. */
  private String heads() {
    return engines().stream().map(engine -> ";#" + engine).collect(Collectors.joining())
        + (engines().size() > 1 ? ";#ratio;#95 %" : "");
  }

  private List<String> row(String name, Predicate<LoadResult> which, Figure figure) {
    List<double[]> samples =
        engines().stream().map(engine -> samples(engine, which, figure)).toList();
    List<String> row = new ArrayList<>(List.of(name));
    if (samples.size() > 1) {
      row.addAll(figure.better().cells(figure.format(), samples.getFirst(), samples.getLast()));
    } else {
      row.add(Table.format(figure.format(), Samples.median(samples.getFirst())));
    }
    return row;
  }

  private double[] samples(CandleContender engine, Predicate<LoadResult> which, Figure figure) {
    return results.stream()
        .filter(result -> result.settings().engine() == engine && which.test(result))
        .mapToDouble(figure.of())
        .toArray();
  }
}
