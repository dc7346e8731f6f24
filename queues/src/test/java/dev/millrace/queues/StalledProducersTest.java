package dev.millrace.queues;

import static dev.millrace.queues.OffHeapQueueContract.awaitParked;
import static dev.millrace.queues.OffHeapQueueContract.put;
import static dev.millrace.queues.OffHeapQueueContract.putRun;
import static dev.millrace.queues.OffHeapQueueContract.start;
import static dev.millrace.queues.OffHeapQueueContract.take;
import static dev.millrace.queues.OffHeapQueueEndContract.shown;
import static dev.millrace.queues.OffHeapQueueEndContract.takeRun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the queues of many producers do about a claim that stays open for longer than a limit. */
@ParameterizedClass
@EnumSource(ManyProducers.class)
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledProducersTest {
  private static final Duration LIMIT = Duration.ofMillis(1);

  @Parameter ManyProducers kind;

  private static QueueOptions limited(int capacity) {
    return QueueOptions.ofCapacity(capacity)
        .withProducerWaits(WaitStrategy.parking())
        .withConsumerWaits(WaitStrategy.parking())
        .withStallLimit(LIMIT);
  }

  private OffHeapQueue<Point> queue(int capacity) {
    return kind.queue(limited(capacity));
  }

  private static Point claim(OffHeapQueue<Point> queue, int count) {
    Point point = queue.newFlyweight();
    assertThat(queue.tryClaim(point, count)).isTrue();
    return point;
  }

  /** Looks for records, where there are none, until so many slots in all were given up. */
  private static void awaitStalled(OffHeapQueue<Point> queue, long slots) {
    while (queue.counters().stalled() < slots) {
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      Thread.yield();
    }
    assertThat(queue.counters().stalled()).isEqualTo(slots);
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY); // passes them
  }

  private static void assertCounts(
      OffHeapQueue<Point> queue, long refused, long stalled, int outOfUse) {
    OffHeapQueue.Counters counters = queue.counters();
    assertThat(counters.refused()).as("refused").isEqualTo(refused);
    assertThat(counters.stalled()).as("stalled").isEqualTo(stalled);
    assertThat(counters.outOfUse()).as("outOfUse").isEqualTo(outOfUse);
  }

  private static void assertAddsUp(OffHeapQueue<Point> queue) {
    OffHeapQueue.Counters counters = queue.counters();
    assertThat(counters.claimed())
        .as(counters.toString())
        .isEqualTo(counters.committed() + counters.aborted() + counters.stalled());
  }

  /** Fills and drains the queue until a slot that was let go has come round. */
  private static void pass(OffHeapQueue<Point> queue, int records) {
    Point point = queue.newFlyweight();
    for (int i = 0; i < records; i++) {
      put(queue, point, i);
      assertThat(take(queue, point)).isEqualTo(i);
    }
  }

  private static void assertWhole(OffHeapQueue<Point> queue) {
    Point point = queue.newFlyweight();
    for (int i = 0; i < queue.capacity(); i++) {
      put(queue, point, i);
    }
    assertThat(queue.tryClaim(point)).isFalse();
    takeRun(queue, point, 0, queue.capacity());
    putRun(queue, point, 0, queue.capacity());
    takeRun(queue, point, 0, queue.capacity());
    assertAddsUp(queue);
  }

  // ---- given up ----

  @Test
  void poll_whenTheOldestClaimStaysOpen_passesItAndGetsTheLaterRecords() throws Exception {
    try (OffHeapQueue<Point> queue = queue(4)) {
      Point late = claim(queue, 1);
      Point point = queue.newFlyweight();
      putRun(queue, point, 1, 2);
      long begin = System.nanoTime();
      assertThat(queue.poll(point)).isTrue();
      assertThat(System.nanoTime() - begin).isGreaterThan(LIMIT.toNanos() * 9 / 10);
      assertThat(point.wholeValue()).isEqualTo(1);
      queue.release(point);
      assertThat(take(queue, point)).isEqualTo(2);
      assertCounts(queue, 0, 1, 1);
      assertAddsUp(queue);

      late.value(-1);
      assertThat(queue.commit(late)).isFalse();
      assertCounts(queue, 1, 1, 1);
      assertThat(queue.tryPoll(point)).isFalse();
      pass(queue, 8);
      assertCounts(queue, 1, 1, 0);
      assertWhole(queue);
    }
  }

  @Test
  void strictPoll_whenTheOldestClaimStaysOpen_passesIt() throws Exception {
    try (OffHeapQueue<Point> queue = queue(4)) {
      Point late = claim(queue, 1);
      Point point = queue.newFlyweight();
      assertThat(queue.strictPoll(point)).as("none behind it").isFalse();
      put(queue, point, 1);
      assertThat(queue.strictPoll(point)).isTrue();
      queue.release(point);
      assertThat(queue.commit(late)).isFalse();
    }
  }

  @Test
  void abort_whenLate_letsGoAsWell() {
    try (OffHeapQueue<Point> queue = queue(4)) {
      Point late = claim(queue, 2);
      awaitStalled(queue, 2);
      assertThat(queue.counters().outOfUse()).isEqualTo(2);
      queue.abort(late);
      assertThatThrownBy(() -> queue.abort(late)).isInstanceOf(IllegalStateException.class);
      pass(queue, 8);
      assertThat(queue.counters().outOfUse()).isZero();
      assertThat(queue.counters().aborted()).isZero();
      assertWhole(queue);
    }
  }

  @Test
  void commit_whenAnOffsetIsLate_isRefused() {
    try (OffHeapQueue<Point> queue = queue(4)) {
      long late = queue.tryClaim();
      awaitStalled(queue, 1);
      assertThat(queue.commit(late)).isFalse();
      assertThatThrownBy(() -> queue.commit(late)).isInstanceOf(IllegalStateException.class);
      assertCounts(queue, 1, 1, 1);
      pass(queue, 8);
      assertCounts(queue, 1, 1, 0);
      assertWhole(queue);
    }
  }

  @Test
  void commit_whenInTime_isTakenThoughConsumersLooked() {
    try (OffHeapQueue<Point> queue = kind.queue(limited(4).withStallLimit(Duration.ofDays(1)))) {
      for (int lap = 0; lap < 9; lap++) {
        Point open = claim(queue, 3);
        for (int look = 0; look < 1_000; look++) {
          assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
        }
        for (int i = 0; i < 3; i++, open.next()) {
          open.value(i);
        }
        assertThat(queue.commit(open)).isTrue();
        takeRun(queue, open, 0, 3);
      }
      assertCounts(queue, 0, 0, 0);
      assertAddsUp(queue);
    }
  }

  @Test
  void tryPoll_whenThereIsNoLimit_neverGivesUp() {
    try (OffHeapQueue<Point> queue = kind.queue(4)) {
      Point open = claim(queue, 1);
      Point out = queue.newFlyweight();
      put(queue, out, 1);
      long begin = System.nanoTime();
      for (int look = 0; look < 1_000 || System.nanoTime() - begin < 20_000_000; look++) {
        assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      }
      assertThat(queue.commit(open.value(0))).isTrue();
      takeRun(queue, out, 0, 2);
      assertCounts(queue, 0, 0, 0);
    }
  }

  /** The looks lie so far apart that time alone would give the claim up at the second. */
  @Test
  void tryPoll_whenConsumersPause_givesNobodyUpBeforeSixteenLooks() {
    try (OffHeapQueue<Point> queue = queue(4)) {
      Point open = claim(queue, 1);
      int looks = 0;
      while (queue.counters().stalled() == 0) {
        assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
        looks++;
        for (long begin = System.nanoTime(); System.nanoTime() - begin < LIMIT.toNanos() * 2; ) {
          Thread.yield();
        }
      }
      assertThat(looks).isBetween(16, 18);
      assertThat(queue.commit(open)).isFalse();
    }
  }

  // ---- late writers ----

  @Test
  void records_whenALateProducerWrites_areNeverWrittenOver() {
    try (OffHeapQueue<Point> queue = queue(4)) {
      Point late = claim(queue, 1);
      awaitStalled(queue, 1);
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      for (int lap = 0; lap < 9; lap++) {
        for (int i = 0; i < 3; i++) {
          put(queue, in, 3 * lap + i);
        }
        assertThat(queue.tryClaim(in)).as("three are left").isFalse();
        late.value(-lap); // while all others are full
        takeRun(queue, out, 3L * lap, 3);
      }
      put(queue, in, 100);
      assertThat(queue.commit(late)).isFalse();
      assertThat(shown(queue)).containsExactly(100L);
      takeRun(queue, out, 100, 1);
      assertThat(queue.tryPoll(out)).isFalse();
      pass(queue, 8);
      assertCounts(queue, 1, 1, 0);
      assertWhole(queue);
    }
  }

  @Test
  void runs_whenLate_areRefusedWholeAndNeverWriteOverOthers() {
    try (OffHeapQueue<Point> queue = queue(8)) {
      Point in = queue.newFlyweight();
      for (int begin = 0; begin < 8; begin++) { // from each slot, so that some wrap
        long refused = queue.counters().refused();
        Point late = claim(queue, 3);
        awaitStalled(queue, refused + 3);
        assertCounts(queue, refused, refused + 3, 3);
        for (int i = 0; i < 3; i++, late.next()) {
          putRun(queue, in, 10, 2);
          late.value(-1);
          takeRun(queue, in, 10, 2);
        }
        assertThat(queue.commit(late)).isFalse();
        assertThat(shown(queue)).isEmpty();
        assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
        pass(queue, 16);
        assertCounts(queue, refused + 3, refused + 3, 0);
        assertWhole(queue);
        pass(queue, 1 + begin % 3);
      }
    }
  }

  // ---- holes ----

  @Test
  void tryClaim_whenARunMeetsAHole_skipsIt() {
    try (OffHeapQueue<Point> queue = queue(8)) {
      Point in = queue.newFlyweight();
      pass(queue, 3);
      Point late = claim(queue, 1); // slot 3
      awaitStalled(queue, 1);
      pass(queue, 6); // to slot 2
      assertThat(queue.tryClaim(in, 7)).as("one before the hole is left for it").isFalse();
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY); // passes both
      assertThat(queue.counters().aborted()).as("never claimed").isZero();
      assertThat(queue.tryClaim(in, 7)).isTrue();
      for (int i = 0; i < 7; i++, in.next()) {
        in.value(i);
      }
      queue.commit(in);
      takeRun(queue, in, 0, 7);
      late.value(-1);
      assertThat(queue.commit(late)).isFalse();
      pass(queue, 16);
      assertCounts(queue, 1, 1, 0);
      assertWhole(queue);
    }
  }

  @Test
  void smallRings_whenASlotIsOutOfUse_goOnWithTheOthers() {
    for (int capacity : new int[] {2, 4}) {
      for (int before = 0; before < capacity; before++) {
        try (OffHeapQueue<Point> queue = queue(capacity)) {
          Point point = queue.newFlyweight();
          pass(queue, before);
          Point late = claim(queue, 1);
          awaitStalled(queue, 1);
          for (int lap = 0; lap < 5; lap++) {
            for (int i = 1; i < capacity; i++) {
              put(queue, point, i);
            }
            assertThat(queue.tryClaim(point)).isFalse();
            takeRun(queue, point, 1, capacity - 1);
          }
          assertThat(queue.commit(late.value(-1))).isFalse();
          pass(queue, 2 * capacity);
          assertCounts(queue, 1, 1, 0);
          assertWhole(queue);
        }
      }
    }
  }

  @Test
  void tryClaim_whenAllSlotsAreHeld_saysSoAndWorksAgainOnceOneIsLetGo() {
    for (int capacity : new int[] {2, 4}) {
      for (int before = 0; before < capacity; before++) {
        try (OffHeapQueue<Point> queue = queue(capacity)) {
          pass(queue, before);
          Point[] late = new Point[capacity];
          for (int i = 0; i < capacity; i++) {
            late[i] = claim(queue, 1);
          }
          awaitStalled(queue, capacity);
          Point point = queue.newFlyweight();
          for (int again = 0; again < 3; again++) {
            assertThatThrownBy(() -> queue.tryClaim(point))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                    "slots must be left to claim, 1 in a row, but producers that stalled hold "
                        + capacity
                        + " of "
                        + capacity
                        + ": count=1");
            assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
          }
          assertThatThrownBy(() -> queue.claim(point)).isInstanceOf(IllegalStateException.class);
          assertThat(queue.commit(late[1].value(-1))).isFalse();
          claimOnceAConsumerHasPassed(queue, point);
          queue.commit(point.value(5));
          assertThat(take(queue, point)).isEqualTo(5);
          for (int i = 0; i < capacity; i++) {
            if (i != 1) {
              queue.abort(late[i]);
            }
          }
          pass(queue, 2 * capacity);
          assertThat(queue.counters().outOfUse()).isZero();
          assertWhole(queue);
        }
      }
    }
  }

  private static void claimOnceAConsumerHasPassed(OffHeapQueue<Point> queue, Point point) {
    while (true) {
      try {
        if (queue.tryClaim(point)) {
          return;
        }
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageStartingWith("slots must be left to claim");
      }
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
    }
  }

  @Test
  void tryClaim_whenNoRunIsLeft_saysSoAndSinglesWork() {
    try (OffHeapQueue<Point> queue = queue(4)) {
      Point point = queue.newFlyweight();
      Point late = claim(queue, 1);
      awaitStalled(queue, 1);
      pass(queue, 1);
      Point later = claim(queue, 1); // each second slot is held
      awaitStalled(queue, 2);
      for (int lap = 0; lap < 3; lap++) {
        assertThatThrownBy(() -> claimRun(queue, 2))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "slots must be left to claim, 2 in a row, but producers that stalled hold 2 of 4:"
                    + " count=2");
        assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY); // passes what was skipped
        pass(queue, 3);
      }
      queue.abort(late);
      queue.abort(later);
      pass(queue, 8);
      assertThat(queue.tryClaim(point, 4)).isTrue();
      queue.abort(point);
    }
  }

  /** Polls in between, for what claimers skip counts until a consumer has passed it. */
  private static void claimRun(OffHeapQueue<Point> queue, int count) {
    Point point = queue.newFlyweight();
    for (int i = 0; i < 1_000 && !queue.tryClaim(point, count); i++) {
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
    }
  }

  @Test
  void tryClaim_whenALostRunWraps_saysThatNoSlotsAreLeft() {
    for (int capacity : new int[] {2, 4}) {
      for (int before = 1; before < capacity; before++) {
        try (OffHeapQueue<Point> queue = queue(capacity)) {
          pass(queue, before);
          Point late = claim(queue, capacity);
          awaitStalled(queue, capacity);
          assertThatThrownBy(() -> claimRun(queue, 1))
              .as("capacity %d, from slot %d", capacity, before)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageStartingWith("slots must be left to claim");
          queue.abort(late);
          claimOnceAConsumerHasPassed(queue, late);
          queue.abort(late);
        }
      }
    }
  }

  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void claim_whenParkedAndTheLastSlotIsGivenUp_saysThatNoneAreLeft() throws Exception {
    OffHeapQueue<Point> queue = queue(2);
    Point first = claim(queue, 1);
    Point second = claim(queue, 1);
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread producer = start(end, () -> queue.claim(queue.newFlyweight()));
    awaitParked(producer, WaitStrategy.parking());
    awaitStalled(queue, 2);
    producer.join();
    assertThat(end.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("slots must be left to claim");
    queue.abort(first);
    queue.abort(second);
    queue.abandon();
  }

  // ---- counts ----

  @Test
  void tryClaim_whenTheRunIsLongerThanAStampCounts_isRefused() {
    try (OffHeapQueue<Point> queue =
        kind.queue(limited(1 << 17).withStallLimit(Duration.ofDays(1)))) {
      Point point = queue.newFlyweight();
      for (int count : new int[] {65_536, 1 << 17, Integer.MAX_VALUE}) {
        assertThatThrownBy(() -> queue.tryClaim(point, count))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("count must be in 1..65535: count=" + count);
      }
      for (int lap = 0; lap < 3; lap++) {
        putRun(queue, point, 0, 65_535);
        takeRun(queue, point, 0, 65_535);
      }
      assertAddsUp(queue);
    }
  }

  @Test
  void counters_whenClaimsAreOpenAndGivenUp_addUp() {
    try (OffHeapQueue<Point> queue = queue(8)) {
      Point point = queue.newFlyweight();
      Point late = claim(queue, 2);
      awaitStalled(queue, 2);
      put(queue, point, 1);
      assertThat(queue.tryClaim(point)).isTrue();
      queue.abort(point);
      Point open = claim(queue, 3);
      assertThat(queue.counters()).isEqualTo(new OffHeapQueue.Counters(7, 1, 0, 1, 0, 0, 2, 2, 5));
      assertThat(queue.commit(late)).isFalse();
      queue.abort(open);
      assertThat(queue.counters()).isEqualTo(new OffHeapQueue.Counters(7, 1, 0, 4, 0, 2, 2, 2, 5));
      assertThat(take(queue, point)).isEqualTo(1);
      pass(queue, 16);
      assertThat(queue.counters().outOfUse()).isZero();
      assertAddsUp(queue);
    }
  }

  // ---- end ----

  @Test
  void complete_whenAClaimStalls_endsBehindIt() throws Exception {
    OffHeapQueue<Point> queue = queue(4);
    Point late = claim(queue, 2);
    Point point = queue.newFlyweight();
    put(queue, point, 1);
    Point last = claim(queue, 1);
    queue.complete();
    assertThat(queue.poll(point)).isTrue();
    assertThat(point.wholeValue()).isEqualTo(1);
    queue.release(point);
    assertThat(queue.poll(point)).as("the end, behind the last claim").isFalse();
    assertThat(queue.isDrained()).isTrue();
    assertCounts(queue, 0, 3, 3);
    assertThat(queue.commit(late)).isFalse();
    assertThat(queue.commit(last)).isFalse();
    assertCounts(queue, 3, 3, 3);
    queue.close();
  }

  // ---- threads ----

  /** Producers that now and then keep a claim open until it is given up, and write all the same. */
  @Test
  void stalls_amongManyThreads_loseNoCommittedRecordAndShowNoRefusedOne() throws Exception {
    int producers = 3;
    int rounds = 1_500;
    OffHeapQueue<Point> queue =
        kind.queue(
            QueueOptions.ofCapacity(16)
                .withProducerWaits(WaitStrategy.yielding())
                .withConsumerWaits(WaitStrategy.yielding())
                .withStallLimit(Duration.ofNanos(300_000)));
    AtomicLong committed = new AtomicLong();
    AtomicLong sum = new AtomicLong();
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread[] threads = new Thread[producers];
    for (int p = 0; p < producers; p++) {
      long base = (p + 1L) << 32;
      threads[p] =
          start(
              end,
              () -> {
                Point point = queue.newFlyweight();
                for (int i = 0; i < rounds; i++) {
                  int count = 1 + i % 3;
                  assertThat(queue.claim(point, count)).isTrue();
                  boolean stalls = i % 150 == 149;
                  long stalled = queue.counters().stalled();
                  long begin = System.nanoTime();
                  while (stalls
                      && queue.counters().stalled() == stalled
                      && System.nanoTime() - begin < 50_000_000) {
                    Thread.yield();
                  }
                  long own = 0;
                  for (int k = 0; k < count; k++, point.next()) {
                    point.value(base + 4L * i + k);
                    own += point.value();
                  }
                  if (queue.commit(point)) {
                    committed.addAndGet(count);
                    sum.addAndGet(own);
                  }
                }
              });
    }
    FutureTask<long[]> consumer =
        new FutureTask<>(
            () -> {
              Point point = queue.newFlyweight();
              long[] seen = new long[2];
              while (queue.poll(point)) {
                seen[0]++;
                seen[1] += point.wholeValue();
                queue.release(point);
              }
              return seen;
            });
    Thread.ofPlatform().start(consumer);
    for (Thread thread : threads) {
      thread.join();
    }
    queue.complete();
    long[] seen = consumer.get();
    assertThat(end.get()).isNull();
    assertThat(seen).containsExactly(committed.get(), sum.get());
    OffHeapQueue.Counters counters = queue.counters();
    assertThat(counters.committed()).isEqualTo(committed.get());
    assertThat(counters.consumed()).isEqualTo(committed.get());
    assertThat(counters.stalled()).isPositive();
    assertThat(counters.refused()).isPositive();
    assertThat(committed.get() + counters.refused()).isEqualTo(2L * producers * rounds);
    assertAddsUp(queue);
    queue.close();
  }
}
