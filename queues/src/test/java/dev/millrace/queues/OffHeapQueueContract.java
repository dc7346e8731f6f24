package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;

/** What tests of queues without ends have in common. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class OffHeapQueueContract {
  abstract <F extends Flyweight> OffHeapQueue<F> newQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights);

  /** Whether claims are open side by side, aborted ones leave gaps, and the end frees nothing. */
  abstract boolean hasManyProducers();

  abstract boolean hasManyConsumers();

  final OffHeapQueue<Point> newQueue(QueueOptions options) {
    return newQueue(options, Point::new);
  }

  /** Frees what the end of the kind does not free. */
  final void close(OffHeapQueue<Point> queue) {
    if (hasManyProducers()) {
      queue.abandon();
    }
  }

  final OffHeapQueue<Point> newQueue(int capacity) {
    return newQueue(QueueOptions.ofCapacity(capacity));
  }

  static void put(OffHeapQueue<Point> queue, Point point, long value) {
    assertThat(queue.tryClaim(point)).isTrue();
    point.value(value);
    queue.commit(point);
  }

  static long take(OffHeapQueue<Point> queue, Point point) {
    assertThat(queue.tryPoll(point)).isTrue();
    long value = point.wholeValue();
    queue.release(point);
    return value;
  }

  static void putRun(OffHeapQueue<Point> queue, Point point, long first, int count) {
    assertThat(queue.tryClaim(point, count)).isTrue();
    for (int i = 0; i < count; i++, point.next()) {
      point.value(first + i);
    }
    queue.commit(point);
  }

  interface Body {
    void run() throws Exception;
  }

  static Thread start(AtomicReference<Throwable> end, Body body) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try {
                body.run();
              } catch (Throwable e) {
                end.set(e);
              }
            });
  }
}
