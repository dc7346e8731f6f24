package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The results as a table: a column for each engine and, of two, a column of ratios. */
final class LoadReport {
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;

  private final List<LoadResult> results; // the first is that which ratios speak for
  private final Formatter out = new Formatter(new StringBuilder(), Locale.ROOT);

  /** Which way a figure is good, hence its ratio. */
  private enum Better {
    MORE,
    LESS,
    NEITHER
  }

  /** A row of the table. */
  private record Figure(
      String name, String format, Better better, ToDoubleFunction<LoadResult> of) {}

  private LoadReport(List<LoadResult> results) {
    this.results = results;
  }

  /** The report of one run, or of two of the same settings. */
  static String of(List<LoadResult> results) {
    LoadReport report = new LoadReport(results);
    report.head();
    figures(results.getFirst().settings()).forEach(report::row);
    report.notes();
    return report.out.toString();
  }

  private void head() {
    LoadSettings settings = results.getFirst().settings();
    out.format(
        "%,d trades/s and %,d queries/s for %,d s after %,d s of warm-up; %,d symbols, seed %d%n",
        settings.rate(),
        settings.queries(),
        settings.seconds(),
        settings.warmUpSeconds(),
        settings.symbols(),
        settings.seed());
    int processors = Runtime.getRuntime().availableProcessors();
    out.format(
        "%,d threads (1 writes, 1 aggregates, %,d query) on %,d processors%s%n",
        settings.threads(),
        settings.queriers(),
        processors,
        settings.threads() > processors ? ", fewer than threads" : "");
    if (results.stream().anyMatch(r -> r.settings().engine() == CandleEngine.Kind.PIPELINE)) {
      out.format("one thread more publishes: candles leave by a stage of their own%n");
    }
    out.format("JDK %s; %s%n", Runtime.version(), results.getFirst().collector());
    out.format(
        "the window of %,d one-minute candles is full when it starts; the %,d s cover %d hours%n",
        LoadSettings.WINDOW, settings.seconds(), LoadSettings.RUN_HOURS);
    for (LoadResult result : results) {
      if (result.cutShort()) {
        out.format("%s: ended undone after twice the time%n", result.settings().engine());
      }
    }
    List<String> engines = results.stream().map(r -> r.settings().engine().toString()).toList();
    line("", engines, isComparison() ? "ratio" : "");
  }

  private static List<Figure> figures(LoadSettings asked) {
    List<Figure> all = new ArrayList<>();
    latencies(all, "trades/s", asked.rate(), "write", LoadResult::writes);
    latencies(all, "queries/s", asked.queries(), "query", LoadResult::queries);
    Collections.addAll(
        all,
        new Figure("trades behind at a query, most", "%,.0f", Better.LESS, LoadResult::mostBehind),
        new Figure("garbage collections", "%,.0f", Better.LESS, r -> r.garbage().collections()),
        new Figure("GC pauses", "%,.0f", Better.LESS, r -> r.garbage().pauses()),
        new Figure(
            "GC pauses, total ms", "%,.2f", Better.LESS, r -> r.garbage().totalNanos() / MILLI),
        new Figure("GC pauses, max ms", "%,.2f", Better.LESS, r -> r.garbage().maxNanos() / MILLI),
        new Figure("GC pauses, % of time", "%,.3f", Better.LESS, r -> 100 * r.garbage().share()),
        new Figure(
            "heap allocated, MB/s", "%,.2f", Better.LESS, LoadResult::allocatedMegabytesPerSecond),
        new Figure("held on the heap, MB", "%,.2f", Better.NEITHER, LoadResult::heapMegabytes),
        new Figure("held off-heap, MB", "%,.2f", Better.NEITHER, LoadResult::nativeMegabytes),
        new Figure("held in all, MB", "%,.2f", Better.LESS, LoadResult::heldMegabytes),
        new Figure("answers checked", "%,.0f", Better.NEITHER, LoadResult::answers),
        new Figure("candles checked", "%,.0f", Better.NEITHER, LoadResult::candles),
        new Figure("wrong answers", "%,.0f", Better.NEITHER, LoadResult::wrong));
    return all;
  }

  private static void latencies(
      List<Figure> all,
      String unit,
      int asked,
      String name,
      Function<LoadResult, Latencies> which) {
    String rate = String.format(Locale.ROOT, "%s, of %,d", unit, asked);
    all.add(new Figure(rate, "%,.1f", Better.MORE, r -> which.apply(r).perSecond()));
    for (int i = 0; i < Latencies.RANKS.size(); i++) {
      int rank = i;
      all.add(
          new Figure(
              name + " " + Latencies.percentile(Latencies.RANKS.get(i)) + ", us",
              "%,.1f",
              Better.LESS,
              r -> which.apply(r).percentiles().get(rank) / MICRO));
    }
    all.add(
        new Figure(
            name + " max, us", "%,.1f", Better.LESS, r -> which.apply(r).maxNanos() / MICRO));
  }

  private void row(Figure figure) {
    double[] values = results.stream().mapToDouble(figure.of).toArray();
    double ours = values[0];
    double theirs = values[values.length - 1];
    double ratio = figure.better == Better.MORE ? ours / theirs : theirs / ours;
    String shown = Double.isFinite(ratio) ? String.format(Locale.ROOT, "%,.2f", ratio) : "-";
    line(
        figure.name,
        Arrays.stream(values).mapToObj(v -> String.format(Locale.ROOT, figure.format, v)).toList(),
        isComparison() && figure.better != Better.NEITHER ? shown : "");
  }

  private void line(String name, List<String> cells, String ratio) {
    out.format("%-34s", name);
    cells.forEach(cell -> out.format("%16s", cell));
    out.format("%s%n", ratio.isEmpty() ? "" : "%16s".formatted(ratio));
  }

  private void notes() {
    for (LoadResult result : results) {
      if (result.wrong() > 0) {
        out.format("%s, a wrong answer: %s%n", result.settings().engine(), result.example());
      }
    }
    out.format(
        """

        Latency is from when a trade or query was due by its rate, so that what a stall holds up
        counts too (no coordinated omission). A query is done when its thread holds an answer that
        no longer changes: candles copied to native memory of its own or, in the naive engine,
        made by a walk through its queue. Checked after the run: every candle of every answer, also of
        the warm-up, in all fields, against a recomputation from the seed. Allocation and pauses
        are the whole JVM's, with the program around the engine.
        """);
    if (isComparison()) {
      out.format(
          """
          Ratio: above 1 is better for %s; - where it says nothing. Each engine ran in a JVM of its
          own, %1$s first.
          The article gives 58.8x and 772x: those came from a ring that its writers raced on, and
          its 15.4 %% of time in GC is 1.54 %% by its own figures. They measured another program;
          the ratios above neither confirm nor refute them.
          """,
          results.getFirst().settings().engine());
    }
  }

  private boolean isComparison() {
    return results.size() > 1;
  }
}
