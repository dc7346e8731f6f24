package dev.millrace.bench.articles;

import dev.millrace.bench.harness.Table;
import dev.millrace.ohlcv.candle.CandleEngine.Kind;
import dev.millrace.ohlcv.load.HeldMemory;
import dev.millrace.ohlcv.load.Latencies;
import dev.millrace.ohlcv.load.LoadResult;
import dev.millrace.ohlcv.load.LoadSettings;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Both engines, flat out by threads and at the fixed rate, in rounds: what was run, and where.
 *
 * @param started when, in UTC
 * @param command that repeats it, from the root of the checkout
 * @param machine what it ran on, by name
 * @param flags the options of the JVMs
 * @param ranks which percentiles were taken
 * @param runs one for each JVM, in the order in which they ran
 */
record CandleTables(
    String started,
    String command,
    Map<String, String> machine,
    List<String> flags,
    List<Double> ranks,
    List<Run> runs) {
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;
  private static final double MEGABYTE = 1e6;

  /**
   * A run.
   *
   * @param round counted from 1
   * @param result what it showed
   */
  record Run(int round, LoadResult result) {}

  /** Of runs that this JVM started on this machine. */
  static CandleTables of(String started, String command, List<Run> runs) throws IOException {
    List<String> flags = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
    flags.removeIf(flag -> flag.startsWith("-Dmillrace.module=")); // the script's
    flags.add(HeldMemory.TRACKING);
    return new CandleTables(started, command, Machine.here().facts(), flags, Latencies.RANKS, runs);
  }

  /** The tables for a document, of at least one run. */
  String markdown() {
    return String.join("\n", throughput(), latencies(), garbage(), memory(), origin());
  }

  private String throughput() {
    List<List<String>> rows = new ArrayList<>();
    int processors = Integer.parseInt(machine.get("processors"));
    String marks = "";
    for (int callers : callers()) {
      Predicate<LoadResult> these =
          result -> !result.settings().paced() && result.settings().callers() == callers;
      ToDoubleFunction<LoadResult> queries = result -> result.queries().perSecond();
      boolean isMore = callers + 1 > processors;
      List<String> row =
          row(
              callers + (isMore ? " (*)" : ""),
              these,
              result -> result.writes().perSecond(),
              "%,.0f",
              Better.MORE);
      for (Kind engine : Kind.COMPARED) {
        row.add(Better.median("%,.0f", samples(engine, these, queries)));
      }
      rows.add(row);
      marks =
          isMore
              ? "\n(*) More threads, the engine's among them, than the %d processors.\n"
                  .formatted(processors)
              : marks;
    }
    List<String> heads = heads("threads");
    heads.addAll(List.of("#queries/s, off-heap", "#naive"));
    return section("Trades a second by threads, flat out", new Table("", heads, rows))
        + """

        Threads that use the engine: the first writes, the others query, a single one does both. \
        The engine's own comes on top. Queries are asked for at a fixed rate; what was reached \
        stands beside. Making a trade is part of the work.
        """
        + marks;
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

  private String latencies() {
    List<List<String>> rows = new ArrayList<>();
    addLatencies(rows, "trades/s", "write", LoadResult::writes);
    addLatencies(rows, "queries/s", "query", LoadResult::queries);
    String text =
        paced("Latency at the fixed rate, us", rows)
            + "\nFrom when a trade or query was due, so that a stall counts for all that it held"
            + " up.\n";
    for (Kind engine : Kind.COMPARED) {
      long cut = results().filter(r -> r.settings().engine() == engine && r.cutShort()).count();
      if (cut > 0) {
        text += "\n%s: %d runs ended undone after twice the time.\n".formatted(engine, cut);
      }
    }
    return text;
  }

  private void addLatencies(
      List<List<String>> rows, String rate, String name, Function<LoadResult, Latencies> which) {
    rows.add(row(rate, result -> which.apply(result).perSecond(), "%,.1f", Better.MORE));
    for (int i = 0; i < ranks.size(); i++) {
      int rank = i;
      rows.add(
          row(
              name + " p" + ranks.get(i).toString().replaceAll("\\.0$", ""),
              result -> which.apply(result).percentiles().get(rank) / MICRO,
              "%,.1f",
              Better.LESS));
    }
    rows.add(
        row(name + " max", result -> which.apply(result).maxNanos() / MICRO, "%,.1f", Better.LESS));
  }

  private String garbage() {
    return paced(
            "Garbage collection at the fixed rate, from flight recordings",
            List.of(
                row("collections", r -> r.garbage().collections(), "%,.0f", Better.LESS),
                row("pauses", r -> r.garbage().pauses(), "%,.0f", Better.LESS),
                row(
                    "pauses in all, ms",
                    r -> r.garbage().totalNanos() / MILLI,
                    "%,.2f",
                    Better.LESS),
                row("longest, ms", r -> r.garbage().maxNanos() / MILLI, "%,.2f", Better.LESS),
                row("share of the time, %", r -> 100 * r.garbage().share(), "%,.3f", Better.LESS),
                row(
                    "allocated, MB/s",
                    r -> r.allocatedBytes() / MEGABYTE / r.settings().seconds(),
                    "%,.2f",
                    Better.LESS)))
        + """

        Of the whole JVM: with the program around the engine, which keeps what is new in each \
        answer for the check.
        """;
  }

  private String memory() {
    return paced(
        "Memory held after it, MB",
        List.of(
            row("heap", r -> r.held().heapBytes() / MEGABYTE, "%,.2f", Better.NEITHER),
            row("native", r -> r.held().nativeBytes() / MEGABYTE, "%,.2f", Better.NEITHER),
            row(
                "in all",
                r -> (r.held().heapBytes() + r.held().nativeBytes()) / MEGABYTE,
                "%,.2f",
                Better.LESS)));
  }

  private String origin() {
    LoadSettings paced =
        results().map(LoadResult::settings).filter(LoadSettings::paced).findFirst().orElseThrow();
    List<List<String>> facts = new ArrayList<>();
    machine.forEach((name, value) -> facts.add(List.of(name, value)));
    facts.add(List.of("collector", runs.getFirst().result().collector()));
    facts.add(List.of("options", "`" + String.join(" ", flags) + "`"));
    facts.add(List.of("started", started));
    facts.add(List.of("rounds", Integer.toString(runs.getLast().round())));
    facts.add(List.of("again", "`" + command + "`"));
    facts.add(
        List.of(
            "checked",
            String.format(
                Locale.ROOT,
                "%,d answers with %,d candles, %,d wrong",
                results().mapToLong(LoadResult::answers).sum(),
                results().mapToLong(LoadResult::candles).sum(),
                results().mapToLong(LoadResult::wrong).sum())));
    return String.format(
            Locale.ROOT,
            """
            ### Where it is from

            The fixed rate: %,d trades/s and %,d queries/s for %,d s on %,d threads, the engine's \
            among them. Figures are medians of the rounds; a ratio above 1 is better for off-heap.

            """,
            paced.rate(),
            paced.queries(),
            paced.seconds(),
            paced.threads())
        + new Table("", List.of("", ""), facts).markdown()
        + """

        At the fixed rate every answer is checked, flat out those after the end. The article gives \
        58.8x and 772x, from another program, with a ring that its writers raced on: these ratios \
        neither confirm nor refute them (docs/ARTICLES.md).
        """;
  }

  /** A table of the runs at the fixed rate. */
  private static String paced(String title, List<List<String>> rows) {
    return section(title, new Table("", heads(""), rows));
  }

  private static String section(String title, Table table) {
    return "### " + title + "\n\n" + table.markdown();
  }

  private static List<String> heads(String first) {
    List<String> heads = new ArrayList<>(List.of(first));
    heads.addAll(Better.heads("off-heap", "naive"));
    return heads;
  }

  /** A row of the runs at the fixed rate. */
  private List<String> row(
      String name, ToDoubleFunction<LoadResult> figure, String format, Better better) {
    return row(name, result -> result.settings().paced(), figure, format, better);
  }

  private List<String> row(
      String name,
      Predicate<LoadResult> which,
      ToDoubleFunction<LoadResult> figure,
      String format,
      Better better) {
    List<String> row = new ArrayList<>(List.of(name));
    row.addAll(
        better.cells(
            format, samples(Kind.OFF_HEAP, which, figure), samples(Kind.NAIVE, which, figure)));
    return row;
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
    return runs.stream().map(Run::result);
  }
}
