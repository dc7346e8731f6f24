package dev.millrace.bench.candles;

import dev.millrace.ohlcv.candle.Side;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;

/** The trades of a load as rows of CSV. */
final class TradeRows {
  private final TradeGenerator trades;
  private final Writer writer;

  /** Writes the header. */
  TradeRows(LoadSettings settings, Writer writer) throws IOException {
    this.trades = new TradeGenerator(settings);
    this.writer = writer;
    writer.write("symbol,time,price,volume,side\n");
  }

  /** Writes the next trade. */
  void writeNext() throws IOException {
    trades.advance();
    writer.append(CandleQuery.name(trades.symbol())).append(',');
    writer.append(Long.toString(trades.timeNanos())).append(',');
    writer.append(decimal(trades.price(), trades.priceScale())).append(',');
    writer.append(decimal(trades.volume(), trades.volumeScale())).append(',');
    writer.append(trades.side() == Side.TAKER_BOUGHT ? "buy" : "sell").append('\n');
  }

  private static String decimal(long unscaled, int scale) {
    return BigDecimal.valueOf(unscaled, scale).toPlainString();
  }
}
