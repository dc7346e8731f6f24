package dev.millrace.queues;

import static dev.millrace.queues.OffHeapQueueContract.awaitParked;
import static dev.millrace.queues.OffHeapQueueContract.interruptWhile;
import static dev.millrace.queues.OffHeapQueueContract.put;
import static dev.millrace.queues.OffHeapQueueContract.putRun;
import static dev.millrace.queues.OffHeapQueueContract.start;
import static dev.millrace.queues.OffHeapQueueContract.take;
import static dev.millrace.queues.OffHeapQueueEndContract.counts;
import static dev.millrace.queues.OffHeapQueueEndContract.shown;
import static dev.millrace.queues.OffHeapQueueEndContract.takeRun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the queues of many producers keep besides: claims that are open side by side. */
@ParameterizedClass
@EnumSource(ManyProducers.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyProducersTest {
  @Parameter ManyProducers kind;

  // ---- open claims ----

  @Test
  void tryPoll_whenTheOldestClaimIsOpen_saysNoneThoughLaterAreCommitted() {
    try (OffHeapQueue<Point> queue = kind.queue(8)) {
      Point first = queue.newFlyweight();
      Point in = queue.newFlyweight();
      assertThat(queue.tryClaim(first, 2)).isTrue();
      putRun(queue, in, 2, 2);
      put(queue, in, 4);
      assertThat(queue.tryPoll(in)).isFalse();
      assertThat(queue.tryPoll(in, 5)).isZero();
      assertThat(queue.drain(in, p -> {}, 5)).isZero();
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      assertThat(queue.counters()).isEqualTo(counts(5, 3, 0, 0, 5));
      assertThat(shown(queue)).containsExactly(2L, 3L, 4L);
      first.value(0).next();
      queue.commit(first.value(1));
      assertThat(shown(queue)).containsExactly(0L, 1L, 2L, 3L, 4L);
      takeRun(queue, in, 0, 5);
    }
  }

  @Test
  void commit_inAnyOrder_keepsTheOrderOfTheClaims() {
    try (OffHeapQueue<Point> queue = kind.queue(4)) {
      List<Point> flyweights = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        flyweights.add(queue.newFlyweight());
      }
      int[][] orders = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};
      for (int[] order : orders) {
        for (int i = 0; i < 4; i++) {
          assertThat(queue.tryClaim(flyweights.get(i))).isTrue();
          flyweights.get(i).value(i);
        }
        for (int i : order) {
          queue.commit(flyweights.get(i));
        }
        takeRun(queue, flyweights.get(0), 0, 4);
      }
    }
  }

  @Test
  void abort_inTheMidst_leavesAGapThatConsumersPass() {
    try (OffHeapQueue<Point> queue = kind.queue(4)) {
      Point first = queue.newFlyweight();
      Point second = queue.newFlyweight();
      Point in = queue.newFlyweight();
      for (int i = 0; i < 9; i++) {
        assertThat(queue.tryClaim(first)).isTrue();
        assertThat(queue.tryClaim(second, 2)).isTrue();
        put(queue, in, 2);
        assertThat(queue.tryClaim(in)).as("full").isFalse();
        second.value(-1);
        queue.abort(second);
        assertThat(queue.tryClaim(in)).as("gaps count until they are passed").isFalse();
        queue.commit(first.value(1));
        assertThat(take(queue, in)).isEqualTo(1);
        assertThat(take(queue, in)).isEqualTo(2);
        assertThat(queue.counters())
            .isEqualTo(counts(4 * i + 4, 2 * i + 2, 2 * i + 2, 2 * i + 2, 0));
      }
    }
  }

  @Test
  void abort_whenOthersWaitForItsSlot_letsThemGoOnOnceAConsumerHasPassed() throws Exception {
    try (OffHeapQueue<Point> queue = kind.parking(2)) {
      Point in = queue.newFlyweight();
      assertThat(queue.tryClaim(in, 2)).isTrue();
      AtomicReference<Throwable> end = new AtomicReference<>();
      Thread consumer =
          start(
              end,
              () -> {
                Point out = queue.newFlyweight();
                assertThat(queue.poll(out)).isTrue();
                assertThat(out.wholeValue()).isEqualTo(7);
                queue.release(out);
              });
      awaitParked(consumer, WaitStrategy.parking());
      AtomicReference<Throwable> producerEnd = new AtomicReference<>();
      Thread producer =
          start(
              producerEnd,
              () -> {
                Point other = queue.newFlyweight();
                assertThat(queue.claim(other)).isTrue();
                queue.commit(other.value(7));
              });
      awaitParked(producer, WaitStrategy.parking());
      queue.abort(in);
      producer.join();
      consumer.join();
      assertThat(producerEnd.get()).isNull();
      assertThat(end.get()).isNull();
    }
  }

  // ---- strict ----

  @Test
  void strictPoll_whenAnOpenClaimHidesARecord_waitsAndGetsBothInOrder() throws Exception {
    for (WaitStrategy strategy : ManyProducers.strategies()) {
      try (OffHeapQueue<Point> queue =
          kind.queue(QueueOptions.ofCapacity(4).withConsumerWaits(strategy))) {
        Point open = queue.newFlyweight();
        assertThat(queue.tryClaim(open)).isTrue();
        put(queue, queue.newFlyweight(), 2);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread consumer =
            start(
                end,
                () -> {
                  Point out = queue.newFlyweight();
                  for (int i = 1; i <= 2; i++) {
                    assertThat(queue.strictPoll(out)).isTrue();
                    assertThat(out.wholeValue()).isEqualTo(i);
                    queue.release(out);
                  }
                  assertThat(queue.strictPoll(out)).isFalse();
                });
        awaitParked(consumer, strategy);
        assertThat(consumer.isAlive()).isTrue();
        queue.commit(open.value(1));
        consumer.join();
        assertThat(end.get()).isNull();
      }
    }
  }

  @Test
  void strictPoll_whenTheOpenClaimIsAborted_saysNone() throws Exception {
    try (OffHeapQueue<Point> queue = kind.parking(4)) {
      Point open = queue.newFlyweight();
      assertThat(queue.tryClaim(open, 3)).isTrue();
      AtomicReference<Throwable> end = new AtomicReference<>();
      Thread consumer =
          start(end, () -> assertThat(queue.strictPoll(queue.newFlyweight())).isFalse());
      awaitParked(consumer, WaitStrategy.parking());
      assertThat(consumer.isAlive()).isTrue();
      queue.abort(open);
      consumer.join();
      assertThat(end.get()).isNull();
    }
  }

  @Test
  void strictPoll_whenTheClaimStaysOpen_timesOutAndLosesNothing() throws Exception {
    for (WaitStrategy strategy : ManyProducers.strategies()) {
      WaitStrategy limited = strategy.withTimeLimit(Duration.ofMillis(2));
      try (OffHeapQueue<Point> queue =
          kind.queue(QueueOptions.ofCapacity(4).withConsumerWaits(limited))) {
        Point open = queue.newFlyweight();
        Point out = queue.newFlyweight();
        assertThat(queue.tryClaim(open)).isTrue();
        put(queue, out, 2);
        long begin = System.nanoTime();
        assertThatThrownBy(() -> queue.strictPoll(out))
            .isInstanceOf(TimeoutException.class)
            .hasMessageStartingWith("a producer must end the oldest claim in time: ");
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
        queue.commit(open.value(1));
        assertThat(queue.strictPoll(out)).isTrue();
        assertThat(out.wholeValue()).isEqualTo(1);
        queue.release(out);
        assertThat(take(queue, out)).isEqualTo(2);
      }
    }
  }

  @Test
  void strictPoll_whenInterrupted_throwsAndLosesNothing() throws Exception {
    try (OffHeapQueue<Point> queue = kind.parking(4)) {
      Point open = queue.newFlyweight();
      assertThat(queue.tryClaim(open)).isTrue();
      interruptWhile(WaitStrategy.parking(), () -> queue.strictPoll(queue.newFlyweight()));
      queue.commit(open.value(1));
      assertThat(take(queue, open)).isEqualTo(1);
    }
  }

  @Test
  void strictPoll_whenCompletedMeanwhile_deliversWhatIsCommittedAndEnds() throws Exception {
    OffHeapQueue<Point> queue = kind.parking(4);
    Point open = queue.newFlyweight();
    assertThat(queue.tryClaim(open)).isTrue();
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread consumer =
        start(
            end,
            () -> {
              Point out = queue.newFlyweight();
              assertThat(queue.strictPoll(out)).isTrue();
              assertThat(out.wholeValue()).isEqualTo(1);
              queue.release(out);
              assertThat(queue.strictPoll(out)).isFalse();
            });
    awaitParked(consumer, WaitStrategy.parking());
    queue.complete();
    queue.commit(open.value(1));
    consumer.join();
    assertThat(end.get()).isNull();
    queue.close();
  }

  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void strictPoll_whenAbandonedWhileAClaimIsOpen_ends() throws Exception {
    AtomicReference<Throwable> end = new AtomicReference<>();
    OffHeapQueue<Point> other = kind.parking(4);
    assertThat(other.tryClaim(other.newFlyweight())).isTrue();
    Thread waiting = start(end, () -> assertThat(other.strictPoll(other.newFlyweight())).isFalse());
    awaitParked(waiting, WaitStrategy.parking());
    other.abandon();
    waiting.join();
    assertThat(end.get()).isNull();
  }

  // ---- end ----

  @Test
  void complete_whenClaimsAreOpen_deliversWhatIsCommittedAfterwards() {
    OffHeapQueue<Point> queue = kind.queue(8);
    Point single = queue.newFlyweight();
    Point run = queue.newFlyweight();
    Point aborted = queue.newFlyweight();
    Point out = queue.newFlyweight();
    assertThat(queue.tryClaim(single)).isTrue();
    assertThat(queue.tryClaim(run, 2)).isTrue();
    long offset = queue.tryClaim();
    assertThat(queue.tryClaim(aborted)).isTrue();
    queue.complete();
    assertThatThrownBy(() -> queue.tryClaim(out)).isInstanceOf(IllegalStateException.class);
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
    assertThat(queue.commit(single.value(0))).isTrue();
    assertThat(take(queue, out)).isZero();
    assertThat(queue.tryPoll()).as("a run is open").isEqualTo(OffHeapQueue.EMPTY);
    run.value(1).next();
    run.value(2);
    queue.commit(run);
    takeRun(queue, out, 1, 2);
    assertThat(queue.tryPoll(out, 2)).as("an offset is claimed").isZero();
    out.moveTo(offset);
    out.value(3);
    queue.commit(offset);
    takeRun(queue, out, 3, 1);
    assertThat(queue.drain(out, p -> {}, 2)).as("the last is open").isZero();
    assertThat(queue.isDrained()).isFalse();
    queue.abort(aborted);
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.isDrained()).isTrue();
    assertThat(queue.counters()).isEqualTo(counts(5, 4, 4, 1, 0));
    queue.close();
  }

  @Test
  void abort_ofTheLastOpenClaim_tellsAllParkedConsumersOfTheEnd() throws Exception {
    OffHeapQueue<Point> queue = kind.parking(4);
    Point first = queue.newFlyweight();
    Point last = queue.newFlyweight();
    assertThat(queue.tryClaim(first)).isTrue();
    assertThat(queue.tryClaim(last, 2)).isTrue();
    int consumers = kind == ManyProducers.MPSC ? 1 : 3;
    List<Thread> waiting = new ArrayList<>();
    AtomicReference<Throwable> end = new AtomicReference<>();
    for (int i = 0; i < consumers; i++) {
      waiting.add(start(end, () -> assertThat(queue.poll(queue.newFlyweight())).isFalse()));
    }
    for (Thread thread : waiting) {
      awaitParked(thread, WaitStrategy.parking());
    }
    queue.complete();
    queue.abort(first);
    for (Thread thread : waiting) {
      awaitParked(thread, WaitStrategy.parking());
      assertThat(thread.isAlive()).isTrue();
    }
    queue.abort(last);
    for (Thread thread : waiting) {
      thread.join();
    }
    assertThat(end.get()).isNull();
    assertThat(queue.isDrained()).isTrue();
    queue.close();
  }

  @Test
  void close_whenOnlyOpenClaimsAreLeft_freesAndTheirCommitIsRefused() {
    OffHeapQueue<Point> queue = kind.queue(4);
    Point single = queue.newFlyweight();
    Point run = queue.newFlyweight();
    assertThat(queue.tryClaim(single)).isTrue();
    assertThat(queue.tryClaim(run, 2)).isTrue();
    queue.close();
    assertThat(queue.isDrained()).isTrue();
    assertThatThrownBy(() -> single.value(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.commit(single)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.abort(run)).isInstanceOf(IllegalStateException.class);
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
  }

  @Test
  void close_whenARecordIsBehindAnOpenClaim_leavesBothToTheConsumer() {
    OffHeapQueue<Point> queue = kind.queue(4);
    Point open = queue.newFlyweight();
    Point out = queue.newFlyweight();
    assertThat(queue.tryClaim(open, 2)).isTrue();
    put(queue, out, 2);
    queue.close();
    assertThat(queue.isDrained()).isFalse();
    open.value(0).next();
    queue.commit(open.value(1));
    takeRun(queue, out, 0, 3);
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.isDrained()).isTrue();
  }

  // ---- flyweights and offsets ----

  @Test
  void commitAndAbort_leaveTheFlyweightOnNoRecord() {
    try (OffHeapQueue<Point> queue = kind.queue(4)) {
      Point point = queue.newFlyweight();
      put(queue, point, 1);
      assertThatThrownBy(() -> point.value(2)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(queue.tryClaim(point, 2)).isTrue();
      queue.abort(point);
      assertThatThrownBy(() -> point.value(2)).isInstanceOf(IndexOutOfBoundsException.class);
      point.next();
      assertThatThrownBy(() -> queue.commit(point)).isInstanceOf(IllegalStateException.class);
      assertThat(take(queue, point)).isEqualTo(1);
    }
  }

  @Test
  void commitAndAbort_whenRepeated_areRefusedAndHarmNoOtherProducer() {
    try (OffHeapQueue<Point> queue = kind.queue(2)) {
      Point done = queue.newFlyweight();
      Point other = queue.newFlyweight();
      putRun(queue, done, 0, 2);
      takeRun(queue, other, 0, 2);
      assertThat(queue.tryClaim(other, 2)).isTrue(); // the very slots
      for (Runnable use : List.<Runnable>of(() -> queue.commit(done), () -> queue.abort(done))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("claim must be open: none is");
      }
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      other.value(2).next();
      queue.commit(other.value(3));
      takeRun(queue, done, 2, 2);
    }
  }

  @Test
  void flyweight_whenItHoldsAClaim_isRefusedForAllElse() {
    try (OffHeapQueue<Point> queue = kind.queue(4)) {
      Point point = queue.newFlyweight();
      put(queue, queue.newFlyweight(), 0);
      assertThat(queue.tryClaim(point)).isTrue();
      for (Runnable use :
          List.<Runnable>of(
              () -> queue.tryClaim(point),
              () -> queue.tryClaim(point, 2),
              () -> queue.tryPoll(point),
              () -> queue.tryPoll(point, 2))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("claim must be committed or aborted before the next: ");
      }
      queue.commit(point.value(1));
      takeRun(queue, point, 0, 2);
    }
  }

  @Test
  void commitAndAbort_whenTheOffsetIsOfNoRecord_areRefused() {
    try (OffHeapQueue<Point> queue = kind.queue(2)) {
      long claimed = queue.tryClaim();
      long size = queue.memory().byteSize();
      for (long offset :
          new long[] {
            Long.MIN_VALUE,
            -8,
            -1,
            0,
            7,
            9,
            claimed - 8,
            claimed + 1,
            size,
            size + 8,
            Long.MAX_VALUE
          }) {
        for (Runnable use :
            List.<Runnable>of(() -> queue.commit(offset), () -> queue.abort(offset))) {
          assertThatThrownBy(use::run)
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("offset must be that of a record: offset=" + offset);
        }
      }
      queue.abort(claimed);
    }
  }

  @Test
  void commitAndAbort_whenTheSlotIsNotClaimed_areRefused() {
    try (OffHeapQueue<Point> queue = kind.queue(4)) {
      long first = queue.tryClaim();
      long second = queue.tryClaim();
      long third = second + (second - first);
      queue.commit(first);
      queue.abort(second);
      for (long offset : new long[] {first, second, third}) {
        for (Runnable use :
            List.<Runnable>of(() -> queue.commit(offset), () -> queue.abort(offset))) {
          assertThatThrownBy(use::run)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageStartingWith("claim must be open: none is");
        }
      }
      queue.release(queue.tryPoll());
      assertThatThrownBy(() -> queue.commit(first)).isInstanceOf(IllegalStateException.class);
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      assertThat(queue.counters()).isEqualTo(counts(2, 1, 1, 1, 0));
    }
  }

  // ---- long runs ----

  /** A stamp counts no further than 65,535. */
  @Test
  void runs_longerThanAStampCounts_areWhole() {
    int count = 70_000;
    try (OffHeapQueue<Point> queue = kind.queue(1 << 17)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      for (int lap = 0; lap < 4; lap++) { // the second wraps
        assertThat(queue.tryClaim(in, count)).isTrue();
        put(queue, out, count);
        assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
        if (lap == 2) {
          queue.abort(in);
          assertThat(take(queue, out)).isEqualTo(count);
        } else {
          for (int i = 0; i < count; i++, in.next()) {
            in.value(i);
          }
          queue.commit(in);
          assertThat(queue.snapshot(Point::wholeValue)).isEqualTo(count + 1);
          takeRun(queue, out, 0, count + 1);
        }
        assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      }
      assertThat(queue.counters())
          .isEqualTo(counts(4 * count + 4, 3 * count + 4, 3 * count + 4, count, 0));
      putRun(queue, in, 0, 1 << 17);
      takeRun(queue, out, 0, 1 << 17);
    }
  }

  @Test
  void close_whenARecordIsBehindAnOpenClaimLongerThanAStampCounts_leavesBothToTheConsumer() {
    int count = 70_000;
    OffHeapQueue<Point> queue = kind.queue(1 << 17);
    Point open = queue.newFlyweight();
    Point out = queue.newFlyweight();
    assertThat(queue.tryClaim(open, count)).isTrue();
    put(queue, out, count);
    queue.close();
    assertThat(queue.isDrained()).isFalse();
    for (int i = 0; i < count; i++, open.next()) {
      open.value(i);
    }
    queue.commit(open);
    takeRun(queue, out, 0, count + 1);
  }
}
