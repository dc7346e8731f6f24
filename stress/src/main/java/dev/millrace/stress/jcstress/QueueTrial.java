package dev.millrace.stress.jcstress;

import dev.millrace.queues.OffHeapQueue;

/** A queue for one trial after another, with a flyweight for each side and one more. */
class QueueTrial extends Pool.Item {
  final OffHeapQueue<Numbered> queue;
  final Numbered producer;
  final Numbered consumer;
  final Numbered other;
  private long written;

  /** Takes an empty queue. */
  QueueTrial(OffHeapQueue<Numbered> queue) {
    this.queue = queue;
    producer = queue.newFlyweight();
    consumer = queue.newFlyweight();
    other = queue.newFlyweight();
  }

  /**
   * Numbers the records of a trial, which are one more than the number returned and so on. No other
   * trial's have the same.
   */
  final long reserve(int records) {
    long base = written;
    written += records;
    return base;
  }

  /** Puts a record into the queue, before the actors begin. */
  final void put(long number) {
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
  final int take(long base) {
    if (!queue.tryPoll(consumer)) {
      return 0;
    }
    int place = consumer.whole(base);
    queue.release(consumer);
    return place;
  }

  /** Takes what is left, and gives the queue back. */
  final void empty(long base) {
    while (take(base) != 0) {}
    giveBack();
  }
}
