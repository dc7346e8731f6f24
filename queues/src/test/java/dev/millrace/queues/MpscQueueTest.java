package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a producer whose close ends the queue for the others, and whatever breaks the contracts
 * with many producers and one consumer alone.
 */
class MpscQueueTest extends StampedContract {
  @Override
  OffHeapQueue<Point> make(QueueOptions options) {
    return MpscQueue.of(TYPE, options);
  }

  @Override
  Producer<Point> producerOf(OffHeapQueue<Point> queue) {
    return ((MpscQueue<Point>) queue).newProducer();
  }

  @Override
  Point strictPoll() throws InterruptedException {
    return ((MpscConsumer<Point>) consumer).strictPoll();
  }

  @Override
  Consumer<Point> consumerOf(OffHeapQueue<Point> queue) {
    return ((MpscQueue<Point>) queue).consumer();
  }

  @Override
  List<Consumer<Point>> takersOf(OffHeapQueue<Point> queue) {
    return List.of(consumerOf(queue));
  }

  @Test
  void ends_areAsManyProducersAsOneLikesAndOneConsumer() {
    try (MpscQueue<Point> queue = MpscQueue.of(Point.class, 16)) {
      assertThat(queue.newProducer()).isNotSameAs(queue.newProducer());
      assertThat(queue.consumer()).isSameAs(queue.consumer());
      assertThat(queue.newProducer())
          .hasToString("MpscProducer of MpscQueue[capacity=16, size~0, open]");
      queue.newProducer().close();
      assertThat(queue.isCompleted()).as("others may go on").isFalse();
      queue.complete();
      assertThat(queue).hasToString("MpscQueue[capacity=16, size~0, drained]");
    }
  }

  @Test
  void of_withOptionsThatOneConsumerCannotHave_namesThem() {
    assertRefused(
        QueueOptions.ofCapacity(CAPACITY).withOnFull(OnFull.DROP_OLDEST), "onFull=DROP_OLDEST");
  }
}
