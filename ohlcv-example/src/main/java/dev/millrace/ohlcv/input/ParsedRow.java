package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;

/**
 * What {@link RowParser} makes of a row and {@link RowValidator} judges. Used again and again.
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

  long line;
  Use use;
  BadRowException problem; // the first that needs no other row to be seen; null if there is none

  boolean hasTime;
  long timeNanos; // or TimeField.TOO_LATE, if the unit is not given
  EpochUnit timeUnit; // that of a number whose unit is not given; else null
  String timeText;

  String symbol; // of a row with a problem null if there is none
  final TradeRow trade = new TradeRow(); // but for time and symbol; of bars only the volume
  final DailyBar bar = new DailyBar();

  /** Begins a row. */
  void begin(long atLine) {
    line = atLine;
    use = Use.IN_CANDLES;
    problem = null;
    hasTime = false;
    trade.line(atLine).price(0, 0).volume(0, 0); // until they are read
  }
}
