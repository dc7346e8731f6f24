package dev.millrace.queues.ends;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.QueueOptions.WhenFull;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SpscQueueTest extends EndsContract {
  @Override
  OffHeapQueue<Point> make(QueueOptions options) {
    return SpscQueue.of(TYPE, options);
  }

  @Override
  Producer<Point> producerOf(OffHeapQueue<Point> queue) {
    return ((SpscQueue<Point>) queue).producer();
  }

  @Override
  Consumer<Point> consumerOf(OffHeapQueue<Point> queue) {
    return ((SpscQueue<Point>) queue).consumer();
  }

  @Test
  void close_ofTheProducer_abortsAnOpenClaimAndCompletes() throws Exception {
    Queue queue = queue();
    put(queue.producer(), 1);
    queue.producer().tryClaim();
    queue.producer().close();
    queue.producer().close();
    assertThat(queue.queue().isCompleted()).isTrue();
    assertThat(take(queue.consumer())).isEqualTo(1);
    assertThat(queue.consumer().poll()).isNull();
    assertThat(queue.queue().isDrained()).isTrue();
  }

  @Test
  void ends_areTheSameEachTime() {
    try (SpscQueue<Point> queue = SpscQueue.of(Point.class, 16)) {
      assertThat(queue.producer()).isSameAs(queue.producer());
      assertThat(queue.consumer()).isSameAs(queue.consumer());
      assertThat(queue.capacity()).isEqualTo(16);
      assertThat(queue).hasToString("SpscQueue[capacity=16, size~0, open]");
      assertThat(queue.producer())
          .hasToString("SpscProducer of SpscQueue[capacity=16, size~0, open]");
      queue.producer().close();
      assertThat(queue).hasToString("SpscQueue[capacity=16, size~0, drained]");
    }
  }

  @Test
  void of_withOptionsOfOtherKinds_namesThem() {
    assertRefused(
        QueueOptions.ofCapacity(CAPACITY).withWhenFull(WhenFull.DROP_OLDEST),
        "whenFull=DROP_OLDEST");
    assertRefused(
        QueueOptions.ofCapacity(CAPACITY).withStallLimit(Duration.ofSeconds(1)),
        "stallNanos=1000000000");
  }
}
