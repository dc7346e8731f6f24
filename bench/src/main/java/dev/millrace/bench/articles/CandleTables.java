package dev.millrace.bench.articles;

import dev.millrace.bench.harness.Table;
import dev.millrace.ohlcv.candle.CandleEngine.Kind;
import dev.millrace.ohlcv.load.Latencies;
import dev.millrace.ohlcv.load.LoadResult;
import dev.millrace.ohlcv.load.LoadSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * The tables of both engines, flat out by threads and at the fixed rate: medians of the rounds, and
 * ratios, above 1 where the off-heap engine is better.
 *
 * @param results one for each JVM
 * @param processors of the machine
 */
record CandleTables(List<LoadResult> results, int processors) {
  private static final String RATIO_HEADS = ";#off-heap;#naive;#ratio;#95 %";
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;

  /** A row of a table: a figure of each run, and which way it is good. */
  private record Figure(
      String name, ToDoubleFunction<LoadResult> of, String format, Better better) {}

  private static final List<Figure> GARBAGE =
      List.of(
          new Figure("collections", r -> r.garbage().collections(), "%,.0f", Better.LESS),
          new Figure("pauses", r -> r.garbage().pauses(), "%,.0f", Better.LESS),
          new Figure(
              "pauses in all, ms", r -> r.garbage().totalNanos() / MILLI, "%,.2f", Better.LESS),
          new Figure("longest, ms", r -> r.garbage().maxNanos() / MILLI, "%,.2f", Better.LESS),
          new Figure("share of the time, %", r -> 100 * r.garbage().share(), "%,.3f", Better.LESS),
          new Figure(
              "allocated, MB/s", LoadResult::allocatedMegabytesPerSecond, "%,.2f", Better.LESS),
          new Figure("held, heap, MB", LoadResult::heapMegabytes, "%,.2f", Better.NEITHER),
          new Figure("held, native, MB", LoadResult::nativeMegabytes, "%,.2f", Better.NEITHER),
          new Figure("held in all, MB", LoadResult::heldMegabytes, "%,.2f", Better.LESS));

  /** The tables for a document. */
  String markdown() {
    List<Figure> latencies = new ArrayList<>();
    addLatencies(latencies, "trades/s", "write", LoadResult::writes);
    addLatencies(latencies, "queries/s", "query", LoadResult::queries);
    return throughput()
        + paced("Latency at the fixed rate, from when each was due, us", latencies)
        + paced("Garbage, from flight recordings, at the fixed rate, and memory held", GARBAGE)
        + Table.format(
            "Checked: %,d answers with %,d candles, %,d wrong; runs ended undone: %,d\n",
            results.stream().mapToLong(LoadResult::answers).sum(),
            results.stream().mapToLong(LoadResult::candles).sum(),
            results.stream().mapToLong(LoadResult::wrong).sum(),
            results.stream().filter(LoadResult::cutShort).count());
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
              row.addAll(row("", these, queries).subList(1, 3));
              rows.add(row);
            });
    return section(
        "Trades a second by threads, flat out ((*): more threads than the processors)",
        "threads" + RATIO_HEADS + ";#queries/s, off-heap;#naive",
        rows);
  }

  private static void addLatencies(
      List<Figure> figures, String rate, String name, Function<LoadResult, Latencies> which) {
    figures.add(new Figure(rate, r -> which.apply(r).perSecond(), "%,.1f", Better.MORE));
    for (int i = 0; i < Latencies.RANKS.size(); i++) {
      int rank = i;
      figures.add(
          new Figure(
              name + " " + Latencies.percentile(Latencies.RANKS.get(i)),
              r -> which.apply(r).percentiles().get(rank) / MICRO,
              "%,.1f",
              Better.LESS));
    }
    figures.add(
        new Figure(name + " max", r -> which.apply(r).maxNanos() / MICRO, "%,.1f", Better.LESS));
  }

  /** A table of the runs at the fixed rate. */
  private String paced(String title, List<Figure> figures) {
    return section(
        title,
        RATIO_HEADS,
        figures.stream().map(one -> row(one.name(), r -> r.settings().paced(), one)).toList());
  }

  private static String section(String title, String heads, List<List<String>> rows) {
    return "### %s\n\n%s\n".formatted(title, Table.of(title, heads, rows).markdown());
  }

  private List<String> row(String name, Predicate<LoadResult> which, Figure figure) {
    List<String> row = new ArrayList<>(List.of(name));
    row.addAll(
        figure
            .better()
            .cells(
                figure.format(),
                samples(Kind.OFF_HEAP, which, figure),
                samples(Kind.NAIVE, which, figure)));
    return row;
  }

  private double[] samples(Kind engine, Predicate<LoadResult> which, Figure figure) {
    return results.stream()
        .filter(result -> result.settings().engine() == engine && which.test(result))
        .mapToDouble(figure.of())
        .toArray();
  }
}
