package dev.millrace.stress.jcstress;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A ring for one trial after another, with one or two producers, and a reader. */
final class HistoryTrial extends Pool.Item {
  private static final FlyweightType<Numbered> TYPE = FlyweightType.of(Numbered::new);

  final HistoryRing<Numbered> history;
  final HistoryProducer<Numbered> first;
  final HistoryProducer<Numbered> second; // null if there is only one
  final HistoryReader<Numbered> reader;

  /** Makes a ring without records. */
  HistoryTrial(int capacity) {
    this(HistoryRing.multi(TYPE, capacity), false);
  }

  private HistoryTrial(HistoryRing<Numbered> history, boolean isSingle) {
    this.history = history;
    first = isSingle ? history.producer() : history.newProducer();
    second = isSingle ? null : history.newProducer();
    reader = history.newReader(history.capacity());
  }

  /** Makes a ring without records, which has one producer. */
  static HistoryTrial ofOneWriter(int capacity) {
    return new HistoryTrial(HistoryRing.single(TYPE, capacity), true);
  }

  /** Writes a record; tells whether it was committed and not refused. */
  boolean write(HistoryProducer<Numbered> producer, long number) {
    long refused = producer.refusedCount();
    Numbered record = producer.tryClaim();
    if (record != null) {
      record.write(number);
      producer.commit();
    }
    return producer.refusedCount() == refused;
  }

  /** Reads the newest record: whether there is one, and its numbers from a base on. */
  void readLatest(IIII_Result r, long base) {
    r.r1 = reader.latest(1);
    if (r.r1 > 0) {
      r.r2 = reader.at(0).first(base);
      r.r3 = reader.at(0).second(base);
      r.r4 = reader.at(0).third(base);
    }
  }
}
