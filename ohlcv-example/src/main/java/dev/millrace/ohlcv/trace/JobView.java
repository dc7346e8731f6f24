package dev.millrace.ohlcv.trace;

import dev.millrace.ohlcv.candle.Decimals;
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
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** Shows a job: the counters, the last trades rejected and the last candles closed. */
public final class JobView implements View {
  private static final String[] REJECTED = {
    "rejected", "#line", "#price", "#volume", "why it is in no candle"
  };
  private static final String[] CLOSED = {
    "closed", "candle (UTC)", "symbol", "#open", "#high", "#low", "#close", "#volume", "#trades"
  };
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path file;
  private final TelemetryReader reader;
  private final int records;
  private final TopView counters;
  private final TraceReader trace; // null if there is no log: another program's telemetry
  private final RejectedTrade trade;
  private final CandleClosed candle;
  private final Deque<String[]> rejected = new ArrayDeque<>();
  private final Deque<String[]> closed = new ArrayDeque<>();

  /**
   * Views a job.
   *
   * @param file what it is called
   * @param reader reads it; stays another's
   * @param options what is shown; at most so many rejected trades, and so many candles
   */
  public JobView(Path file, TelemetryReader reader, TopView.Options options) {
    this.file = file;
    this.reader = reader;
    this.records = options.records();
    this.counters = new TopView(file, reader, new TopView.Options(options.labelPrefix(), 0));
    this.trace = reader.traceCapacity() > 0 ? reader.newTraceReader() : null;
    this.trade = trace == null ? null : trace.newView(RejectedTrade.TYPE);
    this.candle = trace == null ? null : trace.newView(CandleClosed.TYPE);
  }

  @Override
  public List<String> look(int rows) throws IOException {
    if (trace != null) {
      long end = TelemetryFiles.read(file, reader::traceClaimedCount);
      TelemetryFiles.readUpTo(file, trace, end, this::take);
    }
    List<String> below = new ArrayList<>();
    addTable(below, rejected, REJECTED);
    addTable(below, closed, CLOSED);
    int room = rows == 0 ? 0 : Math.max(1, rows - below.size());
    List<String> lines = new ArrayList<>(counters.look(room));
    lines.addAll(below);
    return lines;
  }

  @Override
  public void close() {
    counters.close();
    if (trace != null) {
      trace.close();
    }
  }

  private static void addTable(List<String> lines, Deque<String[]> rows, String[] heads) {
    if (!rows.isEmpty()) {
      TextTable table = new TextTable(heads);
      rows.forEach(table::add);
      lines.add("");
      lines.addAll(table.lines());
    }
  }

  private void take() {
    String time = TIME.format(trace.time());
    String text = Escapes.plain(trace.text());
    switch (trace.type()) {
      case RejectedTrade.NAME ->
          keep(
              rejected,
              time,
              String.valueOf(trade.line()),
              plain(trade.price()),
              plain(trade.volume()),
              text);
      case CandleClosed.NAME ->
          keep(
              closed,
              time,
              Instant.ofEpochMilli(candle.openMillis()).toString(),
              text,
              plain(candle.open()),
              plain(candle.high()),
              plain(candle.low()),
              plain(candle.close()),
              plain(candle.volume()),
              String.format(Locale.ROOT, "%,d", candle.count()));
      default -> {
        // another version's record
      }
    }
  }

  private void keep(Deque<String[]> last, String... row) {
    last.add(row);
    if (last.size() > records) {
      last.remove();
    }
  }

  private static String plain(double number) {
    return Double.isFinite(number)
        ? Decimals.shortest(BigDecimal.valueOf(number)).toPlainString()
        : String.valueOf(number); // of a damaged file
  }
}
