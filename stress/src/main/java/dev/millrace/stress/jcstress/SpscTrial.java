package dev.millrace.stress.jcstress;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;

/** A trial's queue of one producer and one consumer. */
final class SpscTrial extends QueueTrial {
  /** Makes an empty queue. */
  SpscTrial(QueueOptions options) {
    super(SpscQueue.of(options, Numbered::new));
  }

  /** Makes an empty queue. */
  SpscTrial(int capacity) {
    this(QueueOptions.ofCapacity(capacity));
  }
}
