package dev.millrace.stress.jcstress;

import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;

/** A trial's queue of many producers and one consumer. */
final class MpscTrial extends QueueTrial {
  /** Makes an empty queue. */
  MpscTrial(QueueOptions options) {
    super(MpscQueue.of(options, Numbered::new));
  }

  /** Makes an empty queue. */
  MpscTrial(int capacity) {
    this(QueueOptions.ofCapacity(capacity));
  }
}
