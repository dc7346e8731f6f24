package dev.millrace.stress.jcstress;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;

/** A queue for one trial after another, with a flyweight for each side. */
final class SpscTrial extends Pool.Item {
  final SpscQueue<Numbered> queue;
  final Numbered producer;
  final Numbered consumer;
  private long written;

  /** Makes an empty queue. */
  SpscTrial(QueueOptions options) {
    queue = SpscQueue.of(options, Numbered::new);
    producer = queue.newFlyweight();
    consumer = queue.newFlyweight();
  }

  /** Makes an empty queue. */
  SpscTrial(int capacity) {
    this(QueueOptions.ofCapacity(capacity));
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

  /** Puts a record into the queue, before the actors begin. */
  void put(long number) {
    if (!queue.tryClaim(producer)) {
      throw new IllegalStateException("queue must have a free slot: " + queue);
    }
    producer.write(number);
    queue.commit(producer);
  }

  /**
   * Takes the next record after the actors have ended.
   *
   * @return its place in the trial or {@link Numbered#TORN}, 0 if there is none
   */
  int take(long base) {
    if (!queue.tryPoll(consumer)) {
      return 0;
    }
    int place = consumer.whole(base);
    queue.release(consumer);
    return place;
  }

  /** Takes what is left, and gives the queue back. */
  void empty(long base) {
    while (take(base) != 0) {}
    giveBack();
  }
}
