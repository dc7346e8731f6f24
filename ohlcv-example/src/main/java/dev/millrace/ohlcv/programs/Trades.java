package dev.millrace.ohlcv.programs;

import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.TradeSource;
import java.io.IOException;
import java.util.List;
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
    try (Feeds trades = new Feeds(List.of(TradeSource.sample()), Map.of(), false)) {
      trades.readAll(
          trade ->
              reader.trade(
                  TimeUnit.NANOSECONDS.toSeconds(trade.timeNanos()),
                  Decimals.toBigDecimal(trade.price(), trade.priceScale()).doubleValue(),
                  Decimals.toBigDecimal(trade.volume(), trade.volumeScale()).doubleValue()));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
