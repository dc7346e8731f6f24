package dev.millrace.ohlcv.programs;

import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.input.ReadOptions;
import dev.millrace.ohlcv.input.TradeReader;
import dev.millrace.ohlcv.input.TradeSource;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What the programs read: trades on Bitstamp, 25 November to 1 December 2013. */
final class Trades {
  private Trades() {}

  /** What to do with a trade. */
  interface Reader {
    void trade(long second, double price, double volume) throws InterruptedException;
  }

  /** Reads all of them. */
  static void read(Reader reader) throws InterruptedException {
    ReadOptions options = new ReadOptions(Map.of(), null, Map.of(), false);
    try (TradeReader trades = new TradeReader(TradeSource.sample(), options)) {
      trades.readAll(
          trade ->
              reader.trade(
                  TimeUnit.NANOSECONDS.toSeconds(trade.timeNanos()),
                  Decimals.toBigDecimal(trade.price(), trade.priceScale()).doubleValue(),
                  Decimals.toBigDecimal(trade.volume(), trade.volumeScale()).doubleValue()));
    } catch (IOException | InputException e) {
      throw new IllegalStateException(e);
    }
  }
}
