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
    assumeThat(SpscQueue.class.desiredAssertionStatus()).as("runs with -ea").isTrue();
    SpscQueue<Point> queue = SpscQueue.of(1 << 16, Point::new);
    AtomicReference<AssertionError> found = new AtomicReference<>();
    Thread[] producers = new Thread[2];
    for (int i = 0; i < producers.length; i++) {
      producers[i] = Thread.ofPlatform().start(() -> claimAndAbortUntilFound(queue, found));
    }
    for (Thread producer : producers) {
      producer.join();
    }
    assertThat(found.get()).hasMessageStartingWith("SpscQueue allows one producer at a time: ");
    queue.abandon();
  }

  private static void claimAndAbortUntilFound(
      SpscQueue<Point> queue, AtomicReference<AssertionError> found) {
    Point point = queue.newFlyweight();
    for (int i = 0; i < 100_000_000 && found.get() == null; i++) {
      try {
        queue.tryClaim(point);
        queue.abort(point);
      } catch (IllegalStateException ignored) {
        // the other producer's claim: found as well, but not by overlap
      } catch (AssertionError e) {
        found.set(e);
      }
    }
  }

  @Test
  void consumerSide_whenTwoThreadsOverlap_isAnAssertionErrorThatNamesTheContract()
      throws Exception {
    assumeThat(SpscQueue.class.desiredAssertionStatus()).as("runs with -ea").isTrue();
    SpscQueue<Point> queue = SpscQueue.of(4, Point::new);
    AtomicReference<AssertionError> found = new AtomicReference<>();
    Thread[] consumers = new Thread[2];
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] = Thread.ofPlatform().start(() -> pollUntilFound(queue, found));
    }
    for (Thread consumer : consumers) {
      consumer.join();
    }
    assertThat(found.get()).hasMessageStartingWith("SpscQueue allows one consumer at a time: ");
    queue.abandon();
  }

  private static void pollUntilFound(
      SpscQueue<Point> queue, AtomicReference<AssertionError> found) {
    Point point = queue.newFlyweight();
    for (int i = 0; i < 100_000_000 && found.get() == null; i++) {
      try {
        if (queue.tryPoll(point)) {
          queue.release(point);
        }
      } catch (AssertionError e) {
        found.set(e);
      }
    }
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
