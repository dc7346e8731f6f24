package dev.millrace.stress.lincheck;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;

/**
 * The operations on a {@link HistoryRing} that the trials choose from; a write goes from claim to
 * commit. Each writing thread needs a producer of its own, so each write makes one where there may
 * be many.
 */
class HistoryOperations {
  static final String DONE = "done";
  static final String NO_CLAIM = "refused at claim";
  static final String NO_COMMIT = "refused at commit";
  static final String ABORTED = "aborted";
  static final String NOTHING = "nothing";

  /** So few that writers lap each other all the time, and a window has more than one record. */
  static final int CAPACITY = 2;

  private static final FlyweightType<Triple> TYPE = FlyweightType.of(Triple::new);

  final HistoryRing<Triple> history;
  private final HistoryReader<Triple> inOrder;
  private final HistoryReader<Triple> newest;

  /** On a ring for many writers. */
  HistoryOperations() {
    this(HistoryRing.multi(TYPE, CAPACITY));
  }

  HistoryOperations(HistoryRing<Triple> history) {
    this.history = history;
    this.inOrder = history.newReader(1);
    this.newest = history.newReader(CAPACITY);
  }

  static HistoryRing<Triple> single() {
    return HistoryRing.single(TYPE, CAPACITY);
  }

  HistoryProducer<Triple> producer() {
    return history.newProducer();
  }

  String tryWrite(long value) {
    HistoryProducer<Triple> out = producer();
    Triple record = out.tryClaim();
    if (record == null) {
      return NO_CLAIM;
    }
    record.write(value);
    return commit(out);
  }

  static String commit(HistoryProducer<Triple> out) {
    long refused = out.refusedCount();
    out.commit();
    return out.refusedCount() == refused ? DONE : NO_COMMIT;
  }

  String tryAbort(long value) {
    HistoryProducer<Triple> out = producer();
    Triple record = out.tryClaim();
    if (record == null) {
      return NO_CLAIM;
    }
    record.write(value);
    out.abort();
    return ABORTED;
  }

  String tryNext() {
    Triple record = inOrder.tryPoll();
    return (record != null ? record.read() : NOTHING) + counts();
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
    int count = newest.latest(limit);
    StringBuilder records = new StringBuilder();
    for (int i = 0; i < count; i++) {
      records.append(i == 0 ? "" : " ").append(newest.at(i).read());
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
