package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What the queues of one consumer keep besides. */
abstract class SingleConsumerContract extends OffHeapQueueEndContract {
  @Override
  final boolean hasManyConsumers() {
    return false;
  }

  @Test
  void new_whenTheOldestAreToBeDropped_isRefused() {
    QueueOptions options =
        QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_OLDEST);
    assertThatThrownBy(() -> newQueue(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("whenFull=DROP_OLDEST");
  }

  @Test
  void drain_whenHandlerUsesTheConsumerSide_isRefused() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      Point other = queue.newFlyweight();
      for (Runnable use :
          List.<Runnable>of(
              () -> queue.tryPoll(other),
              () -> queue.tryPoll(other, 2),
              () -> queue.release(other),
              () -> queue.drain(other, p -> {}, 1))) {
        putRun(queue, in, 0, 2);
        assertThatThrownBy(() -> queue.drain(out, p -> use.run(), 2))
            .isInstanceOf(IllegalStateException.class);
        assertThat(take(queue, out)).isEqualTo(1);
      }
    }
  }

  @Test
  void poll_whenTwoThreadsWait_isRefusedToOne() throws Exception {
    OffHeapQueue<Point> queue =
        newQueue(QueueOptions.ofCapacity(2).withConsumerWaits(WaitStrategy.parking()));
    AtomicInteger refused = new AtomicInteger();
    Thread[] consumers = new Thread[2];
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      queue.poll(queue.newFlyweight());
                    } catch (IllegalStateException | AssertionError e) {
                      refused.incrementAndGet();
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                  });
    }
    while (refused.get() == 0 && (consumers[0].isAlive() || consumers[1].isAlive())) {
      Thread.yield();
    }
    queue.complete();
    for (Thread consumer : consumers) {
      consumer.join();
    }
    assertThat(refused.get()).isPositive();
  }
}
