package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.Length;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Finds an offset that is computed as an {@code int} in a queue beyond 2 GiB, and ends that are not
 * the same each time; the rest is the contract.
 */
class SpscQueueTest extends QueueContract {
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
    put(producer, 1);
    producer.tryClaim();
    producer.close();
    producer.close();
    assertThat(queue.isCompleted()).isTrue();
    assertThat(take(consumer)).isEqualTo(1);
    assertThat(consumer.poll()).isNull();
    assertThat(queue.isDrained()).isTrue();
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
        QueueOptions.ofCapacity(CAPACITY).withOnFull(OnFull.DROP_OLDEST), "onFull=DROP_OLDEST");
    assertRefused(
        QueueOptions.ofCapacity(CAPACITY).withStallLimit(Duration.ofSeconds(1)),
        "stallNanos=1000000000");
  }

  /** More than 2 GiB, so that an offset computed as an int would be negative. */
  @Test
  void records_beyondTwoGiB_areWhole() {
    assumeThat(freeMemoryBytes()).as("free memory").isGreaterThan(4L << 30);
    int capacity = 1 << 21;
    try (SpscQueue<Kilobyte> queue = SpscQueue.of(Kilobyte.class, capacity)) {
      SpscProducer<Kilobyte> producer = queue.producer();
      assertThat(producer.tryClaim(capacity)).isEqualTo(capacity);
      Kilobyte last = producer.at(capacity - 1);
      assertThat(((Flyweight) last).offset()).isGreaterThan(Integer.MAX_VALUE);
      last.number(42);
      producer.commit();
      assertThat(queue.consumer().tryPoll(capacity)).isEqualTo(capacity);
      assertThat(queue.consumer().at(capacity - 1).number()).isEqualTo(42);
      queue.consumer().release();
    }
  }

  private static long freeMemoryBytes() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getFreeMemorySize();
  }

  interface Kilobyte {
    long number();

    void number(long value);

    @Length(1_016)
    byte text(int index);
  }
}
