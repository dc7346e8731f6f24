package dev.millrace.stress.jcstress;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A test on a queue from a pool, with records that are numbered from 1 in each trial. */
abstract class QueueTest {
  final Trial trial;
  final long base;

  /**
   * With the number of records of a trial, and how many of them are put before the actors begin.
   */
  QueueTest(Pool<Trial> pool, int records, int putBefore) {
    trial = pool.take();
    base = trial.reserve(records);
    for (int place = 1; place <= putBefore; place++) {
      offer(trial.producer, base + place);
    }
  }

  /** A queue by its ends, for one trial after another. */
  static final class Trial extends Pool.Item {
    final Producer<Numbered> producer;
    final Producer<Numbered> other; // the same where there is only one
    final Consumer<Numbered> consumer;
    private long written;

    Trial(AnyQueue<Numbered> queue) {
      producer = queue.newProducer();
      other = queue.newProducer();
      consumer = queue.newConsumer();
    }

    /**
     * Numbers the records of a trial, which are one more than the number returned and so on. No
     * other trial's have the same.
     */
    long reserve(int records) {
      long base = written;
      written += records;
      return base;
    }
  }

  /** Puts a record, if there is room: 1, otherwise 0. */
  static int offer(Producer<Numbered> producer, long number) {
    Numbered record = producer.tryClaim();
    if (record == null) {
      return 0;
    }
    record.write(number);
    producer.commit();
    return 1;
  }

  /**
   * Takes a record; returns its place in the trial or {@link Numbered#TORN}, 0 if none is there.
   */
  static int poll(Consumer<Numbered> consumer, long base) {
    Numbered record = consumer.tryPoll();
    if (record == null) {
      return 0;
    }
    int place = record.whole(base);
    consumer.release();
    return place;
  }

  final int put(Producer<Numbered> producer, int place) {
    return offer(producer, base + place);
  }

  final int take(Consumer<Numbered> consumer) {
    return poll(consumer, base);
  }

  /** Polls once: 1 if there is a record, then the place of each of its fields. */
  final void pollFields(IIII_Result r) {
    Numbered record = trial.consumer.tryPoll();
    if (record != null) {
      r.r1 = 1;
      r.r2 = record.first(base);
      r.r3 = record.second(base);
      r.r4 = record.third(base);
      trial.consumer.release();
    }
  }

  /** Puts record 1, then 2 and 3 as a run. */
  final void putRecordThenRun() {
    put(trial.producer, 1);
    if (trial.producer.tryClaim(2) > 0) {
      trial.producer.at(0).write(base + 2);
      trial.producer.at(1).write(base + 3);
      trial.producer.commit();
    }
  }

  /** Polls once: how many of up to three there are, then which. */
  final void pollRun(IIII_Result r) {
    r.r1 = trial.consumer.tryPoll(3);
    r.r2 = placeInHand(0, r.r1);
    r.r3 = placeInHand(1, r.r1);
    r.r4 = placeInHand(2, r.r1);
    if (r.r1 > 0) {
      trial.consumer.release();
    }
  }

  private int placeInHand(int index, int count) {
    return index < count ? trial.consumer.at(index).whole(base) : 0;
  }

  /** Takes what is left, and gives the trial back; returns the places, one digit each. */
  final int takeRest() {
    int places = 0;
    for (int place = take(trial.consumer); place != 0; place = take(trial.consumer)) {
      places = 10 * places + place;
    }
    trial.giveBack();
    return places;
  }
}
