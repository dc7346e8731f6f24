package dev.millrace.stress.jcstress;

import dev.millrace.queues.HistoryRing;
import org.openjdk.jcstress.infra.results.IIII_Result;

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

  /** Reads the newest record: whether there is one, and its numbers from a base on. */
  void readLatest(IIII_Result r, long base) {
    r.r1 = reader.readLatest(1);
    if (r.r1 > 0) {
      r.r2 = reader.record().first(base);
      r.r3 = reader.record().second(base);
      r.r4 = reader.record().third(base);
    }
  }
}
