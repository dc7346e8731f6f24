package dev.millrace.queues;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KFifoQueueTest {
  private static final int CAPACITY = 16;

  private static KFifoQueue<Point> of(int k) {
    return KFifoQueue.of(k, CAPACITY, Point::new);
  }

  private static void put(KFifoQueue<Point> queue, long value) {
    Point point = queue.newFlyweight();
    assertThat(queue.tryClaim(point)).isTrue();
    point.value(value);
    queue.commit(point);
  }

  private static List<Long> emptied(KFifoQueue<Point> queue) {
    List<Long> values = new ArrayList<>();
    queue.drain(queue.newFlyweight(), point -> values.add(point.wholeValue()), Integer.MAX_VALUE);
    return values;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 16})
  void poll_afterCommits_returnsEachAtMostSoManyPlacesOff(int k) {
    KFifoQueue<Point> queue = of(k);
    assertThat(queue.k()).isEqualTo(k);
    for (int round = 0; round < 20; round++) {
      for (long i = 0; i < CAPACITY; i++) {
        put(queue, i);
      }
      assertThat(queue.sizeEstimate()).isEqualTo(CAPACITY);
      List<Long> values = emptied(queue);
      assertThat(values).hasSize(CAPACITY).doesNotHaveDuplicates();
      for (int x = 0; x < CAPACITY; x++) {
        int place = values.indexOf((long) x);
        long value = x;
        long earlier = values.subList(0, place).stream().filter(y -> y > value).count();
        assertThat(earlier).isLessThan(k);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void tryClaim_whenAsManyAreInUseAsFit_returnsFalse(int k) {
    KFifoQueue<Point> queue = of(k);
    List<Point> open = new ArrayList<>();
    for (int i = 0; i < CAPACITY; i++) {
      Point point = queue.newFlyweight();
      assertThat(queue.tryClaim(point)).isTrue();
      open.add(point);
    }
    Point one = queue.newFlyweight();
    assertThat(queue.tryClaim(one)).isFalse();
    assertThatThrownBy(one::value).isInstanceOf(IndexOutOfBoundsException.class);
    queue.abort(open.removeLast());
    assertThat(queue.tryClaim(one)).isTrue();
    open.add(one);
    for (int i = 0; i < CAPACITY; i++) {
      queue.commit(open.get(i).value(i));
    }
    assertThat(emptied(queue)).hasSize(CAPACITY);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void others_whenAClaimAndAPollStayOpen_goOn(int k) {
    KFifoQueue<Point> queue = of(k);
    put(queue, -1);
    Point polled = queue.newFlyweight();
    Point claimed = queue.newFlyweight();
    assertThat(queue.tryPoll(polled)).isTrue();
    assertThat(queue.tryClaim(claimed)).isTrue();
    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < CAPACITY - 2; i++) {
        put(queue, i);
      }
      assertThat(emptied(queue)).hasSize(CAPACITY - 2);
    }
    assertThat(polled.wholeValue()).isEqualTo(-1);
    queue.release(polled);
    claimed.value(7);
    queue.commit(claimed);
    assertThat(emptied(queue)).containsExactly(7L);
  }

  @Test
  void tryPoll_whenEmpty_returnsFalse() throws Exception {
    KFifoQueue<Point> queue = of(4);
    Point point = queue.newFlyweight();
    for (int i = 0; i < 100; i++) {
      assertThat(queue.tryPoll(point)).isFalse();
      put(queue, i);
      assertThat(queue.tryPoll(point)).isTrue();
      queue.release(point);
    }
    assertThatThrownBy(point::value).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(queue.poll(point, 5, MILLISECONDS)).isFalse();
    assertThat(queue.sizeEstimate()).isZero();
  }

  @Test
  void operations_whenMisused_sayWhat() {
    KFifoQueue<Point> queue = of(4);
    Point point = queue.newFlyweight();
    assertThatThrownBy(() -> queue.commit(point))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("claim must be open: none is");
    assertThatThrownBy(() -> queue.abort(point)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.release(point))
        .hasMessageStartingWith("poll must be open: none is");
    assertThat(queue.tryClaim(point)).isTrue();
    assertThatThrownBy(() -> queue.tryClaim(point))
        .hasMessageStartingWith("claim must be committed or aborted before the next");
    assertThatThrownBy(() -> queue.tryPoll(point)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.release(point)).isInstanceOf(IllegalStateException.class);
    queue.commit(point);
    assertThatThrownBy(() -> queue.commit(point)).isInstanceOf(IllegalStateException.class);
    assertThat(queue.tryPoll(point)).isTrue();
    assertThatThrownBy(() -> queue.tryPoll(point))
        .hasMessageStartingWith("poll must be released before the next");
    assertThatThrownBy(() -> queue.tryPoll(of(4).newFlyweight()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("flyweight must be made by newFlyweight() of the same");
  }

  @Test
  void of_whenArgumentsDoNotFit_saysSo() {
    for (int k : new int[] {-1, 0, 3, 32}) {
      assertThatThrownBy(() -> of(k))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("k must be a power of two in 1..16: k=" + k);
    }
    assertThatThrownBy(() -> KFifoQueue.of(8192, 1 << 14, Point::new))
        .hasMessage("k must be a power of two in 1..4096: k=8192");
    QueueOptions options = QueueOptions.ofCapacity(4);
    assertThatThrownBy(
            () ->
                KFifoQueue.of(
                    2, options.withWhenFull(QueueOptions.WhenFull.DROP_NEWEST), Point::new))
        .hasMessage("whenFull must be WAIT in a KFifoQueue: whenFull=DROP_NEWEST");
    assertThatThrownBy(
            () -> KFifoQueue.of(2, options.withStallLimit(Duration.ofSeconds(1)), Point::new))
        .hasMessage("stallNanos must be FOREVER in a KFifoQueue: stallNanos=1000000000");
  }

  @Test
  void complete_whenAClaimIsOpen_waitsForItsEnd() {
    KFifoQueue<Point> queue = of(4);
    put(queue, 1);
    Point claimed = queue.newFlyweight();
    assertThat(queue.tryClaim(claimed)).isTrue();
    queue.complete();
    assertThat(queue.isClosed()).isTrue();
    assertThatThrownBy(() -> queue.tryClaim(queue.newFlyweight()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("queue must be open to claim");
    assertThat(emptied(queue)).containsExactly(1L);
    assertThat(queue.isDrained()).isFalse();
    claimed.value(2);
    queue.commit(claimed);
    Point polled = queue.newFlyweight();
    Point other = queue.newFlyweight();
    assertThat(queue.tryPoll(polled)).isTrue();
    assertThat(queue.tryPoll(other)).isFalse();
    assertThat(queue.isDrained()).isFalse();
    queue.release(polled);
    assertThat(queue.tryPoll(other)).isFalse();
    assertThat(queue.isDrained()).isTrue();
    queue.close();
  }

  @Test
  void close_whenRecordsAreLeft_freesBehindThem() {
    KFifoQueue<Point> queue = of(2);
    put(queue, 1);
    put(queue, 2);
    queue.close();
    assertThat(emptied(queue)).containsExactlyInAnyOrder(1L, 2L);
    assertThat(queue.tryPoll(new Point(queue.memory()))).isFalse();
    assertThat(queue.isDrained()).isTrue();
    assertThatThrownBy(queue::newFlyweight).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(queue::close).hasMessageStartingWith("queue must be closed only once");
    assertThat(queue.sizeEstimate()).isZero();
  }

  @Test
  void drain_whenAHandlerThrows_keepsTheRest() {
    KFifoQueue<Point> queue = of(1);
    put(queue, 1);
    put(queue, 2);
    Point point = queue.newFlyweight();
    assertThatThrownBy(
            () ->
                queue.drain(
                    point,
                    one -> {
                      throw new IllegalStateException("handler");
                    },
                    2))
        .hasMessage("handler");
    assertThat(emptied(queue)).containsExactly(2L);
  }

  @Test
  void claim_whenFull_waits() throws Exception {
    WaitStrategy parking = WaitStrategy.parking();
    QueueOptions options = QueueOptions.ofCapacity(CAPACITY).withProducerWaits(parking);
    KFifoQueue<Point> queue = KFifoQueue.of(4, options, Point::new);
    for (int i = 0; i < CAPACITY; i++) {
      put(queue, i);
    }
    Point late = queue.newFlyweight();
    assertThat(queue.claim(late, 5, MILLISECONDS)).isFalse();
    AtomicInteger claimed = new AtomicInteger();
    Thread producer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    claimed.set(queue.claim(late) ? 1 : 2);
                  } catch (InterruptedException e) {
                    claimed.set(3);
                  }
                });
    OffHeapQueueContract.awaitParked(producer, parking);
    assertThat(claimed).hasValue(0);
    Point point = queue.newFlyweight();
    assertThat(queue.poll(point)).isTrue();
    queue.release(point);
    producer.join();
    assertThat(claimed).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  void records_ofManyThreads_leaveOnceAndWithinTheBound(int k) throws Exception {
    int threads = 3;
    int each = 1_500;
    KFifoQueue<Point> queue = of(k);
    KFifoLog log = new KFifoLog(threads * each);
    List<Thread> producers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = t * each;
      producers.add(Thread.ofPlatform().start(() -> produce(queue, log, first, first + each)));
    }
    List<Thread> consumers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      consumers.add(Thread.ofPlatform().start(() -> consume(queue, log)));
    }
    for (Thread producer : producers) {
      producer.join();
    }
    queue.complete();
    for (Thread consumer : consumers) {
      consumer.join();
    }
    assertThat(log.mostOvertakes()).isLessThan(k);
  }

  private static void produce(KFifoQueue<Point> queue, KFifoLog log, int from, int to) {
    Point point = queue.newFlyweight();
    for (int i = from; i < to; i++) {
      while (!queue.tryClaim(point)) {
        Thread.yield();
      }
      point.value(i);
      log.commitBegins(i);
      queue.commit(point);
      log.commitHasEnded(i);
    }
  }

  private static void consume(KFifoQueue<Point> queue, KFifoLog log) {
    Point point = queue.newFlyweight();
    while (!queue.isDrained()) {
      long begin = System.nanoTime();
      if (queue.tryPoll(point)) {
        log.polled((int) point.wholeValue(), begin, System.nanoTime());
        queue.release(point);
      }
    }
  }
}
