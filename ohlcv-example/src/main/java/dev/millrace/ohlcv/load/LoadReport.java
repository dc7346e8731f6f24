package dev.millrace.ohlcv.load;

import dev.millrace.telemetry.tool.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The results as a table: a column for each engine and, of two, a column of ratios. */
final class LoadReport {
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;

  private LoadReport() {}

  /** Which way a figure is good, hence its ratio. */
  private enum Better {
    MORE,
    LESS,
    NEITHER
  }

  /** A row of the table. */
  private record Figure(
      String name, String format, Better better, ToDoubleFunction<LoadResult> of) {}

  private static final List<Figure> FIGURES =
      List.of(
          new Figure("trades behind at a query, most", "%,.0f", Better.LESS, r -> r.mostBehind()),
          new Figure("garbage collections", "%,.0f", Better.LESS, r -> r.garbage().collections()),
          new Figure("GC pauses", "%,.0f", Better.LESS, r -> r.garbage().pauses()),
          new Figure(
              "GC pauses, total ms", "%,.2f", Better.LESS, r -> r.garbage().totalNanos() / MILLI),
          new Figure(
              "GC pauses, max ms", "%,.2f", Better.LESS, r -> r.garbage().maxNanos() / MILLI),
          new Figure("GC pauses, % of time", "%,.3f", Better.LESS, r -> 100 * r.garbage().share()),
          new Figure(
              "heap allocated, MB/s",
              "%,.2f",
              Better.LESS,
              LoadResult::allocatedMegabytesPerSecond),
          new Figure("held on the heap, MB", "%,.2f", Better.NEITHER, LoadResult::heapMegabytes),
          new Figure("held off-heap, MB", "%,.2f", Better.NEITHER, LoadResult::nativeMegabytes),
          new Figure("held in all, MB", "%,.2f", Better.LESS, LoadResult::heldMegabytes),
          new Figure("answers checked", "%,.0f", Better.NEITHER, LoadResult::answers),
          new Figure("candles checked", "%,.0f", Better.NEITHER, LoadResult::candles),
          new Figure("wrong answers", "%,.0f", Better.NEITHER, LoadResult::wrong));

  /** The report of one run, or of two of the same settings. */
  static String of(List<LoadResult> results) {
    LoadSettings settings = results.getFirst().settings();
    List<String> heads = new ArrayList<>(List.of(""));
    results.forEach(result -> heads.add("#" + result.settings().engine()));
    if (results.size() > 1) {
      heads.add("#ratio");
    }
    TextTable table = new TextTable(heads.toArray(String[]::new));
    List<Figure> figures = new ArrayList<>();
    addLatencies(figures, "trades/s", settings.rate(), "write", LoadResult::writes);
    addLatencies(figures, "queries/s", settings.queries(), "query", LoadResult::queries);
    figures.addAll(FIGURES);
    figures.forEach(figure -> table.add(row(figure, results)));
    StringBuilder notes = new StringBuilder();
    for (LoadResult result : results) {
      notes.append(
          result.cutShort()
              ? result.settings().engine() + ": ended undone after twice the time\n"
              : "");
      notes.append(
          result.wrong() > 0
              ? result.settings().engine() + ", a wrong answer: " + result.example() + "\n"
              : "");
    }
    if (results.size() > 1) {
      notes.append("ratio: above 1 is better for " + settings.engine() + "\n");
    }
    return head(results.getFirst()) + String.join("\n", table.lines()) + "\n" + notes;
  }

  private static String head(LoadResult result) {
    LoadSettings settings = result.settings();
    return String.format(
            Locale.ROOT,
            "%,d trades/s and %,d queries/s for %,d s after %,d s of warm-up; %,d symbols, seed"
                + " %d%n",
            settings.rate(),
            settings.queries(),
            settings.seconds(),
            settings.warmUpSeconds(),
            settings.symbols(),
            settings.seed())
        + String.format(
            Locale.ROOT,
            "%,d threads (1 writes, 1 aggregates, %,d query) on %,d processors; JDK %s; %s%n",
            settings.threads(),
            settings.queriers(),
            Runtime.getRuntime().availableProcessors(),
            Runtime.version(),
            result.collector());
  }

  private static void addLatencies(
      List<Figure> all,
      String unit,
      int asked,
      String name,
      Function<LoadResult, Latencies> which) {
    String rate = String.format(Locale.ROOT, "%s, of %,d", unit, asked);
    all.add(new Figure(rate, "%,.1f", Better.MORE, r -> which.apply(r).perSecond()));
    for (double rank : Latencies.RANKS) {
      int index = Latencies.RANKS.indexOf(rank);
      all.add(
          new Figure(
              name + " " + Latencies.percentile(rank) + ", us",
              "%,.1f",
              Better.LESS,
              r -> which.apply(r).percentiles().get(index) / MICRO));
    }
    all.add(
        new Figure(
            name + " max, us", "%,.1f", Better.LESS, r -> which.apply(r).maxNanos() / MICRO));
  }

  private static String[] row(Figure figure, List<LoadResult> results) {
    double[] values = results.stream().mapToDouble(figure.of).toArray();
    List<String> row = new ArrayList<>(List.of(figure.name));
    for (double value : values) {
      row.add(String.format(Locale.ROOT, figure.format, value));
    }
    if (values.length > 1) {
      double ratio = figure.better == Better.MORE ? values[0] / values[1] : values[1] / values[0];
      boolean isShown = Double.isFinite(ratio) && figure.better != Better.NEITHER;
      row.add(isShown ? String.format(Locale.ROOT, "%,.2f", ratio) : "");
    }
    return row.toArray(String[]::new);
  }
}
