package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleEngine.Kind;
import dev.millrace.report.Ratio;
import dev.millrace.report.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The tables for a document: medians of the rounds, and ratios of their geometric means. */
final class TablesMarkdown {
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;
  private static final double MEGABYTE = 1e6;
  private static final String NO_RATIO = "-";

  private final Tables tables;
  private final StringBuilder text = new StringBuilder();

  /** Which way a figure is good. */
  private enum Better {
    MORE,
    LESS
  }

  private TablesMarkdown(Tables tables) {
    this.tables = tables;
  }

  /** Of at least one run. */
  static String of(Tables tables) {
    TablesMarkdown markdown = new TablesMarkdown(tables);
    markdown.throughput();
    markdown.latencies();
    markdown.garbage();
    markdown.memory();
    markdown.origin();
    return markdown.text.toString();
  }

  private void throughput() {
    line("### Trades a second by threads, flat out\n");
    line("| threads | off-heap | naive | ratio | 95 % | queries/s, off-heap | naive |");
    line("|---|--:|--:|--:|--:|--:|--:|");
    int processors = Integer.parseInt(tables.machine().get("processors"));
    boolean marked = false;
    for (int callers : callers()) {
      Predicate<LoadResult> these =
          result -> !result.settings().paced() && result.settings().callers() == callers;
      boolean more = callers + 1 > processors;
      marked |= more;
      String queries =
          " | %s | %s |"
              .formatted(
                  amount("%,.0f", samples(Kind.OFF_HEAP, these, r -> r.queries().perSecond())),
                  amount("%,.0f", samples(Kind.NAIVE, these, r -> r.queries().perSecond())));
      row(
          callers + (more ? " (*)" : ""),
          these,
          result -> result.writes().perSecond(),
          "%,.0f",
          Better.MORE,
          queries);
    }
    line(
        """

        Threads that use the engine: the first writes, the others query, a single one does both. \
        The engine's own comes on top. Queries are asked for at a fixed rate; what was reached \
        stands beside. Making a trade is part of the work.\
        """);
    if (marked) {
      line(
          "\n(*) More threads, the engine's among them, than the %d processors."
              .formatted(processors));
    }
  }

  private List<Integer> callers() {
    return results()
        .map(LoadResult::settings)
        .filter(settings -> !settings.paced())
        .map(LoadSettings::callers)
        .distinct()
        .sorted()
        .toList();
  }

  private void latencies() {
    head("Latency at the fixed rate, us", "");
    row("trades/s", result -> result.writes().perSecond(), "%,.1f", Better.MORE);
    latencies("write", LoadResult::writes);
    row("queries/s", result -> result.queries().perSecond(), "%,.1f", Better.MORE);
    latencies("query", LoadResult::queries);
    line("\nFrom when a trade or query was due, so that a stall counts for all that it held up.");
    for (Kind engine : Kind.COMPARED) {
      long cut = results().filter(r -> r.settings().engine() == engine && r.cutShort()).count();
      if (cut > 0) {
        line("\n%s: %d runs ended undone after twice the time.".formatted(engine, cut));
      }
    }
  }

  private void latencies(String name, Function<LoadResult, Latencies> which) {
    for (int i = 0; i < tables.ranks().size(); i++) {
      int rank = i;
      row(
          name + " p" + tables.ranks().get(i).toString().replaceAll("\\.0$", ""),
          result -> which.apply(result).percentiles().get(rank) / MICRO,
          "%,.1f",
          Better.LESS);
    }
    row(name + " max", result -> which.apply(result).maxNanos() / MICRO, "%,.1f", Better.LESS);
  }

  private void garbage() {
    head("Garbage collection at the fixed rate", ", from flight recordings");
    row("collections", result -> result.garbage().collections(), "%,.0f", Better.LESS);
    row("pauses", result -> result.garbage().pauses(), "%,.0f", Better.LESS);
    row("pauses in all, ms", result -> result.garbage().totalNanos() / MILLI, "%,.2f", Better.LESS);
    row("longest, ms", result -> result.garbage().maxNanos() / MILLI, "%,.2f", Better.LESS);
    row("share of the time, %", result -> 100 * result.garbage().share(), "%,.3f", Better.LESS);
    row(
        "allocated, MB/s",
        result -> result.allocatedBytes() / MEGABYTE / result.settings().seconds(),
        "%,.2f",
        Better.LESS);
    line(
        """

        Of the whole JVM: with the program around the engine, which keeps what is new in each \
        answer for the check.\
        """);
  }

