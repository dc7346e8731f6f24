package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a slot that is taken for free while one of several consumers has it in hand, a record that
 * two of them get, and a drop of the oldest that takes what somebody is reading.
 */
class MpmcQueueTest extends StampedContract {
  @Override
  OffHeapQueue<Point> make(QueueOptions options) {
    return MpmcQueue.of(TYPE, options);
  }

  @Override
  Producer<Point> producerOf(OffHeapQueue<Point> queue) {
    return ((MpmcQueue<Point>) queue).newProducer();
  }

  @Override
  Point strictPoll() throws InterruptedException {
    return ((MpmcConsumer<Point>) consumer).strictPoll();
  }

  @Override
  Consumer<Point> consumerOf(OffHeapQueue<Point> queue) {
    return ((MpmcQueue<Point>) queue).newConsumer();
  }

  @Override
  List<Consumer<Point>> takersOf(OffHeapQueue<Point> queue) {
    return List.of(consumerOf(queue), consumerOf(queue), consumerOf(queue));
  }

  @Test
  void ends_areAsManyAsOneLikesAtEitherSide() {
    try (MpmcQueue<Point> queue = MpmcQueue.of(Point.class, 16)) {
      assertThat(queue.newProducer()).isNotSameAs(queue.newProducer());
      assertThat(queue.newConsumer()).isNotSameAs(queue.newConsumer());
      assertThat(queue.newConsumer())
          .hasToString("MpmcConsumer of MpmcQueue[capacity=16, size~0, open]");
    }
  }

  // ---- records in the hands of several consumers ----

  @Test
  void polls_ofTwoConsumers_shareOutRunsAndRecords() {
    fill();
    Consumer<Point> other = consumerOf(queue);
    assertThat(consumer.tryPoll(3)).isEqualTo(3);
    assertThat(whole(other.tryPoll())).isEqualTo(3);
    assertThat(whole(consumer.at(2))).isEqualTo(2);
    other.release();
    assertThat(pollRun(other, 100, 4)).isEqualTo(4);
    assertThat(other.tryPoll()).isNull();
    assertThat(consumer.at(0).x()).isZero();
  }

  @Test
  void drain_whileAnotherConsumerTakesToo_takesOneByOne() {
    fill();
    Consumer<Point> other = consumerOf(queue);
    long[] next = {0};
    int drained =
        consumer.drain(
            point -> {
              assertThat(whole(point)).isEqualTo(next[0]);
              assertThat(take(other)).isEqualTo(next[0] + 1);
              next[0] += 2;
            },
            CAPACITY);
    assertThat(drained).isEqualTo(CAPACITY / 2);
  }

  @Test
  void tryClaim_whileTheOldestSlotIsInHand_isNull_butStrictClaimWaits() throws Exception {
    open(bothPark());
    fill();
    MpmcProducer<Point> producer = (MpmcProducer<Point>) this.producer;
    assertThat(producer.strictClaim()).as("truly full").isNull();
    Consumer<Point> later = consumerOf(queue);
    consumer.tryPoll();
    assertThat(take(later)).isEqualTo(1);
    assertThat(producer.tryClaim()).as("a later slot is free").isNull();
    TestCall<Point> claimed = TestCall.of(producer::strictClaim).awaitResting();
    consumer.release();
    claimed.result().x(8).y(-8);
    producer.commit();
    assertThat(producer.strictClaim()).as("the slot of 1").isNotNull();
    producer.abort();
    queue.complete();
    Throws.illegalState("...", producer::strictClaim);
  }

  @Test
  void end_whileAnotherConsumerHasTheLastRecordInHand_isToldToAll() throws Exception {
    open(bothPark());
    put(producer, 1);
    consumer.tryPoll();
    Consumer<Point> other = consumerOf(queue);
    TestCall<Point> end = TestCall.of(other::poll).awaitResting();
    queue.complete();
    assertThat(end.result()).isNull();
    assertThat(other.isDrained()).as("nothing more will come").isTrue();
    assertThat(queue.isDrained()).as("one record is in hand").isFalse();
    assertThat(queue.awaitDrained(Duration.ofMillis(2))).isFalse();
    consumer.release();
    assertThat(queue.isDrained()).isTrue();
  }

  // ---- full ----

  private static QueueOptions dropsOldest() {
    return bothPark().withOnFull(OnFull.DROP_OLDEST);
  }

  @Test
  void claim_whereFullDropsTheOldest_keepsTheLatestInOrder() throws Exception {
    open(dropsOldest());
    fill();
    for (int i = CAPACITY; i < 3 * CAPACITY; i++) {
      assertThat(producer.tryClaim()).as("drops nothing").isNull();
      producer.claim().x(i).y(-i);
      producer.commit();
    }
    assertMetrics(queue, "dropped", 2 * CAPACITY, "consumed", 0, "committed", CAPACITY);
    assertThat(producer.claim(3)).as("as many as are free").isEqualTo(1);
    producer.abort();
    assertMetrics(queue, "dropped", 2 * CAPACITY + 1, "size", CAPACITY);
    assertThat(pollRun(consumer, CAPACITY, 2 * CAPACITY + 1)).isEqualTo(CAPACITY - 1);
  }

  @Test
  void claim_whereFullDropsTheOldest_waitsForWhatIsInHandAndForOpenClaims() throws Exception {
    open(dropsOldest());
    Producer<Point> other = producerOf(queue);
    fill();
    assertThat(consumer.tryPoll(2)).isEqualTo(2);
    TestCall<Integer> claimed = TestCall.of(() -> other.claim(2)).awaitResting();
    assertMetrics(queue, "dropped", 0);
    consumer.release();
    assertThat(claimed.result()).isEqualTo(2);
    assertThat(consumer.tryPoll(CAPACITY)).isEqualTo(CAPACITY - 2);
    consumer.release();
    assertThat(producer.tryClaim(CAPACITY)).isEqualTo(CAPACITY - 2);
    producer.commit();
    assertThat(producer.claim(Duration.ofMillis(2))).as("the oldest is open").isNull();
    other.abort();
    assertThat(producer.claim()).isNotNull();
  }
}
