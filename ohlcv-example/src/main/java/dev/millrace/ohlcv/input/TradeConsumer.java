package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;

/** Where trades go. */
public interface TradeConsumer {
  /** Takes a trade. */
  void accept(TradeRow trade) throws InterruptedException;
}
