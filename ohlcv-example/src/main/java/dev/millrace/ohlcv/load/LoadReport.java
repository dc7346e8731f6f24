package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The results as a table: a column for each engine and, of two, a column of ratios. */
final class LoadReport {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MEGABYTE = 1e6;
  private static final int NAME_WIDTH = 34;

  private final List<LoadResult> results; // the first is that which ratios speak for
  private final StringBuilder text = new StringBuilder();
  private final Formatter out = new Formatter(text, Locale.ROOT);

  /** Which way a figure is good. */
  private enum Better {
    MORE,
    LESS
  }

  private LoadReport(List<LoadResult> results) {
    this.results = results;
  }

  /** The report of one run, or of two of the same settings. */
  static String of(List<LoadResult> results) {
    LoadReport report = new LoadReport(results);
    report.head();
    report.latencies("write", LoadResult::writes, "trades", LoadSettings::rate);
    report.latencies("query", LoadResult::queries, "queries", LoadSettings::queries);
    report.costs();
    report.answers();
    report.notes();
    return report.text.toString();
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
    text.append('\n');
    StringBuilder heads = new StringBuilder(" ".repeat(NAME_WIDTH));
    results.forEach(result -> heads.append(cell(result.settings().engine().toString())));
    text.append(heads.append(isComparison() ? cell("ratio") : "")).append("\n");
  }

  private void latencies(
      String name,
      Function<LoadResult, Latencies> of,
      String unit,
      Function<LoadSettings, Integer> asked) {
    row(
        String.format(
            Locale.ROOT, "%s/s, of %,d", unit, asked.apply(results.getFirst().settings())),
        result -> of.apply(result).perSecond(),
        "%,.1f",
        Better.MORE);
    for (int i = 0; i < Latencies.RANKS.size(); i++) {
      int rank = i;
      row(
          name + " p" + shortest(Latencies.RANKS.get(i)) + ", us",
          result -> of.apply(result).percentiles().get(rank) / NANOS_PER_MICRO,
          "%,.1f",
          Better.LESS);
    }
    row(
        name + " max, us",
        result -> of.apply(result).maxNanos() / NANOS_PER_MICRO,
        "%,.1f",
        Better.LESS);
  }

  private void costs() {
    row("trades behind at a query, most", LoadResult::mostBehind, "%,.0f", Better.LESS);
    row("garbage collections", result -> result.garbage().collections(), "%,.0f", Better.LESS);
    row("GC pauses", result -> result.garbage().pauses(), "%,.0f", Better.LESS);
    row(
        "GC pauses, total ms",
        result -> result.garbage().totalNanos() / NANOS_PER_MILLI,
        "%,.2f",
        Better.LESS);
    row(
        "GC pauses, max ms",
        result -> result.garbage().maxNanos() / NANOS_PER_MILLI,
        "%,.2f",
        Better.LESS);
    row("GC pauses, % of time", result -> 100 * result.garbage().share(), "%,.3f", Better.LESS);
    row(
        "heap allocated, MB/s",
        result -> result.allocatedBytes() / MEGABYTE / result.settings().seconds(),
        "%,.2f",
        Better.LESS);
    row("held on the heap, MB", result -> result.held().heapBytes() / MEGABYTE, "%,.2f", null);
    row("held off-heap, MB", result -> result.held().nativeBytes() / MEGABYTE, "%,.2f", null);
    row(
        "held in all, MB",
        result -> (result.held().heapBytes() + result.held().nativeBytes()) / MEGABYTE,
        "%,.2f",
        Better.LESS);
  }

  private void answers() {
    row("answers checked", LoadResult::answers, "%,.0f", null);
    row("candles checked", LoadResult::candles, "%,.0f", null);
    row("wrong answers", LoadResult::wrong, "%,.0f", null);
    for (LoadResult result : results) {
      if (result.wrong() > 0) {
        out.format("%s, a wrong answer: %s%n", result.settings().engine(), result.example());
      }
    }
  }

  private void notes() {
    text.append(
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

  private void row(String name, ToDoubleFunction<LoadResult> figure, String format, Better better) {
    StringBuilder row =
        new StringBuilder(String.format(Locale.ROOT, "%-" + NAME_WIDTH + "s", name));
    List<Double> figures = new ArrayList<>();
    for (LoadResult result : results) {
      double value = figure.applyAsDouble(result);
      figures.add(value);
      row.append(cell(String.format(Locale.ROOT, format, value)));
    }
    if (isComparison() && better != null) {
      double ours = figures.getFirst();
      double theirs = figures.getLast();
      double ratio = better == Better.MORE ? ours / theirs : theirs / ours;
      row.append(cell(Double.isFinite(ratio) ? String.format(Locale.ROOT, "%,.2f", ratio) : "-"));
    }
    text.append(row).append('\n');
  }

  private boolean isComparison() {
    return results.size() > 1;
  }

  private static String cell(String content) {
    return String.format(Locale.ROOT, "%16s", content);
  }

  private static String shortest(double rank) {
    return rank == Math.rint(rank) ? Long.toString((long) rank) : Double.toString(rank);
  }
}
