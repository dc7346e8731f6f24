package dev.millrace.queues;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpscQueueTest extends OffHeapQueueContract {
  @Override
  OffHeapQueue<Point> newQueue(QueueOptions options) {
    return SpscQueue.of(options, Point::new);
  }

  /** Each side takes singles and runs of random length as they come. */
  @ParameterizedTest
  @CsvSource({"2, 1, 1", "2, 2, 2", "64, 1, 64", "64, 17, 5", "65536, 256, 256"})
  void twoThreads_withSinglesAndRuns_passAllRecordsInOrder(
      int capacity, int longestPut, int longestTake) throws Exception {
    long records = capacity == 2 ? 300_000 : 3_000_000;
    SpscQueue<Point> queue = SpscQueue.of(capacity, Point::new);
    FutureTask<Void> producer =
        new FutureTask<>(
            () -> {
              Random random = new Random(1);
              Point point = queue.newFlyweight();
              for (long i = 0; i < records; ) {
                int count = (int) Math.min(1 + random.nextInt(longestPut), records - i);
                queue.claim(point, count);
                for (int k = 0; k < count; k++, point.next()) {
                  point.value(i++);
                }
                queue.commit(point);
              }
              queue.complete();
              return null;
            });
    Thread.ofPlatform().start(producer);
    Random random = new Random(2);
    Point point = queue.newFlyweight();
    long[] expected = new long[1];
    for (int count = 0; count >= 0; ) {
      int limit = 1 + random.nextInt(longestTake);
      if (random.nextBoolean()) {
        count = queue.drain(point, p -> assertNext(p, expected), limit);
        continue;
      }
      count = queue.poll(point, limit);
      for (int k = 0; k < count; k++, point.next()) {
        assertNext(point, expected);
      }
      if (count > 0) {
        queue.release(point);
      }
    }
    producer.get();
    assertThat(expected[0]).isEqualTo(records);
  }

  private static void assertNext(Point point, long[] expected) {
    if (point.wholeValue() != expected[0]++) {
      throw new AssertionError("expected " + (expected[0] - 1) + ": " + point);
    }
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

  @Test
  void poll_whenTwoThreadsWait_isRefusedToOne() throws Exception {
    SpscQueue<Point> queue =
        SpscQueue.of(
            QueueOptions.ofCapacity(2).withConsumerWaits(WaitStrategy.parking()), Point::new);
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
      Thread.onSpinWait();
    }
    queue.complete();
    for (Thread consumer : consumers) {
      consumer.join();
    }
    assertThat(refused.get()).isPositive();
  }

  private static void inNewThread(Runnable body) throws Exception {
    FutureTask<Void> task = new FutureTask<>(body, null);
    Thread.ofPlatform().start(task);
    task.get();
  }

  @Test
  void operations_allocateNothing() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (SpscQueue<Point> queue = SpscQueue.of(64, Point::new)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      long[] sum = new long[1];
      Consumer<Point> handler = p -> sum[0] += p.value();
      long allocated = Long.MAX_VALUE;
      for (int round = 0; round < 20 && allocated != 0; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 50_000; i++) {
          queue.tryClaim(in);
          in.value(i);
          queue.commit(in);
          queue.tryClaim(in, 2);
          in.value(i).next();
          in.value(i);
          queue.commit(in);
          queue.tryPoll(out);
          queue.release(out);
          queue.drain(out, handler, 8);
        }
        allocated = threads.getCurrentThreadAllocatedBytes() - before;
      }
      assertThat(allocated).as("bytes in 50,000 rounds, once compiled").isZero();
    }
  }

  /** More than 2 GiB, so that an offset computed as an int would be negative. */
  @Test
  void offsets_beyondTwoGiB_reachTheirRecords() {
    assumeThat(freeMemoryBytes()).as("free memory").isGreaterThan(4L << 30);
    int capacity = 1 << 21;
    try (SpscQueue<KilobyteRecord> queue = SpscQueue.of(capacity, KilobyteRecord::new)) {
      KilobyteRecord in = queue.newFlyweight();
      KilobyteRecord out = queue.newFlyweight();
      assertThat(queue.tryClaim(in, capacity - 1)).isTrue();
      queue.commit(in);
      assertThat(queue.tryClaim(in)).isTrue();
      assertThat(in.offset()).isGreaterThan(Integer.MAX_VALUE);
      in.number(42);
      queue.commit(in);
      assertThat(queue.tryPoll(out, capacity)).isEqualTo(capacity - 1);
      queue.release(out);
      assertThat(queue.tryPoll(out)).isTrue();
      assertThat(out.offset()).isEqualTo(in.offset());
      assertThat(out.number()).isEqualTo(42);
      queue.release(out);
    }
  }

  private static final class KilobyteRecord extends Flyweight {
    static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("number"),
            MemoryLayout.sequenceLayout(1_016, JAVA_BYTE).withName("text"));
    private static final Field NUMBER = LAYOUT.field("number");

    KilobyteRecord(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    long number() {
      return getLong(NUMBER);
    }

    void number(long value) {
      putLong(NUMBER, value);
    }
  }

  private static long freeMemoryBytes() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getFreeMemorySize();
  }
}
