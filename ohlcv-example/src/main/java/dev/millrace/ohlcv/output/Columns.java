package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.CandleView;
import java.util.ArrayList;
import java.util.List;

/**
 * Which columns are written: those that every candle has; what depends on the taker's side where
 * that is known; the symbol where the input names it.
 *
 * @param sides whether it is known who took the trades
 * @param symbols whether the input names symbols
 */
public record Columns(boolean sides, boolean symbols) {
  private static final long MILLI_NANOS = 1_000_000;

  /** The columns' names. */
  public List<String> names() {
    List<String> names =
        new ArrayList<>(List.of("open_time", "open", "high", "low", "close", "volume", "count"));
    if (sides) {
      names.addAll(List.of("quote_volume", "taker_buy_volume", "taker_buy_quote_volume"));
    }
    if (symbols) {
      names.add("symbol");
    }
    return names;
  }

  /** A candle's fields; the time in milliseconds since 1970. */
  List<String> values(CandleView candle, String symbol) {
    List<String> values = new ArrayList<>(names().size());
    values.add(String.valueOf(Math.floorDiv(candle.openTimeNanos(), MILLI_NANOS)));
    values.add(candle.open().toPlainString());
    values.add(candle.high().toPlainString());
    values.add(candle.low().toPlainString());
    values.add(candle.close().toPlainString());
    values.add(candle.volume().toPlainString());
    values.add(String.valueOf(candle.count()));
    if (sides) {
      values.add(candle.quoteVolume().toPlainString());
      values.add(candle.takerBuyVolume().toPlainString());
      values.add(candle.takerBuyQuoteVolume().toPlainString());
    }
    if (symbols) {
      values.add(symbol);
    }
    return values;
  }
}
