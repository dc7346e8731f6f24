package dev.millrace.ohlcv.input;

/**
 * What became of the rows.
 *
 * @param rows with values
 * @param headersAgain rows equal to the header, which are no rows with values
 * @param leftOut trades that do not belong in candles, as their type says
 * @param skipped bad rows
 * @param firstSkipped what was wrong with the first of them; null if there was none
 */
public record ReadCounts(
    long rows, long headersAgain, long leftOut, long skipped, String firstSkipped) {
  static final ReadCounts NONE = new ReadCounts(0, 0, 0, 0, null);

  ReadCounts plus(ReadCounts more) {
    return new ReadCounts(
        rows + more.rows,
        headersAgain + more.headersAgain,
        leftOut + more.leftOut,
        skipped + more.skipped,
        firstSkipped == null ? more.firstSkipped : firstSkipped);
  }
}
