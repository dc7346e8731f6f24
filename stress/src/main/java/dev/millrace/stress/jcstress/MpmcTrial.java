package dev.millrace.stress.jcstress;

import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.QueueOptions;

/** A trial's queue of many producers and many consumers. */
final class MpmcTrial extends QueueTrial {
  /** Makes an empty queue. */
  MpmcTrial(QueueOptions options) {
    super(MpmcQueue.of(options, Numbered::new));
  }

  /** Makes an empty queue. */
  MpmcTrial(int capacity) {
    this(QueueOptions.ofCapacity(capacity));
  }
}
