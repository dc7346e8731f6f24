package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Side;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link RowParser} makes of a row and {@link TradeReader} judges.
 *
 * <p>A row may have a time and a problem behind it: whether the time is right depends on the rows
 * before, and the first problem of a row is the one that is told.
 */
final class ParsedRow {
  /** What a row is for. */
  enum Use {
    IN_CANDLES,
    NOT_KEPT,
    LEFT_OUT
  }

  final long line;
  final List<BigDecimal> prices = new ArrayList<>(1); // of a bar four
  Use use = Use.IN_CANDLES;
  BadRowException problem; // the first that needs no other row to be seen; null if there is none
  TimeField.Time time; // null if there is a problem before it
  BigDecimal volume = BigDecimal.ZERO;
  Side side = Side.UNKNOWN;
  int trades = 1;
  String symbol; // null if it is not known

  ParsedRow(long line) {
    this.line = line;
  }
}
