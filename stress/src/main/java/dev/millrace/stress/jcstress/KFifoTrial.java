package dev.millrace.stress.jcstress;

import dev.millrace.queues.KFifoQueue;

/** A trial's k-FIFO queue, with a flyweight for each thread and one more. */
final class KFifoTrial extends Pool.Item {
  final KFifoQueue<Numbered> queue;
  final Numbered left;
  final Numbered right;
  private final Numbered owner;
  private long written;

  /** Makes an empty queue. */
  KFifoTrial(int k, int capacity) {
    queue = KFifoQueue.of(k, capacity, Numbered::new);
    left = queue.newFlyweight();
    right = queue.newFlyweight();
    owner = queue.newFlyweight();
  }

  /** As {@link QueueTrial#reserve}. */
  long reserve(int records) {
    long base = written;
    written += records;
    return base;
  }

  /** Puts a record into the queue; 0 if it is full. */
  int put(Numbered record, long number) {
    if (!queue.tryClaim(record)) {
      return 0;
    }
    record.write(number);
    queue.commit(record);
    return 1;
  }

  /** Takes a record: its place in the trial or {@link Numbered#TORN}, 0 if there is none. */
  int take(Numbered record, long base) {
    if (!queue.tryPoll(record)) {
      return 0;
    }
    int place = record.whole(base);
    queue.release(record);
    return place;
  }

  /** Puts a record before the actors begin. */
  void put(long number) {
    put(owner, number);
  }

  /** Takes a record after they have ended. */
  int take(long base) {
    return take(owner, base);
  }

  /** Takes what is left, and gives the queue back. */
  void empty(long base) {
    while (take(base) != 0) {}
    giveBack();
  }
}
