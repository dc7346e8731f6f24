package dev.millrace.ohlcv.trace;

import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.output.Times;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.tool.Escapes;
import dev.millrace.telemetry.tool.TelemetryFiles;
import dev.millrace.telemetry.tool.TextTable;
import dev.millrace.telemetry.tool.TopView;
import dev.millrace.telemetry.tool.View;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * What there is to see of a job: the counters, percentiles of the latencies seen, the last trades
 * rejected and candles closed. A latency that was overwritten before it was seen is in none.
 */
public final class JobView implements View {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Path file;
  private final TelemetryReader reader;
  private final int records;
  private final TopView counters;
  private final TraceReader trace; // null if there is no log: another program's telemetry
  private final RejectedTrade trade;
  private final CandleClosed candle;
  private final Latency latency;
  private final LatencySummary latencies = new LatencySummary();
  private final Deque<String[]> rejected = new ArrayDeque<>();
  private final Deque<String[]> closed = new ArrayDeque<>();

  /**
   * Views a job.
   *
   * @param file what it is called
   * @param reader reads it; stays another's
   * @param options what is shown; so many rejected trades, and so many candles, at the most
   */
  public JobView(Path file, TelemetryReader reader, TopView.Options options) {
    this.file = file;
    this.reader = reader;
    this.records = options.records();
    this.counters = new TopView(file, reader, new TopView.Options(options.labelPrefix(), 0));
    this.trace = reader.traceCapacity() > 0 ? reader.newTraceReader() : null;
    this.trade = trace == null ? null : trace.newView(RejectedTrade.TYPE);
    this.candle = trace == null ? null : trace.newView(CandleClosed.TYPE);
    this.latency = trace == null ? null : trace.newView(Latency.TYPE);
  }

  @Override
  public List<String> look(int rows) throws IOException {
    if (trace != null) {
      long end = TelemetryFiles.read(file, reader::traceClaimedCount);
      TelemetryFiles.readUpTo(file, trace, end, this::take);
    }
    List<String> below = new ArrayList<>();
    addBelow(below, latencies.lines());
    addBelow(below, rejectedLines());
    addBelow(below, closedLines());
    int room = rows == 0 ? 0 : Math.max(1, rows - below.size());
    List<String> lines = new ArrayList<>(counters.look(room));
    lines.addAll(below);
    return lines;
  }

  private static void addBelow(List<String> lines, List<String> part) {
    if (!part.isEmpty()) {
      lines.add("");
      lines.addAll(part);
    }
  }

  private void take() {
    String type = trace.type();
    if (type.equals(RejectedTrade.NAME)) {
      keep(rejected, rejectedRow());
    } else if (type.equals(CandleClosed.NAME)) {
      keep(closed, closedRow());
    } else if (type.startsWith(Latency.NAMES)) {
      latencies.add(type, latency.nanos());
    }
  }

  private void keep(Deque<String[]> last, String[] row) {
    last.add(row);
    if (last.size() > records) {
      last.remove();
    }
  }

  // ---- records ----

  private String[] rejectedRow() {
    return new String[] {
      TIME.format(trace.time()),
      String.valueOf(trade.line()),
      trade.symbol() < 0 ? "" : String.valueOf(trade.symbol()),
      plain(trade.price()),
      plain(trade.volume()),
      Escapes.plain(trace.text())
    };
  }

  private List<String> rejectedLines() {
    if (rejected.isEmpty()) {
      return List.of();
    }
    TextTable table =
        new TextTable(
            "rejected", "#line", "#symbol", "#price", "#volume", "why it is in no candle");
    rejected.forEach(table::add);
    return table.lines();
  }

  private String[] closedRow() {
    String symbol = trace.text();
    return new String[] {
      TIME.format(trace.time()),
      Times.text(candle.openMillis() * NANOS_PER_MILLI, candle.intervalMillis() * NANOS_PER_MILLI),
      symbol.isEmpty() ? String.valueOf(candle.symbol()) : Escapes.plain(symbol),
      plain(candle.open()),
      plain(candle.high()),
      plain(candle.low()),
      plain(candle.close()),
      plain(candle.volume()),
      String.format(Locale.ROOT, "%,d", candle.count())
    };
  }

  private List<String> closedLines() {
    if (closed.isEmpty()) {
      return List.of();
    }
    TextTable table =
        new TextTable(
            "closed",
            "candle (UTC)",
            "symbol",
            "#open",
            "#high",
            "#low",
            "#close",
            "#volume",
            "#trades");
    closed.forEach(table::add);
    return table.lines();
  }

  private static String plain(double number) {
    return Double.isFinite(number)
        ? Decimals.shortest(BigDecimal.valueOf(number)).toPlainString()
        : String.valueOf(number); // of a damaged file
  }

  @Override
  public void close() {
    counters.close();
    if (trace != null) {
      trace.close();
    }
  }
}
