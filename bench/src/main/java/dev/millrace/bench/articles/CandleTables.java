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
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
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
  private static final String RATIO_HEADS = ";#off-heap;#naive;#ratio;#95 %";
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;

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
              "allocated, MB/s", LoadResult::allocatedMegabytesPerSecond, "%,.2f", Better.LESS));

  private static final List<Figure> MEMORY =
      List.of(
          new Figure("heap", LoadResult::heapMegabytes, "%,.2f", Better.NEITHER),
          new Figure("native", LoadResult::nativeMegabytes, "%,.2f", Better.NEITHER),
          new Figure("in all", LoadResult::heldMegabytes, "%,.2f", Better.LESS));

  /** The tables for a document, of at least one run. */
  String markdown() {
    List<Figure> latencies = new ArrayList<>();
    addLatencies(latencies, "trades/s", "write", LoadResult::writes);
    addLatencies(latencies, "queries/s", "query", LoadResult::queries);
    return String.join(
        "\n",
        throughput(),
        paced("Latency at the fixed rate, us", latencies),
        "From when a trade or query was due, so that a stall counts for all that it held up.\n",
        cutShort() + paced("Garbage collection at the fixed rate, from flight recordings", GARBAGE),
        """
        Of the whole JVM: with the program around the engine, which keeps what is new in each \
        answer for the check.
        """,
        paced("Memory held after it, MB", MEMORY),
        origin());
  }

  private String throughput() {
    Figure writes = new Figure("", r -> r.writes().perSecond(), "%,.0f", Better.MORE);
    Figure queries = new Figure("", r -> r.queries().perSecond(), "%,.0f", Better.NEITHER);
    int processors = Integer.parseInt(machine.get("processors"));
    List<Integer> callers =
        results()
            .map(LoadResult::settings)
            .filter(settings -> !settings.paced())
            .map(LoadSettings::callers)
            .distinct()
            .sorted()
            .toList();
    List<List<String>> rows = new ArrayList<>();
    for (int count : callers) {
      Predicate<LoadResult> these =
          result -> !result.settings().paced() && result.settings().callers() == count;
      List<String> row = row(count + (count + 1 > processors ? " (*)" : ""), these, writes);
      row.addAll(row("", these, queries).subList(1, 3));
      rows.add(row);
    }
    return section(
            "Trades a second by threads, flat out",
            "threads" + RATIO_HEADS + ";#queries/s, off-heap;#naive",
            rows)
        + """

        Threads that use the engine: the first writes, the others query, a single one does both. \
        The engine's own comes on top. Queries are asked for at a fixed rate; what was reached \
        stands beside. Making a trade is part of the work.
        """
        + (callers.getLast() + 1 > processors
            ? "\n(*) More threads, the engine's among them, than the %d processors.\n"
                .formatted(processors)
            : "");
  }

  private void addLatencies(
      List<Figure> figures, String rate, String name, Function<LoadResult, Latencies> which) {
    figures.add(new Figure(rate, r -> which.apply(r).perSecond(), "%,.1f", Better.MORE));
    for (int i = 0; i < ranks.size(); i++) {
      int rank = i;
      figures.add(
          new Figure(
              name + " " + Latencies.percentile(ranks.get(i)),
              r -> which.apply(r).percentiles().get(rank) / MICRO,
              "%,.1f",
              Better.LESS));
    }
    figures.add(
        new Figure(name + " max", r -> which.apply(r).maxNanos() / MICRO, "%,.1f", Better.LESS));
  }

  private String cutShort() {
    return Kind.COMPARED.stream()
        .map(
            engine -> {
              long cut = results().filter(r -> isOf(r, engine) && r.cutShort()).count();
              return cut == 0
                  ? ""
                  : "%s: %d runs ended undone after twice the time.\n\n".formatted(engine, cut);
            })
        .collect(Collectors.joining());
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
            Table.format(
                "%,d answers with %,d candles, %,d wrong",
                results().mapToLong(LoadResult::answers).sum(),
                results().mapToLong(LoadResult::candles).sum(),
                results().mapToLong(LoadResult::wrong).sum())));
    return Table.format(
            """
            ### Where it is from

            The fixed rate: %,d trades/s and %,d queries/s for %,d s on %,d threads, the engine's \
            among them. Figures are medians of the rounds; a ratio above 1 is better for off-heap.

            """,
            paced.rate(), paced.queries(), paced.seconds(), paced.threads())
        + new Table("", List.of("", ""), facts).markdown()
        + """

        At the fixed rate every answer is checked, flat out those after the end. The article gives \
        58.8x and 772x, from another program, with a ring that its writers raced on: these ratios \
        neither confirm nor refute them (docs/ARTICLES.md).
        """;
  }

  /** A table of the runs at the fixed rate. */
  private String paced(String title, List<Figure> figures) {
    return section(
        title,
        RATIO_HEADS,
        figures.stream().map(one -> row(one.name(), r -> r.settings().paced(), one)).toList());
  }

  private static String section(String title, String heads, List<List<String>> rows) {
    return "### %s\n\n%s".formatted(title, Table.of(title, heads, rows).markdown());
  }

  private List<String> row(String name, Predicate<LoadResult> which, Figure figure) {
    List<double[]> samples =
        Kind.COMPARED.stream()
            .map(
                engine ->
                    results()
                        .filter(result -> isOf(result, engine) && which.test(result))
                        .mapToDouble(figure.of())
                        .toArray())
            .toList();
    List<String> row = new ArrayList<>(List.of(name));
    row.addAll(figure.better().cells(figure.format(), samples.getFirst(), samples.getLast()));
    return row;
  }

  private static boolean isOf(LoadResult result, Kind engine) {
    return result.settings().engine() == engine;
  }

  private Stream<LoadResult> results() {
    return runs.stream().map(Run::result);
  }
}
