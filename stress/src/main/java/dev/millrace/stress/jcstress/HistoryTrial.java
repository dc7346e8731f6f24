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
    history = HistoryRing.of(capacity, Numbered::new);
    first = history.newFlyweight();
    second = history.newFlyweight();
    reader = history.newReader(capacity);
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
