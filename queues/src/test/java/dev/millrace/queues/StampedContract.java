package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
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

  abstract Point strictPoll() throws InterruptedException;

  @Test
  void strictPoll_waitsForTheOldestClaim_andTellsTruthfullyThatThereIsNone() throws Exception {
    open(consumersPark());
    assertThat(strictPoll()).isNull();
    producer.tryClaim();
    put(producerOf(queue), 1);
    TestCall<Point> polled = TestCall.of(this::strictPoll).awaitResting();
    producer.abort();
    assertThat(whole(polled.result())).isEqualTo(1);
    consumer.release();
    assertThat(strictPoll()).isNull();
    producer.tryClaim();
    polled = TestCall.of(this::strictPoll).awaitResting();
    queue.close();
    assertThat(polled.result()).as("closed beside an open claim").isNull();
    assertThat(strictPoll()).isNull();
  }

  @Test
  void strictPoll_whenInterruptedOrClosed_losesNothing() throws Exception {
    open(consumersPark());
    producer.tryClaim();
    Thread.currentThread().interrupt();
    Throws.a(InterruptedException.class, this::strictPoll);
    producer.at(0).x(1).y(-1);
    producer.commit();
    assertThat(whole(strictPoll())).isEqualTo(1);
    consumer.release();
    producer.tryClaim();
    TestCall<Point> polled = TestCall.of(this::strictPoll).awaitResting();
    producer.abort();
    assertThat(polled.result()).as("the claim is gone").isNull();
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
    Throws.illegalState("claim was given up...", producer::commit);
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
    Throws.illegalState("claim was given up...", producer::commit);
  }

  @Test
  void claim_thatWaitsWhenTheLastSlotIsGivenUp_throws() throws Exception {
    open(
        QueueOptions.ofCapacity(CAPACITY)
            .withStallLimit(STALL)
            .withProducerWaits(WaitStrategy.parking()));
    Producer<Point> other = producerOf(queue);
    assertThat(producer.tryClaim(CAPACITY)).isEqualTo(CAPACITY);
    TestCall<Point> claim = TestCall.of(other::claim).awaitResting();
    while (!claim.isOver()) {
      assertThat(consumer.poll(STALL)).isNull();
    }
    assertThat(claim.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no room left: stalled producers hold all of it, capacity=8");
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
    Throws.illegalState(
        "no room left: stalled producers hold all of it, capacity=8", other::tryClaim);
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
    int records = 4_000;
    BitSet came = new BitSet();
    List<Consumer<Point>> consumers = takersOf(queue);
    List<TestCall<Boolean>> takers =
        TestCall.each(consumers.size(), i -> () -> take(consumers.get(i), came, threads, records));
    TestCall.results(
        TestCall.each(threads, t -> () -> send(producerOf(queue), (long) t * records, records)));
    queue.complete();
    TestCall.results(takers);
    assertThat(came.cardinality()).isEqualTo(threads * records);
    assertThat(queue.isDrained()).isTrue();
  }

  /** As many consumers as the kind allows to be at work. */
  abstract List<Consumer<Point>> takersOf(OffHeapQueue<Point> queue);

  private static boolean send(Producer<Point> producer, long base, int records) throws Exception {
    for (int i = 0; i < records; ) {
      int count = producer.claim(Math.min(1 + i % 3, records - i));
      if (i % 7 == 0) {
        producer.abort();
        count = producer.claim(1);
      }
      for (int j = 0; j < count; j++) {
        producer.at(j).x(base + i + j).y((int) -(base + i + j));
      }
      producer.commit();
      i += count;
    }
    return true;
  }

  private static boolean take(Consumer<Point> consumer, BitSet came, int threads, int records)
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
    return true;
  }
}
