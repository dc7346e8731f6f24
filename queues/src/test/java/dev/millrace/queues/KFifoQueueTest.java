package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a record that k others overtake, a cell that an abort loses, and an open claim or poll that
 * stops everybody else. First comes the contract with k of 1, where records leave in order.
 */
class KFifoQueueTest extends QueueContract {
  @Override
  OffHeapQueue<Point> make(QueueOptions options) {
    return KFifoQueue.of(TYPE, 1, options);
  }

  @Override
  int longestRun() {
    return 1;
  }

  @Override
  Producer<Point> producerOf(OffHeapQueue<Point> queue) {
    return ((KFifoQueue<Point>) queue).newProducer();
  }

  @Override
  Consumer<Point> consumerOf(OffHeapQueue<Point> queue) {
    return ((KFifoQueue<Point>) queue).newConsumer();
  }

  // ---- the order ----

  private KFifoQueue<Point> of(int k) {
    KFifoQueue<Point> queue = KFifoQueue.of(Point.class, k, 2 * CAPACITY);
    closeAfterwards(queue);
    return queue;
  }

  private static List<Long> emptied(KFifoQueue<Point> queue) {
    List<Long> values = new ArrayList<>();
    queue.newConsumer().drain(point -> values.add(whole(point)), Integer.MAX_VALUE);
    return values;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 16})
  void drain_afterCommits_returnsEachAtMostSoManyPlacesOff(int k) {
    KFifoQueue<Point> queue = of(k);
    assertThat(queue.k()).isEqualTo(k);
    int capacity = queue.capacity();
    Producer<Point> producer = queue.newProducer();
    for (int round = 0; round < 20; round++) {
      for (long i = 0; i < capacity; i++) {
        put(producer, i);
      }
      assertThat(queue.sizeEstimate()).isEqualTo(capacity);
      List<Long> values = emptied(queue);
      assertThat(values).hasSize(capacity).doesNotHaveDuplicates();
      for (long x = 0; x < capacity; x++) {
        long value = x;
        int place = values.indexOf(value);
        long earlier = values.subList(0, place).stream().filter(y -> y > value).count();
        assertThat(earlier).isLessThan(k);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void tryClaim_whenAsManyAreClaimedAsFit_isNullUntilAnAbort(int k) {
    KFifoQueue<Point> queue = of(k);
    List<Producer<Point>> open = new ArrayList<>();
    for (int i = 0; i < queue.capacity(); i++) {
      Producer<Point> producer = queue.newProducer();
      producer.tryClaim().x(i).y(-i);
      open.add(producer);
    }
    Producer<Point> another = queue.newProducer();
    assertThat(another.tryClaim()).isNull();
    open.removeLast().abort();
    another.tryClaim().x(-1).y(1);
    open.add(another);
    open.forEach(Producer::commit);
    assertThat(emptied(queue)).hasSize(queue.capacity());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void others_whileAClaimAndAPollStayOpen_goOn(int k) {
    KFifoQueue<Point> queue = of(k);
    Producer<Point> producer = queue.newProducer();
    put(producer, -1);
    Consumer<Point> slow = queue.newConsumer();
    Point polled = slow.tryPoll();
    Producer<Point> slower = queue.newProducer();
    Point claimed = slower.tryClaim();
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < queue.capacity() - 2; i++) {
        put(producer, i);
      }
      assertThat(emptied(queue)).hasSize(queue.capacity() - 2);
    }
    assertThat(whole(polled)).isEqualTo(-1);
    slow.release();
    claimed.x(7).y(-7);
    slower.commit();
    assertThat(emptied(queue)).containsExactly(7L);
  }

  @Test
  void of_whenArgumentsDoNotFit_namesThem() {
    for (int k : new int[] {-1, 0, 3, 32}) {
      Throws.illegalArgument(
          "k must be a power of two in 1..16: k=" + k, () -> KFifoQueue.of(Point.class, k, 16));
    }
    Throws.illegalArgument(
        "k must be a power of two in 1..4096: k=8192",
        () -> KFifoQueue.of(Point.class, 8192, 1 << 14));
    QueueOptions options = QueueOptions.ofCapacity(CAPACITY);
    assertRefused(options.withOnFull(OnFull.DROP_OLDEST), "onFull=DROP_OLDEST");
    assertRefused(options.withStallLimit(Duration.ofSeconds(1)), "stallNanos=1000000000");
  }

  @Test
  void complete_whileARecordIsInHand_isTheEndForNobody() throws Exception {
    open(consumersPark());
    put(producer, 1);
    consumer.tryPoll();
    queue.complete();
    Consumer<Point> other = consumerOf(queue);
    TestCall<Point> end = TestCall.of(other::poll).awaitResting();
    assertThat(queue.isDrained()).isFalse();
    consumer.release();
    assertThat(end.result()).as("woken by the release").isNull();
    assertThat(queue.isDrained()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  void records_ofManyThreads_leaveOnceAndWithinTheBound(int k) throws Exception {
    int threads = 3;
    int each = 1_500;
    KFifoQueue<Point> queue = of(k);
    KFifoLog log = new KFifoLog(threads * each);
    List<TestCall<Boolean>> consumers =
        TestCall.run(threads, () -> consume(queue.newConsumer(), log));
    TestCall.results(
        TestCall.each(
            threads, t -> () -> produce(queue.newProducer(), log, t * each, (t + 1) * each)));
    queue.complete();
    TestCall.results(consumers);
    assertThat(log.mostOvertakes()).isLessThan(k);
  }

  private static Object produce(Producer<Point> producer, KFifoLog log, int from, int to)
      throws Exception {
    for (int i = from; i < to; i++) {
      producer.claim().x(i).y(-i);
      log.commitBegins(i);
      producer.commit();
      log.commitHasEnded(i);
    }
    return null;
  }

  private static void consume(Consumer<Point> consumer, KFifoLog log) {
    while (!consumer.isDrained()) {
      long begin = System.nanoTime();
      Point point = consumer.tryPoll();
      if (point != null) {
        log.polled((int) whole(point), begin, System.nanoTime());
        consumer.release();
      }
    }
  }
}
