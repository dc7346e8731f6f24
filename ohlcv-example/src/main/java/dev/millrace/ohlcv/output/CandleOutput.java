package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.Candle;
import java.io.IOException;

/** Writes candles in one format. Used by one thread at a time. */
public interface CandleOutput {
  /** Writes a candle, or keeps it until it knows how. */
  void candle(Candle candle, String symbol) throws IOException;

  /** Writes what was kept, and lets go of it. */
  void flush() throws IOException;

  /** Writes what comes after the last candle. Without it a document is visibly incomplete. */
  void end() throws IOException;
}
