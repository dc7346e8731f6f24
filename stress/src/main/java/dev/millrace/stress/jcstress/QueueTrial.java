package dev.millrace.stress.jcstress;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A queue by its ends, for one trial after another. */
final class QueueTrial extends Pool.Item {
  private static final FlyweightType<Numbered> TYPE = FlyweightType.of(Numbered::new);

  final AnyQueue<Numbered> queue;
  final Producer<Numbered> producer;
  final Producer<Numbered> other; // the same where there is only one
  final Consumer<Numbered> consumer;
  final Consumer<Numbered> rival; // the same where there is only one
  private long written;

  private QueueTrial(
      AnyQueue<Numbered> queue,
      Producer<Numbered> producer,
      Producer<Numbered> other,
      Consumer<Numbered> consumer,
      Consumer<Numbered> rival) {
    this.queue = queue;
    this.producer = producer;
    this.other = other;
    this.consumer = consumer;
    this.rival = rival;
  }

  /** Of one producer and one consumer. */
  static QueueTrial spsc(int capacity) {
    return spsc(QueueOptions.ofCapacity(capacity));
  }

  private static QueueTrial spsc(QueueOptions options) {
    SpscQueue<Numbered> queue = SpscQueue.of(TYPE, options);
    return new QueueTrial(
        new AnyQueue<>(queue),
        queue.producer(),
        queue.producer(),
        queue.consumer(),
        queue.consumer());
  }

  /** Of one producer, which spins, and one consumer, which parks; of two slots. */
  static QueueTrial parking() {
    return spsc(
        QueueOptions.ofCapacity(2)
            .withProducerWaits(WaitStrategy.busySpin())
            .withConsumerWaits(new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER)));
  }

  /** Of many producers and one consumer. */
  static QueueTrial mpsc(int capacity) {
    MpscQueue<Numbered> queue = MpscQueue.of(TYPE, QueueOptions.ofCapacity(capacity));
    return new QueueTrial(
        new AnyQueue<>(queue),
        queue.newProducer(),
        queue.newProducer(),
        queue.consumer(),
        queue.consumer());
  }

  /** Of many producers and many consumers. */
  static QueueTrial mpmc(QueueOptions options) {
    MpmcQueue<Numbered> queue = MpmcQueue.of(TYPE, options);
    return new QueueTrial(
        new AnyQueue<>(queue),
        queue.newProducer(),
        queue.newProducer(),
        queue.newConsumer(),
        queue.newConsumer());
  }

  /** Of many producers and many consumers, in relaxed order. */
  static QueueTrial kFifo(int k, int capacity) {
    KFifoQueue<Numbered> queue = KFifoQueue.of(TYPE, k, QueueOptions.ofCapacity(capacity));
    return new QueueTrial(
        new AnyQueue<>(queue),
        queue.newProducer(),
        queue.newProducer(),
        queue.newConsumer(),
        queue.newConsumer());
  }

  /**
   * Numbers the records of a trial, which are one more than the number returned and so on. No other
   * trial's have the same.
   */
  long reserve(int records) {
    long base = written;
    written += records;
    return base;
  }

  /** Puts a record, if there is room. */
  boolean put(long number) {
    return put(producer, number);
  }

  /** Puts a record by a producer of the queue, if there is room. */
  static boolean put(Producer<Numbered> producer, long number) {
    Numbered record = producer.tryClaim();
    if (record == null) {
      return false;
    }
    record.write(number);
    producer.commit();
    return true;
  }

  /**
   * Takes a record; returns its place in the trial or {@link Numbered#TORN}, 0 if none is there.
   */
  int take(long base) {
    return take(consumer, base);
  }

  /** Takes a record by a consumer of the queue. */
  static int take(Consumer<Numbered> consumer, long base) {
    Numbered record = consumer.tryPoll();
    if (record == null) {
      return 0;
    }
    int place = record.whole(base);
    consumer.release();
    return place;
  }

  /** Polls once: 1 if there is a record, then the place of each of its fields. */
  void pollFields(long base, IIII_Result r) {
    Numbered record = consumer.tryPoll();
    if (record != null) {
      r.r1 = 1;
      r.r2 = record.first(base);
      r.r3 = record.second(base);
      r.r4 = record.third(base);
      consumer.release();
    }
  }

  /** Puts record 1, then 2 and 3 as a run. */
  void putRecordThenRun(long base) {
    put(base + 1);
    if (producer.tryClaim(2) > 0) {
      producer.at(0).write(base + 2);
      producer.at(1).write(base + 3);
      producer.commit();
    }
  }

  /** Polls once: how many of up to three there are, then which. */
  void pollRun(long base, IIII_Result r) {
    r.r1 = consumer.tryPoll(3);
    r.r2 = r.r1 > 0 ? consumer.at(0).whole(base) : 0;
    r.r3 = r.r1 > 1 ? consumer.at(1).whole(base) : 0;
    r.r4 = r.r1 > 2 ? consumer.at(2).whole(base) : 0;
    if (r.r1 > 0) {
      consumer.release();
    }
  }

  /** Takes what is left, and gives the queue back; returns the places, one digit each. */
  int takeRest(long base) {
    int places = 0;
    int place;
    while ((place = take(base)) != 0) {
      places = 10 * places + place;
    }
    giveBack();
    return places;
  }
}