  private void memory() {
    head("Memory held after it, MB", "");
    row("heap", result -> result.held().heapBytes() / MEGABYTE, "%,.2f", null);
    row("native", result -> result.held().nativeBytes() / MEGABYTE, "%,.2f", null);
    row(
        "in all",
        result -> (result.held().heapBytes() + result.held().nativeBytes()) / MEGABYTE,
        "%,.2f",
        Better.LESS);
  }

  private void origin() {
    LoadSettings paced =
        results().map(LoadResult::settings).filter(LoadSettings::paced).findFirst().orElseThrow();
    line("\n### Where it is from\n");
    line(
        "The fixed rate: %,d trades/s and %,d queries/s for %,d s on %,d threads, the engine's"
                .formatted(paced.rate(), paced.queries(), paced.seconds(), paced.threads())
            + " among them.");
    line("Figures are medians of the rounds; a ratio above 1 is better for off-heap.\n");
    line("| | |\n|---|---|");
    tables.machine().forEach((name, value) -> line("| %s | %s |".formatted(name, value)));
    line("| collector | %s |".formatted(tables.runs().getFirst().result().collector()));
    line("| options | `%s` |".formatted(String.join(" ", tables.flags())));
    line("| started | %s |".formatted(tables.started()));
    line(
        "| rounds | %d |"
            .formatted(tables.runs().stream().mapToInt(Tables.Run::round).max().orElseThrow()));
    line("| again | `%s` |".formatted(tables.command()));
    line(
        "| checked | %,d answers with %,d candles, %,d wrong |"
            .formatted(
                results().mapToLong(LoadResult::answers).sum(),
                results().mapToLong(LoadResult::candles).sum(),
                results().mapToLong(LoadResult::wrong).sum()));
    line(
        """

        At the fixed rate every answer is checked, flat out those after the end. The article gives \
        58.8x and 772x, from another program, with a ring that its writers raced on: these ratios \
        neither confirm nor refute them (docs/ARTICLES.md).\
        """);
  }

  private void head(String title, String more) {
    line("\n### " + title + more + "\n");
    line("| | off-heap | naive | ratio | 95 % |");
    line("|---|--:|--:|--:|--:|");
  }

  /** A row of the runs at the fixed rate. */
  private void row(String name, ToDoubleFunction<LoadResult> figure, String format, Better better) {
    row(name, result -> result.settings().paced(), figure, format, better, " |");
  }

  private void row(
      String name,
      Predicate<LoadResult> which,
      ToDoubleFunction<LoadResult> figure,
      String format,
      Better better,
      String end) {
    double[] ours = samples(Kind.OFF_HEAP, which, figure);
    double[] theirs = samples(Kind.NAIVE, which, figure);
    boolean positive =
        DoubleStream.concat(Arrays.stream(ours), Arrays.stream(theirs))
            .allMatch(value -> value > 0);
    Ratio ratio =
        better == null || !positive
            ? null
            : better == Better.MORE ? Ratio.ofSpeeds(ours, theirs) : Ratio.ofTimes(ours, theirs);
    line(
        "| %s | %s | %s | %s | %s"
                .formatted(
                    name,
                    amount(format, ours),
                    amount(format, theirs),
                    ratio == null ? NO_RATIO : ratio.text(),
                    ratio == null ? NO_RATIO : ratio.interval())
            + end);
  }

  private double[] samples(
      Kind engine, Predicate<LoadResult> which, ToDoubleFunction<LoadResult> figure) {
    return results()
        .filter(result -> result.settings().engine() == engine)
        .filter(which)
        .mapToDouble(figure)
        .toArray();
  }

  private Stream<LoadResult> results() {
    return tables.runs().stream().map(Tables.Run::result);
  }

  private static String amount(String format, double[] samples) {
    return String.format(Locale.ROOT, format, Samples.median(samples));
  }

  private void line(String line) {
    text.append(line).append('\n');
  }
}
