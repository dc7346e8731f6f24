package dev.millrace.queues;

import java.util.Arrays;

/** When records were put into a queue and taken out; says how far out of order that was. */
final class KFifoLog {
  private final long[] commitBegin;
  private final long[] commitEnd;
  private final long[] pollBegin;
  private final long[] pollEnd;

  /** For records of the numbers from 0 on. */
  KFifoLog(int records) {
    commitBegin = new long[records];
    commitEnd = new long[records];
    pollBegin = new long[records];
    pollEnd = new long[records];
  }

  void commitBegins(int record) {
    commitBegin[record] = System.nanoTime();
  }

  void commitHasEnded(int record) {
    commitEnd[record] = System.nanoTime();
  }

  void polled(int record, long begin, long end) {
    if (pollEnd[record] != 0) {
      throw new AssertionError("taken twice: record=" + record);
    }
    pollBegin[record] = begin;
    pollEnd[record] = end;
  }

  /**
   * The most records that overtook one: put in by calls that began after it was in, taken by calls
   * that had ended before the one that took it began.
   */
  int mostOvertakes() {
    int most = 0;
    Integer[] byBegin = new Integer[commitBegin.length];
    Arrays.setAll(byBegin, i -> i);
    Arrays.sort(byBegin, (a, b) -> Long.compare(commitBegin[b], commitBegin[a]));
    for (int x = 0; x < commitBegin.length; x++) {
      if (pollEnd[x] == 0) {
        throw new AssertionError("never taken: record=" + x);
      }
      int overtakes = 0;
      for (int y : byBegin) {
        if (commitBegin[y] <= commitEnd[x]) {
          break;
        }
        overtakes += pollEnd[y] < pollBegin[x] ? 1 : 0;
      }
      most = Math.max(most, overtakes);
    }
    return most;
  }
}
