package dev.millrace.stress.lincheck;

import dev.millrace.queues.HistoryRing;

/**
 * The operations on a {@link HistoryRing} that the trials choose from; a write goes from claim to
 * commit. Each writing thread needs a flyweight of its own, so each write makes one.
 */
class HistoryOperations {
  static final String DONE = "done";
  static final String NO_CLAIM = "refused at claim";
  static final String NO_COMMIT = "refused at commit";
  static final String ABORTED = "aborted";
  static final String NOTHING = "nothing";

  /** So few that writers lap each other all the time, and a window has more than one record. */
  static final int CAPACITY = 2;

  final HistoryRing<Triple> history;
  private final HistoryRing.Reader<Triple> inOrder;
  private final HistoryRing.Reader<Triple> newest;

  /** On a ring for many writers. */
  HistoryOperations() {
    this(HistoryRing.of(CAPACITY, Triple::new));
  }

  HistoryOperations(HistoryRing<Triple> history) {
    this.history = history;
    this.inOrder = history.newReader(1);
    this.newest = history.newReader(CAPACITY);
  }

  String tryWrite(long value) {
    Triple record = history.newFlyweight();
    if (!history.tryClaim(record)) {
      return NO_CLAIM;
    }
    record.write(value);
    return history.commit(record) ? DONE : NO_COMMIT;
  }

  String tryAbort(long value) {
    Triple record = history.newFlyweight();
    if (!history.tryClaim(record)) {
      return NO_CLAIM;
    }
    record.write(value);
    history.abort(record);
    return ABORTED;
  }

  String tryNext() {
    return (inOrder.next() ? inOrder.record().read() : NOTHING) + counts();
  }

  String trySkip() {
    return inOrder.skipUnfinished() + counts();
  }

  private String counts() {
    return counts(
        inOrder.readCount(),
        inOrder.lostCount(),
        inOrder.refusedCount(),
        inOrder.unfinishedCount());
  }

  String readLatest(int limit) {
    int count = newest.readLatest(limit);
    StringBuilder records = new StringBuilder();
    for (int i = 0; i < count; i++, newest.record().next()) {
      records.append(i == 0 ? "" : " ").append(newest.record().read());
    }
    return records.toString();
  }

  static String counts(long read, long lost, long refused, long unfinished) {
    return " (read "
        + read
        + ", lost "
        + lost
        + ", refused "
        + refused
        + ", unfinished "
        + unfinished
        + ")";
  }
}
