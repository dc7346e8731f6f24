package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Interval;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Puts a candle without volume, at the last close, wherever nothing was traded between two candles
 * of a symbol, as some exchanges do.
 */
public final class FillPrevious implements CandleSink {
  private final Interval interval;
  private final CandleSink sink;
  private final Map<Integer, Candle> lastOf = new HashMap<>(); // by symbol

  /** Passes everything on to the sink. */
  public FillPrevious(Interval interval, CandleSink sink) {
    this.interval = interval;
    this.sink = sink;
  }

  @Override
  public void candle(CandleView candle) throws IOException {
    Candle last = lastOf.put(candle.symbol(), Candle.of(candle));
    long step = interval.nanos();
    if (last != null) {
      for (long time = last.openTimeNanos() + step; time < candle.openTimeNanos(); time += step) {
        sink.candle(Candle.empty(last.symbol(), time, last.close()));
      }
    }
    sink.candle(candle);
  }

  @Override
  public void refused(long line, String field) {
    sink.refused(line, field);
  }
}
