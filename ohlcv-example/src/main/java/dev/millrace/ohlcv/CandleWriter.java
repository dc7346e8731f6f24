package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Refusal;
import dev.millrace.ohlcv.candle.Trade;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.output.CandleOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Writes candles as they leave the engine, and counts them. Called by the engine's thread. */
final class CandleWriter implements CandleSink {
  private static final long FLUSH_NANOS = 200_000_000L;

  private final Feeds feeds;
  private final CandleOutput output;
  private final Interval fill; // null unless empty candles are put in between
  private final boolean skips;
  private final Map<Integer, Candle> lastOf = new HashMap<>(); // by symbol, to fill
  private long written;
  private long lastFlushNanos = System.nanoTime();

  /**
   * Makes a writer.
   *
   * @param fill how long candles are, if one without volume, at the last close, is wanted wherever
   *     nothing was traded between two candles of a symbol; else null
   * @param skips whether a trade that does not fit into its candle is left out
   */
  CandleWriter(Feeds feeds, CandleOutput output, Interval fill, boolean skips) {
    this.feeds = feeds;
    this.output = output;
    this.fill = fill;
    this.skips = skips;
  }

  long written() {
    return written;
  }

  @Override
  public void candle(Candle candle) throws IOException {
    Candle last = fill == null ? null : lastOf.put(candle.symbol(), candle);
    long step = fill == null ? 0 : fill.nanos();
    if (last != null) {
      for (long time = last.openTimeNanos() + step; time < candle.openTimeNanos(); time += step) {
        write(Candle.empty(candle.symbol(), time, last.close()));
      }
    }
    write(candle);
    // A table's widths depend on the candles before its first flush. Those of a file must not
    // depend on how fast the machine is.
    if (feeds.isLive() && System.nanoTime() - lastFlushNanos > FLUSH_NANOS) {
      output.flush();
      lastFlushNanos = System.nanoTime();
    }
  }

  @Override
  public void refused(Trade trade, Refusal why) throws IOException {
    if (!skips && why != Refusal.LATE) {
      throw new InputException(feeds.where(trade.line()) + ": " + why, true);
    }
  }

  private void write(Candle candle) throws IOException {
    output.candle(candle, feeds.symbol(candle.symbol()));
    written++;
  }
}
