package dev.millrace.queues;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.List;

/** The kinds of queues that many producers share. */
enum ManyProducers {
  MPSC,
  MPMC;

  OffHeapQueue<Point> queue(QueueOptions options) {
    return this == MPSC ? MpscQueue.of(options, Point::new) : MpmcQueue.of(options, Point::new);
  }

  OffHeapQueue<Point> queue(int capacity) {
    return queue(QueueOptions.ofCapacity(capacity));
  }

  OffHeapQueue<Point> parking(int capacity) {
    return queue(
        QueueOptions.ofCapacity(capacity)
            .withProducerWaits(WaitStrategy.parking())
            .withConsumerWaits(WaitStrategy.parking()));
  }

  static List<WaitStrategy> strategies() {
    return List.of(
        WaitStrategy.busySpin(),
        WaitStrategy.yielding(),
        WaitStrategy.sleeping(Duration.ofNanos(10_000)),
        WaitStrategy.parking(),
        new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER));
  }
}
