package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What the queues with many producers add to the contract. */
abstract class StampedContract extends QueueContract {
  static final Duration STALL = Duration.ofMillis(1);

  @Test
  void close_ofAProducer_abortsAnOpenClaim() {
    producer.tryClaim(3);
    Producer<Point> other = producerOf(queue);
    put(other, 1);
    assertThat(consumer.tryPoll()).as("behind an open claim").isNull();
    producer.close();
    producer.close();
    assertThat(take(consumer)).isEqualTo(1);
  }

  @Test
  void complete_ofAbortedClaimsThatNobodyPassed_isDrained() {
    producer.tryClaim(2);
    producer.abort();
    producer.tryClaim();
    queue.complete();
    assertThat(queue.isDrained()).as("a claim is open").isFalse();
    producer.abort();
    assertThat(queue.isDrained()).isTrue();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void runs_behindAnOpenClaim_waitForIt_andEndAtAGap() {
    Producer<Point> other = producerOf(queue);
    assertThat(producer.tryClaim(2)).isEqualTo(2);
    assertThat(claimRun(other, 2, 2)).isEqualTo(2);
    assertThat(consumer.tryPoll(8)).isZero();
    producer.at(0).x(0).y(0);
    producer.at(1).x(1).y(-1);
    producer.commit();
    assertThat(producer.tryClaim(1)).isEqualTo(1);
    producer.abort();
    assertThat(claimRun(other, 2, 4)).isEqualTo(2);
    assertThat(pollRun(consumer, 8, 0)).as("up to the gap").isEqualTo(4);
    assertThat(pollRun(consumer, 8, 4)).isEqualTo(2);
  }

  @Test
  void strictPoll_waitsForTheOldestClaim_andTellsTruthfullyThatThereIsNone() throws Exception {
    open(consumersPark());
    QueueConsumer<Point> consumer = (QueueConsumer<Point>) this.consumer;
    assertThat(consumer.strictPoll()).isNull();
    producer.tryClaim();
    put(producerOf(queue), 1);
    FutureTask<Object> polled = parked(consumer::strictPoll);
    producer.abort();
    assertThat(whole((Point) polled.get())).isEqualTo(1);
    consumer.release();
    assertThat(consumer.strictPoll()).isNull();
    queue.close();
    assertThat(consumer.strictPoll()).isNull();
  }

  @Test
  void strictPoll_whenInterruptedOrClosed_losesNothing() throws Exception {
    open(consumersPark());
    QueueConsumer<Point> consumer = (QueueConsumer<Point>) this.consumer;
    producer.tryClaim();
    Thread.currentThread().interrupt();
    assertThatThrownBy(consumer::strictPoll).isInstanceOf(InterruptedException.class);
    producer.at(0).x(1).y(-1);
    producer.commit();
    assertThat(whole(consumer.strictPoll())).isEqualTo(1);
    consumer.release();
    producer.tryClaim();
    FutureTask<Object> polled = parked(consumer::strictPoll);
    producer.abort();
    assertThat(polled.get()).as("the claim is gone").isNull();
  }

  @Test
  void runs_areAtMostAsLongAsAStampCounts() {
    open(QueueOptions.ofCapacity(1 << 17));
    assertThat(claimRun(producer, 1 << 17, 0)).isEqualTo(65_535);
    assertThat(claimRun(producer, 1 << 17, 65_535)).isEqualTo(65_535);
    assertThat(claimRun(producer, 1 << 17, 131_070)).isEqualTo(2);
    assertThat(producer.tryClaim()).isNull();
    int came = 0;
    int count;
    while ((count = pollRun(consumer, 1 << 17, came)) > 0) {
      came += count;
    }
    assertThat(came).isEqualTo(1 << 17);
  }

  // ---- stall limit ----

  final void openStalling() {
    open(QueueOptions.ofCapacity(CAPACITY).withStallLimit(STALL));
  }

  @Test
  void commit_afterItsClaimWasGivenUp_throwsAndLosesNothingElse() throws Exception {
    openStalling();
    Producer<Point> other = producerOf(queue);
    assertThat(producer.tryClaim(2)).isEqualTo(2);
    put(other, 1);
    assertThat(whole(consumer.poll())).isEqualTo(1);
    consumer.release();
    assertThatThrownBy(producer::commit)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("claim must be committed within the stall limit");
    for (int i = 0; i < 4 * CAPACITY; i++) {
      put(producer, i);
      assertThat(take(consumer)).isEqualTo(i);
    }
  }

  @Test
  void commit_withinTheLimit_isTakenThoughConsumersLookedOften() {
    open(QueueOptions.ofCapacity(CAPACITY).withStallLimit(Duration.ofDays(1)));
    producer.tryClaim().x(1).y(-1);
    for (int i = 0; i < 1_000; i++) {
      assertThat(consumer.tryPoll()).isNull();
    }
    producer.commit();
    assertThat(take(consumer)).isEqualTo(1);
  }

  @Test
  void complete_besideAClaimThatStalls_endsBehindIt() throws Exception {
    openStalling();
    producer.tryClaim(2);
    Producer<Point> other = producerOf(queue);
    put(other, 1);
    queue.complete();
    List<Long> came = new ArrayList<>();
    consumer.forEach(point -> came.add(whole(point)));
    assertThat(came).containsExactly(1L);
    assertThat(queue.isDrained()).isTrue();
    assertThatThrownBy(producer::commit).hasMessageContaining("it was given up");
  }

  @Test
  void claim_thatWaitsWhenTheLastSlotIsGivenUp_throws() throws Exception {
    open(
        QueueOptions.ofCapacity(CAPACITY)
            .withStallLimit(STALL)
            .withProducerWaits(WaitStrategy.parking()));
    Producer<Point> other = producerOf(queue);
    assertThat(producer.tryClaim(CAPACITY)).isEqualTo(CAPACITY);
    FutureTask<Object> claim = parked(other::claim);
    while (!claim.isDone()) {
      assertThat(consumer.poll(STALL)).isNull();
    }
    assertThatThrownBy(claim::get)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("slots must be left to claim");
  }

  @Test
  void claim_whereSlotsAreOutOfUse_skipsThem() throws Exception {
    openStalling();
    Producer<Point> other = producerOf(queue);
    assertThat(producer.tryClaim(3)).isEqualTo(3);
    put(other, -1);
    assertThat(whole(consumer.poll())).isEqualTo(-1);
    consumer.release();
    List<Long> came = new ArrayList<>();
    for (int i = 0; i < 4 * CAPACITY; ) {
      i += claimRun(other, Math.min(5, 4 * CAPACITY - i), i);
      consumer.drain(point -> came.add(whole(point)), CAPACITY);
    }
    while (consumer.drain(point -> came.add(whole(point)), CAPACITY) > 0) {
      // the rest
    }
    assertThat(came).hasSize(4 * CAPACITY).isSorted().doesNotHaveDuplicates();
    producer.abort();
    put(producer, 100);
    assertThat(take(consumer)).isEqualTo(100);
  }

  @Test
  void claim_whereNoSlotIsLeft_throws() throws Exception {
    openStalling();
    Producer<Point> other = producerOf(queue);
    assertThat(producer.tryClaim(CAPACITY)).isEqualTo(CAPACITY);
    while (queue.sizeEstimate() > 0) {
      assertThat(consumer.poll(STALL)).isNull();
    }
    assertThatThrownBy(other::tryClaim)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("producers that stalled hold 8 of 8");
    assertMetrics(queue, "claimed", 8, "consumed", 0, "stalled", 8, "outOfUse", 8);
    producer.abort();
    assertMetrics(queue, "refused", 8, "aborted", 0, "committed", 0);
    assertThatThrownBy(other::tryClaim).as("before the consumer has passed them").isNotNull();
    assertThat(consumer.tryPoll()).isNull();
    put(other, 1);
    assertMetrics(queue, "outOfUse", 0, "committed", 1, "consumed", 0);
    assertThat(take(consumer)).isEqualTo(1);
    assertMetrics(queue, "stalled", 8, "committed", 1, "consumed", 1);
  }

  @Test
  void snapshot_whereClaimsAreOpenAbortedOrGivenUp_showsWhatIsBehindThem() throws Exception {
    for (boolean isStalling : new boolean[] {false, true}) {
      if (isStalling) {
        openStalling();
      }
      Producer<Point> other = producerOf(queue);
      assertThat(producer.tryClaim(2)).isEqualTo(2);
      assertThat(claimRun(other, 2, 0)).isEqualTo(2);
      assertThat(other.tryClaim(2)).isEqualTo(2);
      other.abort();
      put(other, 2);
      assertThat(shown(queue)).containsExactly(0L, 1L, 2L);
      assertMetrics(queue, "committed", 3, "aborted", 2, "claimed", 7);
    }
    openStalling();
    assertThat(producer.tryClaim(3)).isEqualTo(3);
    Producer<Point> other = producerOf(queue);
    put(other, -1);
    assertThat(whole(consumer.poll())).isEqualTo(-1);
    consumer.release();
    for (int i = 0; i < 5; ) {
      i += claimRun(other, 5 - i, i); // around what is out of use
    }
    assertThat(shown(queue)).containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  // ---- threads ----

  @Test
  void records_ofManyThreads_arriveOnceAndInOrderOfEach() throws Exception {
    int threads = 4;
    int records = 20_000;
    List<FutureTask<Object>> senders = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      long base = (long) t * records;
      Producer<Point> producer = producerOf(queue);
      senders.add(started(() -> send(producer, base, records)));
    }
    List<FutureTask<Object>> takers = new ArrayList<>();
    BitSet came = new BitSet();
    for (Consumer<Point> consumer : takersOf(queue)) {
      takers.add(started(() -> take(consumer, came, threads, records)));
    }
    for (FutureTask<Object> sender : senders) {
      sender.get();
    }
    queue.complete();
    for (FutureTask<Object> taker : takers) {
      taker.get();
    }
    assertThat(came.cardinality()).isEqualTo(threads * records);
    assertThat(queue.isDrained()).isTrue();
  }

  /** As many consumers as the kind allows to be at work. */
  abstract List<Consumer<Point>> takersOf(OffHeapQueue<Point> queue);

  private static Object send(Producer<Point> producer, long base, int records) throws Exception {
    for (int i = 0; i < records; ) {
      int count = producer.claim(1 + i % 3);
      if (i % 7 == 0) {
        producer.abort();
        count = producer.claim(1);
      }
      count = Math.min(count, records - i);
      for (int j = 0; j < count; j++) {
        producer.at(j).x(base + i + j).y((int) -(base + i + j));
      }
      producer.commit();
      i += count;
    }
    return null;
  }

  private static Object take(Consumer<Point> consumer, BitSet came, int threads, int records)
      throws Exception {
    long[] last = new long[threads];
    Arrays.fill(last, -1);
    Handler<Point> handler =
        point -> {
          long value = whole(point);
          int thread = (int) (value / records);
          assertThat(value).isGreaterThan(last[thread]);
          last[thread] = value;
          synchronized (came) {
            assertThat(came.get((int) value)).as("came before").isFalse();
            came.set((int) value);
          }
        };
    consumer.drain(handler, 5);
    int count;
    while ((count = consumer.poll(4)) > 0) {
      for (int i = 0; i < count; i++) {
        handler.handle(consumer.at(i));
      }
      consumer.release();
      consumer.drain(handler, 3);
    }
    return null;
  }
}
