package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;
import java.util.List;

/**
 * A row of text, or of a trade that needs no parsing.
 *
 * @param line which line the row begins on, from 1
 * @param fields as many as there are columns, or the row is malformed
 * @param problem why the row could not be split into fields; null if it could
 * @param trade the trade, whose symbol is the only field; null of a row of text
 */
record Row(long line, List<String> fields, BadRowException problem, TradeRow trade) {
  Row(long line, List<String> fields, BadRowException problem) {
    this(line, fields, problem, null);
  }

  /** Whether it counts as a row: of the four trades of a daily bar only the last one does. */
  boolean isCounted() {
    return trade == null || trade.trades() > 0;
  }

  /** Whether it names the columns: no field is a number or a time. */
  boolean isHeader() {
    return fields.stream().noneMatch(f -> DecimalField.isNumber(f) || TimeField.isWritten(f));
  }
}
