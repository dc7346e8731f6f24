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
    return new TradeRow(
        line,
        symbol,
        trade.timeNanos(),
        trade.price(),
        trade.priceScale(),
        trade.volume(),
        trade.volumeScale(),
        trade.side(),
        trade.trades());
  }
}
