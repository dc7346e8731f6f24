package dev.millrace.ohlcv.input;

import java.util.List;

/** How much was read, and what became of it. Belongs to the thread that judges the rows. */
public final class ReadCounts {
  long rows;
  long notKept;
  long leftOut;
  private long skipped;
  private String firstSkipped;
  private long minTimeNanos = Long.MAX_VALUE;
  private long maxTimeNanos = Long.MIN_VALUE;

  void skip(String message) {
    if (skipped == 0) {
      firstSkipped = message;
    }
    skipped++;
  }

  void time(long timeNanos) {
    minTimeNanos = Math.min(minTimeNanos, timeNanos);
    maxTimeNanos = Math.max(maxTimeNanos, timeNanos);
  }

  /** What several have read; the first bad row is that of the first one that has any. */
  public static ReadCounts sum(List<ReadCounts> all) {
    ReadCounts sum = new ReadCounts();
    for (ReadCounts one : all) {
      sum.rows += one.rows;
      sum.notKept += one.notKept;
      sum.leftOut += one.leftOut;
      sum.firstSkipped = sum.skipped == 0 ? one.firstSkipped : sum.firstSkipped;
      sum.skipped += one.skipped;
      sum.minTimeNanos = Math.min(sum.minTimeNanos, one.minTimeNanos);
      sum.maxTimeNanos = Math.max(sum.maxTimeNanos, one.maxTimeNanos);
    }
    return sum;
  }

  /** Rows with values. */
  public long rows() {
    return rows;
  }

  /** Rows that the user did not want. */
  public long notKept() {
    return notKept;
  }

  /** Trades that do not belong in candles, as their type says. */
  public long leftOut() {
    return leftOut;
  }

  /** Bad rows. */
  public long skipped() {
    return skipped;
  }

  /** What was wrong with the first bad row; null if there was none. */
  public String firstSkipped() {
    return firstSkipped;
  }

  /** Whether there was any trade. */
  public boolean any() {
    return minTimeNanos <= maxTimeNanos;
  }

  /** The time of the earliest trade. */
  public long minTimeNanos() {
    return minTimeNanos;
  }

  /** The time of the latest trade. */
  public long maxTimeNanos() {
    return maxTimeNanos;
  }
}
