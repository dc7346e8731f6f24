package dev.millrace.stress.jcstress;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ends.SpscConsumer;
import dev.millrace.queues.ends.SpscProducer;
import dev.millrace.queues.ends.SpscQueue;

/** A queue of one producer and one consumer, by its ends, for one trial after another. */
final class SpscEndsTrial extends Pool.Item {
  private static final FlyweightType<Numbered> TYPE = FlyweightType.of(Numbered::new);

  final SpscQueue<Numbered> queue;
  final SpscProducer<Numbered> producer;
  final SpscConsumer<Numbered> consumer;
  private long written;

  /** Makes an empty queue. */
  SpscEndsTrial(int capacity) {
    queue = SpscQueue.of(TYPE, QueueOptions.ofCapacity(capacity));
    producer = queue.producer();
    consumer = queue.consumer();
  }

  /** Numbers the records of a trial; see {@link QueueTrial#reserve}. */
  long reserve(int records) {
    long base = written;
    written += records;
    return base;
  }

  /** Puts a record, if there is room. */
  boolean put(long number) {
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
    Numbered record = consumer.tryPoll();
    if (record == null) {
      return 0;
    }
    int place = record.whole(base);
    consumer.release();
    return place;
  }
}
