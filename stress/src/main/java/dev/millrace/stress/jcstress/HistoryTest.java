package dev.millrace.stress.jcstress;

import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.stress.trial.Numbered;
import java.util.function.Function;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A test on a ring from a pool, with records that are numbered from 1 in each trial. */
abstract class HistoryTest {
  final Trial trial;
  final long base;

  HistoryTest(Pool<Trial> pool) {
    trial = pool.take();
    base = trial.history.claimedCount();
  }

  /** A ring for one trial after another, with two producers, and a reader. */
  static final class Trial extends Pool.Item {
    final HistoryRing<Numbered> history;
    final HistoryProducer<Numbered> first;
    final HistoryProducer<Numbered> second; // the same if there is only one
    final HistoryReader<Numbered> reader;

    /** Makes a ring without records, and its producers. */
    Trial(
        HistoryRing<Numbered> history,
        Function<HistoryRing<Numbered>, HistoryProducer<Numbered>> producers) {
      this.history = history;
      first = producers.apply(history);
      second = producers.apply(history);
      reader = history.newReader(history.capacity());
    }
  }

  /** Makes trials on rings for many writers. */
  static Pool<Trial> multi(int capacity) {
    return new Pool<>(
        () -> new Trial(HistoryRing.multi(Numbered.TYPE, capacity), HistoryRing::newProducer));
  }

  /** Makes trials on rings for one writer. */
  static Pool<Trial> single(int capacity) {
    return new Pool<>(
        () -> new Trial(HistoryRing.single(Numbered.TYPE, capacity), HistoryRing::producer));
  }

  /** Writes a record: 1 if it was committed and not refused, otherwise 0. */
  final int write(HistoryProducer<Numbered> producer, int place) {
    long refused = producer.refusedCount();
    Numbered record = producer.tryClaim();
    if (record != null) {
      record.write(base + place);
      producer.commit();
    }
    return producer.refusedCount() == refused ? 1 : 0;
  }

  /** Reads the newest record: 1 if there is one, then the place of each of its fields. */
  final void readLatest(IIII_Result r) {
    r.r1 = trial.reader.latest(1);
    if (r.r1 > 0) {
      r.r2 = trial.reader.at(0).first(base);
      r.r3 = trial.reader.at(0).second(base);
      r.r4 = trial.reader.at(0).third(base);
    }
  }
}
