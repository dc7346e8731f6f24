package dev.millrace.queues.ends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.QueueOptions.WhenFull;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SpscQueueTest extends EndsContract {
  @Override
  Queue make(QueueOptions options) {
    return new Adapter(SpscQueue.of(TYPE, options));
  }

  private record Adapter(SpscQueue<Point> queue) implements Queue {
    @Override
    public Producer<Point> producer() {
      return queue.producer();
    }

    @Override
    public Consumer<Point> consumer() {
      return queue.consumer();
    }

    @Override
    public void complete() {
      queue.complete();
    }

    @Override
    public boolean isCompleted() {
      return queue.isCompleted();
    }

    @Override
    public boolean isDrained() {
      return queue.isDrained();
    }

    @Override
    public boolean awaitDrained(Duration timeout) throws InterruptedException {
      return queue.awaitDrained(timeout);
    }

    @Override
    public int sizeEstimate() {
      return queue.sizeEstimate();
    }

    @Override
    public void close() {
      queue.close();
    }

    @Override
    public String toString() {
      return queue.toString();
    }
  }

  @Test
  void close_ofTheProducer_abortsAnOpenClaimAndCompletes() throws Exception {
    Queue queue = queue();
    put(queue.producer(), 1);
    queue.producer().tryClaim();
    queue.producer().close();
    queue.producer().close();
    assertThat(queue.isCompleted()).isTrue();
    assertThat(take(queue.consumer())).isEqualTo(1);
    assertThat(queue.consumer().poll()).isNull();
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
  void claim_whereFullDropsTheNewest_isNullAtOnce() throws Exception {
    Queue queue = queue(QueueOptions.ofCapacity(CAPACITY).withWhenFull(WhenFull.DROP_NEWEST));
    fill(queue);
    assertThat(queue.producer().claim()).isNull();
    assertThat(queue.producer().claim(Duration.ofDays(1))).isNull();
    assertThat(queue.producer().claim(4)).isZero();
    assertThat(take(queue.consumer())).isZero();
  }

  @Test
  void of_withOptionsThatItCannotHave_namesThem() {
    QueueOptions options = QueueOptions.ofCapacity(CAPACITY);
    assertRefused(options.withWhenFull(WhenFull.DROP_OLDEST), "whenFull=DROP_OLDEST");
    assertRefused(options.withStallLimit(Duration.ofSeconds(1)), "stallNanos=1000000000");
    WaitStrategy limited = WaitStrategy.parking().withTimeLimit(Duration.ofNanos(5));
    assertRefused(options.withProducerWaits(limited), "producerWaits.timeLimitNanos=5");
    assertRefused(options.withConsumerWaits(limited), "consumerWaits.timeLimitNanos=5");
    assertThatThrownBy(() -> SpscQueue.of(Point.class, 12)).hasMessageContaining("capacity=12");
  }

  private static void assertRefused(QueueOptions options, String part) {
    assertThatThrownBy(() -> SpscQueue.of(TYPE, options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(part);
  }

  @Test
  void operations_allocateNothing() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (SpscQueue<Point> queue = SpscQueue.of(Point.class, 64)) {
      long[] sum = new long[1];
      Handler<Point> handler = point -> sum[0] += point.x();
      long bytes = 0;
      for (int round = 0; round < 40; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1_000; i++) {
          useAll(queue.producer(), queue.consumer(), handler);
        }
        bytes = threads.getCurrentThreadAllocatedBytes() - before;
      }
      assertThat(bytes).isZero();
      assertThat(sum[0]).isPositive();
    }
  }

  private static void useAll(
      SpscProducer<Point> producer, SpscConsumer<Point> consumer, Handler<Point> handler)
      throws InterruptedException {
    producer.tryClaim().x(1).y(-1);
    producer.commit();
    producer.claim().x(1).y(-1);
    producer.commit();
    consumer.tryPoll().x();
    consumer.release();
    consumer.poll().x();
    consumer.release();
    int count = producer.tryClaim(16);
    for (int i = 0; i < count; i++) {
      producer.at(i).x(i).y(-i);
    }
    producer.commit();
    int left = count - consumer.drain(handler, 8);
    while (left > 0) {
      left -= consumer.drain(handler, left);
    }
  }

  @Test
  void ends_whenTwoThreadsOverlap_areAnAssertionError() throws Exception {
    assumeThat(SpscProducer.class.desiredAssertionStatus()).as("runs with -ea").isTrue();
    try (SpscQueue<Point> queue = SpscQueue.of(Point.class, 1 << 10)) {
      assertOverlapIsFound(
          () -> {
            try {
              if (queue.producer().tryClaim() != null) {
                queue.producer().abort();
              }
            } catch (IllegalStateException ignored) {
              // the other thread's claim: found as well, but not by overlap
            }
          },
          "SpscProducer allows one thread at a time: ");
      assertOverlapIsFound(
          () -> {
            if (queue.consumer().tryPoll() != null) {
              queue.consumer().release();
            }
          },
          "SpscConsumer allows one thread at a time: ");
    }
  }

  /** Two threads make the same calls until one of them is told. */
  private static void assertOverlapIsFound(Runnable calls, String message) throws Exception {
    AtomicReference<AssertionError> found = new AtomicReference<>();
    Runnable side =
        () -> {
          for (int i = 0; i < 100_000_000 && found.get() == null; i++) {
            try {
              calls.run();
            } catch (AssertionError e) {
              found.set(e);
            }
          }
        };
    Thread[] threads = {Thread.ofPlatform().start(side), Thread.ofPlatform().start(side)};
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(found.get()).hasMessageStartingWith(message);
  }
}
