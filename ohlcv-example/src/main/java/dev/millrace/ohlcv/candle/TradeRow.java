package dev.millrace.ohlcv.candle;

/** A trade on the heap, as it was read. */
public record TradeRow(
    long line,
    int symbol,
    long timeNanos,
    long price,
    int priceScale,
    long volume,
    int volumeScale,
    Side side,
    int trades)
    implements Trade {
  /** A trade that does not change any more. */
  public static TradeRow of(Trade trade) {
    return trade instanceof TradeRow row ? row : of(trade, trade.line(), trade.symbol());
  }

  /** The same on another line, of another symbol. */
  public static TradeRow of(Trade trade, long line, int symbol) {
    return of(trade, line, symbol, trade.timeNanos());
  }

  /** The same on another line, of another symbol, at another time. */
  public static TradeRow of(Trade trade, long line, int symbol, long timeNanos) {
    return new TradeRow(
        line,
        symbol,
        timeNanos,
        trade.price(),
        trade.priceScale(),
        trade.volume(),
        trade.volumeScale(),
        trade.side(),
        trade.trades());
  }
}
