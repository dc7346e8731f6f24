package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.QueueOptions.WhenFull;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class MpmcQueueTest extends OffHeapQueueEndContract {
  @Override
  <F extends Flyweight> OffHeapQueue<F> newQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    return MpmcQueue.of(options, flyweights);
  }

  @Override
  boolean hasManyProducers() {
    return true;
  }

  @Override
  boolean hasManyConsumers() {
    return true;
  }

  private interface Claim {
    boolean into(Point flyweight) throws Exception;
  }

  /** Puts a value where the slot of record 0, which is in hand, must come free for the claim. */
  private static void putWaitsForRelease(
      OffHeapQueue<Point> queue, Point inHand, Claim claim, long value) throws Exception {
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread producer =
        start(
            end,
            () -> {
              Point in = queue.newFlyweight();
              assertThat(claim.into(in)).isTrue();
              queue.commit(in.value(value));
            });
    awaitParked(producer, WaitStrategy.parking());
    assertThat(producer.isAlive()).as("waits").isTrue();
    assertThat(inHand.wholeValue()).isZero();
    queue.release(inHand);
    producer.join();
    assertThat(end.get()).isNull();
  }

  // ---- full ----

  private static QueueOptions dropsOldest(int capacity) {
    return QueueOptions.ofCapacity(capacity)
        .withProducerWaits(WaitStrategy.parking())
        .withWhenFull(WhenFull.DROP_OLDEST);
  }

  @Test
  void claim_whenFullAndTheOldestAreDropped_keepsTheLatestInOrder() throws Exception {
    try (OffHeapQueue<Point> queue = newQueue(dropsOldest(4))) {
      Point in = queue.newFlyweight();
      for (int i = 0; i < 11; i++) {
        assertThat(queue.claim(in)).isTrue();
        queue.commit(in.value(i));
        assertThat(queue.counters().dropped()).isEqualTo(Math.max(0, i - 3));
      }
      assertThat(queue.tryClaim(in)).as("tryClaim drops nothing").isFalse();
      assertThat(queue.counters()).isEqualTo(new OffHeapQueue.Counters(11, 4, 0, 0, 7, 0, 0, 0, 4));
      for (int i = 7; i < 11; i++) {
        assertThat(take(queue, in)).isEqualTo(i);
      }
      assertThat(queue.tryPoll(in)).isFalse();
      assertThat(queue.counters()).isEqualTo(new OffHeapQueue.Counters(11, 4, 4, 0, 7, 0, 0, 0, 4));
    }
  }

  @Test
  void claim_whenARunDoesNotFitAndTheOldestAreDropped_dropsNoMoreThanItNeeds() throws Exception {
    try (OffHeapQueue<Point> queue = newQueue(dropsOldest(4))) {
      Point in = queue.newFlyweight();
      putRun(queue, in, 0, 3);
      for (int lap = 0; lap < 5; lap++) {
        assertThat(queue.claim(in, 3)).isTrue();
        for (int i = 0; i < 3; i++, in.next()) {
          in.value(3 + 3 * lap + i);
        }
        queue.commit(in);
        assertThat(queue.sizeEstimate()).isEqualTo(4);
        assertThat(queue.counters().dropped()).isEqualTo(2 + 3 * lap);
      }
      assertThat(shown(queue)).containsExactly(14L, 15L, 16L, 17L);
      takeRun(queue, in, 14, 4);
      assertThat(queue.counters().consumed()).isEqualTo(4);
    }
  }

  @Test
  void claim_whenTheOldestIsInAConsumersHands_waitsForItAndDropsNone() throws Exception {
    try (OffHeapQueue<Point> queue = newQueue(dropsOldest(2))) {
      Point out = queue.newFlyweight();
      putRun(queue, queue.newFlyweight(), 0, 2);
      assertThat(queue.tryPoll(out)).isTrue();
      assertThat(queue.tryPoll()).isNotNegative(); // both are in hand, so there is none to drop
      putWaitsForRelease(queue, out, queue::claim, 2);
      assertThat(queue.counters().dropped()).isZero();
      assertThat(take(queue, out)).isEqualTo(2);
      queue.abandon();
    }
  }

  /** The slot of the record in hand is the one that is needed; the next record is not spared. */
  @Test
  void claim_whenTheOldestIsInHandAndOthersAreDropped_waitsAllTheSame() throws Exception {
    try (OffHeapQueue<Point> queue = newQueue(dropsOldest(4))) {
      Point out = queue.newFlyweight();
      putRun(queue, queue.newFlyweight(), 0, 4);
      assertThat(queue.tryPoll(out)).isTrue();
      putWaitsForRelease(queue, out, queue::claim, 4);
      long dropped = queue.counters().dropped();
      for (long i = 1 + dropped; i <= 4; i++) {
        assertThat(take(queue, out)).isEqualTo(i);
      }
      assertThat(queue.tryPoll(out)).isFalse();
    }
  }

  @Test
  void claim_whenTheOldestClaimIsOpenAndTheOldestAreDropped_waitsForIt() throws Exception {
    try (OffHeapQueue<Point> queue = newQueue(dropsOldest(2))) {
      Point open = queue.newFlyweight();
      Point in = queue.newFlyweight();
      assertThat(queue.tryClaim(open)).isTrue();
      put(queue, in, 1);
      assertThat(queue.claim(in, 1, TimeUnit.MILLISECONDS)).isFalse();
      assertThat(queue.counters().dropped()).isZero();
      queue.commit(open.value(0));
      assertThat(queue.claim(in)).isTrue();
      queue.commit(in.value(2));
      assertThat(queue.counters().dropped()).isEqualTo(1);
      assertThat(shown(queue)).containsExactly(1L, 2L);
      takeRun(queue, in, 1, 2);
    }
  }

  // ---- several polls ----

  @Test
  void tryClaim_whenTheLaterOfTwoIsReleasedFirst_declinesUntilTheOlderIs() throws Exception {
    QueueOptions options = QueueOptions.ofCapacity(2).withProducerWaits(WaitStrategy.parking());
    try (OffHeapQueue<Point> queue = newQueue(options)) {
      Point older = queue.newFlyweight();
      Point later = queue.newFlyweight();
      putRun(queue, older, 0, 2);
      assertThat(queue.tryPoll(older)).isTrue();
      assertThat(queue.tryPoll(later)).isTrue();
      assertThat(later.wholeValue()).isEqualTo(1);
      queue.release(later);
      assertThat(queue.tryClaim(later)).isFalse();
      assertThat(queue.tryClaim()).isEqualTo(OffHeapQueue.FULL);

      putWaitsForRelease(queue, older, queue::strictClaim, 2);
      put(queue, later, 3);
      assertThat(queue.strictClaim(later)).as("truly full").isFalse();
      takeRun(queue, older, 2, 2);
    }
  }

  @Test
  void strictClaim_whenTheOlderIsNotReleasedInTime_saysSoAndLosesNothing() throws Exception {
    WaitStrategy limited = WaitStrategy.parking().withTimeLimit(Duration.ofMillis(2));
    try (OffHeapQueue<Point> queue =
        newQueue(QueueOptions.ofCapacity(2).withProducerWaits(limited))) {
      Point in = queue.newFlyweight();
      Point older = queue.newFlyweight();
      putRun(queue, in, 0, 2);
      assertThat(queue.tryPoll(older)).isTrue();
      assertThatThrownBy(() -> queue.strictClaim(in))
          .isInstanceOf(TimeoutException.class)
          .hasMessageStartingWith("a consumer must release the oldest record in time: MpmcQueue[");
      queue.release(older);
      assertThat(queue.strictClaim(in)).isTrue();
      queue.commit(in.value(2));
      takeRun(queue, in, 1, 2);
    }
  }

  @Test
  void strictClaim_whenInterruptedOrClosed_throws() throws Exception {
    QueueOptions options = QueueOptions.ofCapacity(2).withProducerWaits(WaitStrategy.parking());
    OffHeapQueue<Point> queue = newQueue(options);
    Point older = queue.newFlyweight();
    putRun(queue, older, 0, 2);
    assertThat(queue.tryPoll(older)).isTrue();
    interruptWhile(WaitStrategy.parking(), () -> queue.strictClaim(queue.newFlyweight()));

    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread producer = start(end, () -> queue.strictClaim(queue.newFlyweight()));
    awaitParked(producer, WaitStrategy.parking());
    queue.complete();
    producer.join();
    assertThat(end.get())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("queue must be open to claim: ");
    queue.release(older);
    assertThat(take(queue, older)).isEqualTo(1);
    queue.close();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void release_whenRepeated_isRefusedAndHarmsNobody() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      Point first = queue.newFlyweight();
      Point second = queue.newFlyweight();
      putRun(queue, first, 0, 2);
      assertThat(queue.tryPoll(first)).isTrue();
      queue.release(first);
      assertThatThrownBy(first::value).isInstanceOf(IndexOutOfBoundsException.class);
      put(queue, second, 2);
      assertThat(take(queue, second)).isEqualTo(1);
      assertThat(queue.tryPoll(second)).isTrue(); // in the slot that the first had
      assertThatThrownBy(() -> queue.release(first))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("poll must be open: none is");
      assertThat(queue.tryClaim()).isNotNegative();
      assertThat(queue.tryClaim()).as("still in hand").isEqualTo(OffHeapQueue.FULL);
      assertThat(second.wholeValue()).isEqualTo(2);
      queue.release(second);
    }
  }

  @Test
  void release_whenTheOffsetIsOfNoRecordInHand_isRefused() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      long size = queue.memory().byteSize();
      for (long offset : new long[] {Long.MIN_VALUE, -1, 0, 7, 9, size, size + 8, Long.MAX_VALUE}) {
        assertThatThrownBy(() -> queue.release(offset))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("offset must be that of a record: offset=" + offset);
      }
      long claimed = queue.tryClaim();
      assertThatThrownBy(() -> queue.release(claimed))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("poll must be open: none is");
      queue.commit(claimed);
      long polled = queue.tryPoll();
      queue.release(polled);
      assertThatThrownBy(() -> queue.release(polled)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void release_whenTheRecordWasNotPolled_isRefusedAndItStays() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      Point point = queue.newFlyweight();
      assertThat(queue.tryClaim(point)).isTrue();
      long offset = point.offset();
      queue.commit(point.value(5));
      assertThatThrownBy(() -> queue.release(offset))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("poll must be open: none is");
      assertThat(take(queue, point)).isEqualTo(5);
    }
  }

  @Test
  void drain_whenAnotherConsumerTakesBetween_eachRecordIsTakenOnce() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      Point other = queue.newFlyweight();
      putRun(queue, in, 0, 8);
      long[] next = {0};
      int handled =
          queue.drain(
              in,
              p -> {
                assertThat(p.wholeValue()).isEqualTo(next[0]);
                assertThat(take(queue, other)).isEqualTo(next[0] + 1);
                next[0] += 2;
              },
              8);
      assertThat(handled).isEqualTo(4);
      assertThat(queue.counters()).isEqualTo(counts(8, 8, 8, 0, 0));
    }
  }

  @Test
  void close_whenAPollIsOpen_leavesTheMemoryToItsConsumer() {
    OffHeapQueue<Point> queue = newQueue(4);
    Point out = queue.newFlyweight();
    Point other = queue.newFlyweight();
    put(queue, out, 3);
    assertThat(queue.tryPoll(out)).isTrue();
    queue.close();
    assertThat(queue.tryPoll(other)).isFalse();
    assertThat(queue.tryPoll()).as("to all others it is the end").isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.isDrained()).isFalse();
    assertThat(out.wholeValue()).isEqualTo(3);
    queue.release(out);
    assertThat(queue.tryPoll(out)).isFalse();
    assertThat(queue.isDrained()).isTrue();
  }
}
