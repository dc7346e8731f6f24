package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.trace.CandleClosed;
import dev.millrace.ohlcv.trace.Latency;
import dev.millrace.ohlcv.trace.RejectedTrade;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All that the telemetry of a run has, with records as a person would write them down. */
public final class TracedRun {
  private final Map<String, Long> counters = new TreeMap<>();
  private final List<String> rejected = new ArrayList<>();
  private final List<String> closed = new ArrayList<>();
  private final Map<String, List<Long>> latencies = new TreeMap<>();
  private long accountedFor;

  private TracedRun() {}

  /** Reads a file, from the oldest record that is there. */
  public static TracedRun read(Path file) throws IOException {
    TracedRun run = new TracedRun();
    try (TelemetryReader reader = TelemetryReader.open(file);
        TraceReader trace = reader.newTraceReader()) {
      run.counters.putAll(reader.counters());
      run.counters.putAll(reader.gauges());
      run.read(trace);
      run.accountedFor = trace.readCount() + trace.lostCount();
      assertThat(trace.refusedCount() + trace.unfinishedCount()).isZero();
    }
    return run;
  }

  private void read(TraceReader trace) {
    RejectedTrade trade = trace.newView(RejectedTrade.TYPE);
    CandleClosed candle = trace.newView(CandleClosed.TYPE);
    Latency latency = trace.newView(Latency.TYPE);
    while (trace.tryPoll()) {
      switch (trace.type()) {
        case RejectedTrade.NAME ->
            rejected.add(
                "%d: %d %s %s %s"
                    .formatted(
                        trade.line(), trade.symbol(), trade.price(), trade.volume(), trace.text()));
        case CandleClosed.NAME -> closed.add(text(candle, trace.text()));
        default ->
            latencies.computeIfAbsent(trace.type(), _ -> new ArrayList<>()).add(latency.nanos());
      }
    }
  }

  private static String text(CandleClosed candle, String symbol) {
    return "%d,%s,%s,%s,%s,%s,%d%s"
        .formatted(
            candle.openMillis(),
            candle.open(),
            candle.high(),
            candle.low(),
            candle.close(),
            candle.volume(),
            candle.count(),
            symbol.isEmpty() ? "" : "," + symbol);
  }

  /** What is counted, by label. */
  public Map<String, Long> counters() {
    return counters;
  }

  /** Line, symbol, price, volume and reason of each rejected trade, in order of their lines. */
  public List<String> rejected() {
    rejected.sort((one, other) -> Long.compare(line(one), line(other)));
    return rejected;
  }

  private static long line(String rejected) {
    return Long.parseLong(rejected.substring(0, rejected.indexOf(':')));
  }

  /** The candles closed, as in CSV but for how numbers are written. */
  public List<String> closed() {
    return closed;
  }

  /** How long what took, in nanoseconds, by type. */
  public Map<String, List<Long>> latencies() {
    return latencies;
  }

  /** Records read and lost. */
  public long accountedFor() {
    return accountedFor;
  }
}
