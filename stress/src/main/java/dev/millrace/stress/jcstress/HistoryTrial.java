package dev.millrace.stress.jcstress;

import dev.millrace.queues.HistoryRing;

/** A ring for one trial after another, with flyweights for two writers, and a reader. */
final class HistoryTrial extends Pool.Item {
  final HistoryRing<Numbered> history;
  final Numbered first;
  final Numbered second;
  final HistoryRing.Reader<Numbered> reader;

  /** Makes a ring without records. */
  HistoryTrial(int capacity) {
    this(HistoryRing.of(capacity, Numbered::new));
  }

  private HistoryTrial(HistoryRing<Numbered> history) {
    this.history = history;
    first = history.newFlyweight();
    second = history.newFlyweight();
    reader = history.newReader(history.capacity());
  }

  /** Makes a ring without records, which one thread at a time may write. */
  static HistoryTrial ofOneWriter(int capacity) {
    return new HistoryTrial(HistoryRing.ofOneWriter(capacity, Numbered::new));
  }

  /** Writes a record; tells whether it was committed and not refused. */
  boolean write(Numbered flyweight, long number) {
    if (!history.tryClaim(flyweight)) {
      return false;
    }
    flyweight.write(number);
    return history.commit(flyweight);
  }
}
