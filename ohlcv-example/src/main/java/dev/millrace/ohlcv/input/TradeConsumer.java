package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;
import java.io.IOException;

/** Where trades go. */
public interface TradeConsumer {
  /** Takes a trade. */
  void accept(TradeRow trade) throws IOException, InterruptedException;
}
