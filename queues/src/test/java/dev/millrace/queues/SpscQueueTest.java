package dev.millrace.queues;

import static dev.millrace.queues.QueueOptions.ofCapacity;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SpscQueueTest extends SingleConsumerContract {
  @Override
  <F extends Flyweight> OffHeapQueue<F> newQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    return SpscQueue.of(options, flyweights);
  }

  @Override
  boolean hasManyProducers() {
    return false;
  }

  @Test
  void new_whenClaimsHaveAStallLimit_isRefused() {
    assertThatThrownBy(() -> newQueue(ofCapacity(2).withStallLimit(Duration.ofNanos(1_000))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stallNanos must be FOREVER in an SpscQueue: stallNanos=1000");
  }

  @Test
  void producerSide_whenTwoThreadsOverlap_isAnAssertionErrorThatNamesTheContract()
      throws Exception {
    SpscQueue<Point> queue = SpscQueue.of(1 << 16, Point::new);
    assertOverlapIsFound(
        queue,
        point -> {
          try {
            queue.tryClaim(point);
            queue.abort(point);
          } catch (IllegalStateException ignored) {
            // the other producer's claim: found as well, but not by overlap
          }
        },
        "SpscQueue allows one producer at a time: ");
  }

  @Test
  void consumerSide_whenTwoThreadsOverlap_isAnAssertionErrorThatNamesTheContract()
      throws Exception {
    SpscQueue<Point> queue = SpscQueue.of(4, Point::new);
    assertOverlapIsFound(
        queue,
        point -> {
          if (queue.tryPoll(point)) {
            queue.release(point);
          }
        },
        "SpscQueue allows one consumer at a time: ");
  }

  /** Two threads make the same calls until one of them is told. */
  private static void assertOverlapIsFound(
      SpscQueue<Point> queue, Consumer<Point> calls, String message) throws Exception {
    assumeThat(SpscQueue.class.desiredAssertionStatus()).as("runs with -ea").isTrue();
    AtomicReference<AssertionError> found = new AtomicReference<>();
    Runnable side =
        () -> {
          Point point = queue.newFlyweight();
          for (int i = 0; i < 100_000_000 && found.get() == null; i++) {
            try {
              calls.accept(point);
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
    queue.abandon();
  }

  @Test
  void bothSides_whenHandedFromThreadToThread_work() throws Exception {
    SpscQueue<Point> queue = SpscQueue.of(8, Point::new);
    Point in = queue.newFlyweight();
    Point out = queue.newFlyweight();
    for (int i = 0; i < 500; i++) {
      long value = i;
      inNewThread(() -> assertThat(queue.tryClaim(in)).isTrue());
      inNewThread(() -> queue.commit(in.value(value)));
      inNewThread(() -> assertThat(queue.tryPoll(out)).isTrue());
      inNewThread(
          () -> {
            assertThat(out.wholeValue()).isEqualTo(value);
            queue.release(out);
          });
    }
    queue.close();
  }

  private static void inNewThread(Runnable body) throws Exception {
    FutureTask<Void> task = new FutureTask<>(body, null);
    Thread.ofPlatform().start(task);
    task.get();
  }

  @Test
  void commit_whenTheMemoryIsFreed_isRefusedForSinglesAndRuns() {
    for (int count = 1; count <= 2; count++) {
      OffHeapQueue<Point> queue = newQueue(4);
      Point in = queue.newFlyweight();
      assertThat(queue.tryClaim(in, count)).isTrue();
      queue.complete();
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
      assertThatThrownBy(() -> queue.commit(in)).isInstanceOf(IllegalStateException.class);
      assertThat(queue.tryClaim()).isEqualTo(OffHeapQueue.CLOSED);
    }
  }

  @Test
  void offsets_whenNothingIsOpen_areRefusedAsSuch() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      for (Runnable use :
          List.<Runnable>of(
              () -> queue.commit(-1L), () -> queue.abort(-1L), () -> queue.release(-1L))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("must be open: none is");
      }
    }
  }
}
