package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many threads on each side at once: each record comes out exactly once, those of a producer in
 * their order. (Over all with one consumer, for each consumer with many.)
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyThreadsTest {
  private static final int PRODUCER_SHIFT = 32;

  /** Puts so many records, by all ways there are, and gives back some claims in between. */
  private static long produce(
      OffHeapQueue<Point> queue, Point point, int producer, int records, int longest)
      throws InterruptedException {
    Random random = new Random(producer);
    long base = (long) producer << PRODUCER_SHIFT;
    long aborted = 0;
    for (int i = 0; i < records; ) {
      int count = Math.min(1 + random.nextInt(longest), records - i);
      switch (random.nextInt(8)) {
        case 0 -> {
          assertThat(queue.claim(point, count)).isTrue();
          point.value(-1);
          queue.abort(point);
          aborted += count;
        }
        case 1, 2 -> {
          long offset = queue.tryClaim();
          if (offset == OffHeapQueue.FULL) {
            Thread.yield();
          } else if (random.nextInt(4) == 0) {
            queue.abort(offset);
            aborted++;
          } else {
            point.moveTo(offset);
            point.value(base + i++);
            assertThat(queue.commit(offset)).isTrue();
          }
        }
        case 3, 4, 5 -> {
          assertThat(queue.claim(point, count)).isTrue();
          for (int k = 0; k < count; k++, point.next()) {
            point.value(base + i++);
          }
          assertThat(queue.commit(point)).isTrue();
        }
        default -> {
          assertThat(queue.claim(point)).isTrue();
          assertThat(queue.commit(point.value(base + i++))).isTrue();
        }
      }
    }
    return aborted;
  }

  /** What one consumer got, of each producer. */
  private static final class Seen {
    final BitSet[] records;
    final int[] last;

    Seen(int producers) {
      this.records = new BitSet[producers];
      Arrays.setAll(records, p -> new BitSet());
      this.last = new int[producers];
      Arrays.fill(last, -1);
    }

    void add(Point point) {
      long value = point.wholeValue();
      int producer = (int) (value >> PRODUCER_SHIFT);
      int record = (int) value;
      if (record <= last[producer]) {
        throw new AssertionError(record + " of " + producer + " came after " + last[producer]);
      }
      last[producer] = record;
      records[producer].set(record);
    }
  }

  /** Takes records by all ways there are, until the end. */
  private static Seen consume(
      OffHeapQueue<Point> queue, Point point, int seed, int producers, int longest)
      throws Exception {
    Random random = new Random(-1 - seed);
    Seen seen = new Seen(producers);
    for (int count = 0; count != OffHeapQueue.CLOSED; ) {
      int limit = 1 + random.nextInt(longest);
      switch (random.nextInt(4)) {
        case 0 -> count = queue.drain(point, seen::add, limit);
        case 1 -> {
          long offset = queue.tryPoll();
          count = (int) Math.min(0, offset == OffHeapQueue.EMPTY ? 0 : offset);
          if (offset >= 0) {
            point.moveTo(offset);
            seen.add(point);
            queue.release(offset);
          }
        }
        case 2 -> {
          if (queue.strictPoll(point)) {
            seen.add(point);
            queue.release(point);
          }
        }
        default -> {
          count = queue.poll(point, limit);
          for (int i = 0; i < count; i++, point.next()) {
            seen.add(point);
          }
          if (count > 0) {
            queue.release(point);
          }
        }
      }
    }
    return seen;
  }

  private static void exchange(
      OffHeapQueue<Point> queue,
      int producers,
      int consumers,
      int records,
      int longest,
      ThreadFactory threads)
      throws Exception {
    List<FutureTask<Seen>> takes = new ArrayList<>();
    List<FutureTask<Long>> puts = new ArrayList<>();
    for (int i = 0; i < consumers; i++) {
      int consumer = i;
      Point point = queue.newFlyweight(); // here, for the end may come before a thread begins
      takes.add(new FutureTask<>(() -> consume(queue, point, consumer, producers, longest)));
    }
    for (int i = 0; i < producers; i++) {
      int producer = i;
      Point point = queue.newFlyweight();
      puts.add(new FutureTask<>(() -> produce(queue, point, producer, records, longest)));
    }
    takes.forEach(take -> threads.newThread(take).start());
    puts.forEach(put -> threads.newThread(put).start());
    long aborted = 0;
    for (FutureTask<Long> put : puts) {
      aborted += put.get();
    }
    queue.complete();
    BitSet[] all = new Seen(producers).records;
    for (FutureTask<Seen> take : takes) {
      Seen seen = take.get();
      for (int p = 0; p < producers; p++) {
        assertThat(all[p].intersects(seen.records[p])).as("taken twice").isFalse();
        all[p].or(seen.records[p]);
      }
    }
    for (BitSet of : all) {
      assertThat(of.cardinality()).isEqualTo(records);
      assertThat(of.length()).isEqualTo(records);
    }
    long total = (long) producers * records;
    OffHeapQueue.Counters counters = queue.counters();
    assertThat(counters)
        .isEqualTo(
            new OffHeapQueue.Counters(
                total + aborted, total, total, aborted, 0, 0, 0, 0, counters.highWater()));
    assertThat(queue.isDrained()).isTrue();
    queue.close();
  }

  @ParameterizedTest
  @CsvSource({
    "MPSC, 2, 2, 1, 2",
    "MPSC, 4, 8, 1, 3",
    "MPSC, 64, 2, 1, 17",
    "MPSC, 64, 8, 1, 5",
    "MPSC, 65536, 8, 1, 256",
    "MPMC, 2, 2, 1, 2",
    "MPMC, 2, 8, 4, 1",
    "MPMC, 4, 2, 4, 3",
    "MPMC, 64, 8, 1, 5",
    "MPMC, 64, 8, 4, 17",
    "MPMC, 65536, 2, 4, 256"
  })
  void manyThreads_bySinglesRunsAndOffsets_passEachRecordOnceAndInOrder(
      ManyProducers kind, int capacity, int producers, int consumers, int longest)
      throws Exception {
    int records = (capacity <= 4 ? 40_000 : 400_000) / producers;
    OffHeapQueue<Point> queue =
        kind.queue(
            QueueOptions.ofCapacity(capacity)
                .withProducerWaits(WaitStrategy.yielding())
                .withConsumerWaits(WaitStrategy.yielding()));
    exchange(queue, producers, consumers, records, longest, Thread.ofPlatform().factory());
  }

  /** Several threads wait on each side; if a wake-up were lost, one would sleep for ever. */
  @ParameterizedTest
  @EnumSource(ManyProducers.class)
  void manyThreads_withEachStrategy_passEachRecordOnce(ManyProducers kind) throws Exception {
    for (WaitStrategy strategy : ManyProducers.strategies()) {
      boolean spins = strategy.spins() == WaitStrategy.FOREVER;
      for (int capacity : new int[] {2, 8}) {
        OffHeapQueue<Point> queue =
            kind.queue(
                QueueOptions.ofCapacity(capacity)
                    .withProducerWaits(strategy)
                    .withConsumerWaits(strategy));
        int consumers = kind == ManyProducers.MPSC ? 1 : 3;
        exchange(queue, 3, consumers, spins ? 50 : 1_500, 2, Thread.ofPlatform().factory());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ManyProducers.class)
  void manyThreads_onVirtualThreads_passEachRecordOnce(ManyProducers kind) throws Exception {
    for (WaitStrategy strategy : ManyProducers.strategies()) {
      OffHeapQueue<Point> queue =
          kind.queue(
              QueueOptions.ofCapacity(4).withProducerWaits(strategy).withConsumerWaits(strategy));
      int consumers = kind == ManyProducers.MPSC ? 1 : 4;
      exchange(queue, 8, consumers, 200, 3, Thread.ofVirtual().factory());
    }
  }

  /** Nobody spins and nobody has a time limit, so each sleeper must be woken by the other side. */
  @ParameterizedTest
  @EnumSource(ManyProducers.class)
  void manyThreads_whenAllPark_areAllWoken(ManyProducers kind) throws Exception {
    WaitStrategy parksAtOnce = new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER);
    int threads = 4;
    int consumers = kind == ManyProducers.MPSC ? 1 : threads;
    for (int round = 0; round < 100; round++) {
      OffHeapQueue<Point> queue =
          kind.queue(
              QueueOptions.ofCapacity(4)
                  .withProducerWaits(parksAtOnce)
                  .withConsumerWaits(parksAtOnce));
      List<FutureTask<Integer>> takes = new ArrayList<>();
      for (int i = 0; i < consumers; i++) {
        Point point = queue.newFlyweight();
        takes.add(new FutureTask<>(() -> takeAll(queue, point)));
        Thread.ofPlatform().start(takes.get(i));
      }
      List<FutureTask<Void>> puts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int longest = 1 + (i + round) % 4; // they wait for different things
        puts.add(
            new FutureTask<>(
                () -> {
                  Point point = queue.newFlyweight();
                  for (int k = 0; k < 20; k++) {
                    assertThat(queue.claim(point, longest)).isTrue();
                    if (k % 5 == 0) {
                      queue.abort(point);
                    } else {
                      queue.commit(point);
                    }
                  }
                  return null;
                }));
        Thread.ofPlatform().start(puts.get(i));
      }
      for (FutureTask<Void> put : puts) {
        put.get();
      }
      queue.complete();
      int taken = 0;
      for (FutureTask<Integer> take : takes) {
        taken += take.get();
      }
      assertThat(taken).isEqualTo(16 * (1 + 2 + 3 + 4));
      queue.close();
    }
  }

  private static int takeAll(OffHeapQueue<Point> queue, Point point) throws InterruptedException {
    int taken = 0;
    for (int count = queue.poll(point, 3); count > 0; count = queue.poll(point, 3)) {
      taken += count;
      queue.release(point);
    }
    return taken;
  }

  /** Producers go on until they are refused; what they committed is what comes out. */
  @ParameterizedTest
  @EnumSource(ManyProducers.class)
  void complete_byAnotherThreadAtAnyTime_isExact(ManyProducers kind) throws Exception {
    Random random = new Random(1);
    int consumers = kind == ManyProducers.MPSC ? 1 : 2;
    long all = 0;
    for (int round = 0; round < 400; round++) {
      WaitStrategy strategy =
          round % 2 == 0 ? WaitStrategy.parking() : WaitStrategy.sleeping(Duration.ofNanos(1_000));
      OffHeapQueue<Point> queue =
          kind.queue(
              QueueOptions.ofCapacity(2 << round % 6)
                  .withProducerWaits(strategy)
                  .withConsumerWaits(strategy));
      List<FutureTask<Integer>> takes = new ArrayList<>();
      for (int i = 0; i < consumers; i++) {
        Point point = queue.newFlyweight();
        takes.add(new FutureTask<>(() -> takeAll(queue, point)));
        Thread.ofPlatform().start(takes.get(i));
      }
      List<FutureTask<Integer>> puts = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Point point = queue.newFlyweight();
        puts.add(new FutureTask<>(() -> putUntilRefused(queue, point)));
        Thread.ofPlatform().start(puts.get(i));
      }
      int wait = random.nextInt(round % 4 == 0 ? 2_000 : 100_000);
      for (int i = 0; i < wait; i++) {
        Thread.onSpinWait();
      }
      queue.complete();
      int committed = 0;
      for (FutureTask<Integer> put : puts) {
        committed += put.get();
      }
      int consumed = 0;
      for (FutureTask<Integer> take : takes) {
        consumed += take.get();
      }
      assertThat(consumed).as("round %d", round).isEqualTo(committed);
      assertThat(queue.counters().committed()).isEqualTo(committed);
      assertThat(queue.counters().consumed()).isEqualTo(committed);
      assertThat(queue.isDrained()).isTrue();
      queue.close();
      all += committed;
    }
    assertThat(all).isPositive();
  }

  private static int putUntilRefused(OffHeapQueue<Point> queue, Point point)
      throws InterruptedException {
    int committed = 0;
    for (int i = 0; ; i++) {
      int count = 1 + i % 2;
      try {
        assertThat(queue.claim(point, count)).isTrue();
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageStartingWith("queue must be open to claim: ");
        return committed;
      }
      if (i % 7 == 3) {
        queue.abort(point);
      } else {
        queue.commit(point);
        committed += count;
      }
    }
  }
}
