package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;

/** Ways to wait that scenarios share. */
final class Waits {
  /** Parks at once, until woken. */
  static final WaitStrategy PARK = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  private Waits() {}

  /** A queue's options: both sides park. */
  static QueueOptions parking(int capacity) {
    return QueueOptions.ofCapacity(capacity).withProducerWaits(PARK).withConsumerWaits(PARK);
  }
}
