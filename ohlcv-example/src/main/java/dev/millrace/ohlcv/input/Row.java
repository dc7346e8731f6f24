package dev.millrace.ohlcv.input;

import java.util.List;

/**
 * A row of text.
 *
 * @param line which line the row begins on, from 1
 * @param fields as many as there are columns, or the row is malformed
 * @param problem why the row could not be split into fields; null if it could
 */
record Row(long line, List<String> fields, BadRowException problem) {
  /** Whether it names the columns: no field is a number or a time. */
  boolean isHeader() {
    return fields.stream().noneMatch(f -> DecimalField.isNumber(f) || TimeField.isWritten(f));
  }
}
