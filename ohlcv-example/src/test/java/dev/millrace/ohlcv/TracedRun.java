package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.trace.CandleClosed;
import dev.millrace.ohlcv.trace.RejectedTrade;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All that the telemetry of a run has.
 *
 * @param counters what is counted, by label
 * @param rejected line, price, volume and reason of each rejected trade
 * @param closed the candles closed, as in CSV but for how numbers are written
 */
record TracedRun(Map<String, Long> counters, List<String> rejected, List<String> closed) {
  /** Reads a file, from the oldest record that is there. */
  static TracedRun read(Path file) throws IOException {
    TracedRun run = new TracedRun(new TreeMap<>(), new ArrayList<>(), new ArrayList<>());
    try (TelemetryReader reader = TelemetryReader.open(file);
        TraceReader trace = reader.newTraceReader()) {
      run.counters.putAll(reader.counters());
      run.counters.putAll(reader.gauges());
      RejectedTrade trade = trace.newView(RejectedTrade.TYPE);
      CandleClosed candle = trace.newView(CandleClosed.TYPE);
      while (trace.tryPoll()) {
        if (trace.type().equals(RejectedTrade.NAME)) {
          run.rejected.add(
              "%d: %s %s %s".formatted(trade.line(), trade.price(), trade.volume(), trace.text()));
        } else {
          run.closed.add(text(candle) + (trace.text().isEmpty() ? "" : "," + trace.text()));
        }
      }
      assertThat(trace.refusedCount() + trace.unfinishedCount()).isZero();
    }
    return run;
  }

  private static String text(CandleClosed candle) {
    return "%d,%s,%s,%s,%s,%s,%d"
        .formatted(
            candle.openMillis(),
            candle.open(),
            candle.high(),
            candle.low(),
            candle.close(),
            candle.volume(),
            candle.count());
  }
}
