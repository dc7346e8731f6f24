package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the ends of every queue do. */
@Timeout(60)
abstract class QueueContract {
  static final int CAPACITY = 8;
  static final FlyweightType<Point> TYPE = FlyweightType.of(Point.class);

  interface Point {
    long x();

    Point x(long value);

    int y();

    Point y(int value);
  }

  /** Makes a queue of the kind. */
  abstract OffHeapQueue<Point> make(QueueOptions options);

  /** A producer, or the only one. */
  abstract Producer<Point> producerOf(OffHeapQueue<Point> queue);

  /** How many records a run of this kind can have. */
  int longestRun() {
    return CAPACITY;
  }

  /** A consumer, or the only one. */
  abstract Consumer<Point> consumerOf(OffHeapQueue<Point> queue);

  OffHeapQueue<Point> queue;
  Producer<Point> producer;
  Consumer<Point> consumer;
  private final List<OffHeapQueue<Point>> queues = new ArrayList<>();

  @BeforeEach
  void open() {
    open(QueueOptions.ofCapacity(CAPACITY));
  }

  /** Opens a queue and an end of it at either side. */
  final void open(QueueOptions options) {
    queue = make(options);
    producer = producerOf(queue);
    consumer = consumerOf(queue);
    closeAfterwards(queue);
  }

  static QueueOptions consumersPark() {
    return QueueOptions.ofCapacity(CAPACITY).withConsumerWaits(WaitStrategy.parking());
  }

  static QueueOptions bothPark() {
    return consumersPark().withProducerWaits(WaitStrategy.parking());
  }

  final void closeAfterwards(OffHeapQueue<Point> queue) {
    queues.add(queue);
  }

  @AfterEach
  void closeAll() {
    queues.forEach(OffHeapQueue::close);
  }

  static void put(Producer<Point> producer, long value) {
    Point point = producer.tryClaim();
    assertThat(point).as("a view, for %d", value).isNotNull();
    point.x(value).y((int) -value);
    producer.commit();
  }

  final void fill() {
    for (int i = 0; i < CAPACITY; i++) {
      put(producer, i);
    }
  }

  static long take(Consumer<Point> consumer) {
    Point point = consumer.tryPoll();
    assertThat(point).isNotNull();
    long value = whole(point);
    consumer.release();
    return value;
  }

  static long whole(Point point) {
    assertThat(point.y()).isEqualTo((int) -point.x());
    return point.x();
  }

  static FutureTask<Object> started(Callable<Object> task) {
    FutureTask<Object> future = new FutureTask<>(task);
    Thread.ofPlatform().daemon().start(future);
    return future;
  }

  /** Starts a task that parks, and returns once it has. */
  static FutureTask<Object> parked(Callable<Object> task) {
    FutureTask<Object> future = new FutureTask<>(task);
    Thread thread = Thread.ofPlatform().daemon().start(future);
    while (thread.isAlive()
        && thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.yield();
    }
    return future;
  }

  // ---- one by one ----

  @Test
  void records_throughManyLaps_arriveInOrder() {
    for (int i = 0; i < 10 * CAPACITY; i++) {
      put(producer, i);
      put(producer, -i);
      assertThat(take(consumer)).isEqualTo(i);
      assertThat(take(consumer)).isEqualTo(-i);
    }
    assertThat(consumer.tryPoll()).isNull();
  }

  @Test
  void tryClaim_whenFull_isNullUntilARelease() throws Exception {
    fill();
    assertThat(producer.tryClaim()).isNull();
    assertThat(producer.tryClaim(3)).isZero();
    assertThat(producer.claim(Duration.ofMillis(5))).isNull();
    assertThat(producer.claim(Duration.ZERO)).isNull();
    assertThat(queue.sizeEstimate()).isEqualTo(CAPACITY);
    assertThat(consumer.tryPoll()).isNotNull();
    assertThat(producer.tryClaim()).as("not released yet").isNull();
    consumer.release();
    put(producer, CAPACITY);
    for (int i = 1; i <= CAPACITY; i++) {
      assertThat(take(consumer)).isEqualTo(i);
    }
  }

  @Test
  void poll_whenEmpty_isNullInTime() throws Exception {
    assertThat(consumer.tryPoll()).isNull();
    assertThat(consumer.tryPoll(5)).isZero();
    assertThat(consumer.poll(Duration.ofMillis(5))).isNull();
    assertThat(consumer.poll(Duration.ofSeconds(-1))).isNull();
    assertThat(consumer.drain(point -> {}, 5)).isZero();
  }

  @Test
  void waitingForms_whenTheyNeedNotWait_areAsTheOthers() throws Exception {
    producer.claim().x(1).y(-1);
    producer.commit();
    producer.claim(Duration.ofDays(1)).x(2).y(-2);
    producer.commit();
    assertThat(producer.claim(3)).isEqualTo(Math.min(3, longestRun()));
    producer.abort();
    assertThat(whole(consumer.poll())).isEqualTo(1);
    consumer.release();
    assertThat(whole(consumer.poll(Duration.ofDays(1)))).isEqualTo(2);
    consumer.release();
    put(producer, 3);
    assertThat(consumer.poll(5)).isEqualTo(1);
  }

  @Test
  void abort_ofARecordOrARun_leavesNothing() {
    producer.tryClaim().x(7);
    producer.abort();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(producer.tryClaim(3)).isEqualTo(Math.min(3, longestRun()));
    producer.abort();
    put(producer, 1);
    assertThat(take(consumer)).isEqualTo(1);
    assertThat(consumer.tryPoll()).isNull();
  }

  @Test
  void claim_whereFullDropsTheNewest_isNullAtOnce() throws Exception {
    open(QueueOptions.ofCapacity(CAPACITY).withOnFull(OnFull.DROP_NEWEST));
    fill();
    assertThat(producer.claim()).isNull();
    assertThat(producer.claim(4)).isZero();
    assertThat(producer.tryClaim()).as("of no use, but not dropped").isNull();
    assertThat(producer.claim(Duration.ofMillis(1))).as("waits instead").isNull();
    assertMetrics(queue, "dropped", 1 + 4, "committed", CAPACITY);
    assertThat(take(consumer)).isZero();
  }

  @Test
  void of_withOptionsThatNoKindCanHave_namesThem() {
    QueueOptions options = QueueOptions.ofCapacity(CAPACITY);
    assertRefused(options.withOnFull(OnFull.SIGNAL), "onFull=SIGNAL");
  }

  final void assertRefused(QueueOptions options, String part) {
    assertThatThrownBy(() -> make(options))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(part);
  }

  // ---- views ----

  @Test
  void view_whenNothingIsInHand_throws() {
    Point in = producer.tryClaim();
    in.x(1).y(-1);
    producer.commit();
    assertOff(in);
    Point out = consumer.tryPoll();
    consumer.release();
    assertOff(out);
    assertThat(producer.tryClaim()).as("the same view").isSameAs(in);
    producer.abort();
    assertOff(in);
    int count = producer.tryClaim(2);
    producer.at(count - 1).x(5);
    producer.abort();
    assertOff(in);
    put(producer, 3);
    consumer.drain(point -> assertThat(point).isSameAs(out), 1);
    assertOff(out);
  }

  private static void assertOff(Point view) {
    assertThatThrownBy(view::x).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> view.y(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  // ---- metrics ----

  /** Those metrics that the kind has, of the given ones. */
  static void assertMetrics(OffHeapQueue<Point> queue, Object... namesAndValues) {
    Map<String, Long> metrics = queue.metrics();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      String name = (String) namesAndValues[i];
      long expected = ((Number) namesAndValues[i + 1]).longValue();
      assertThat(metrics.getOrDefault(name, expected)).as(name).isEqualTo(expected);
    }
  }

  private boolean isOf(Class<?> kind) {
    return kind.isInstance(queue);
  }

  @Test
  void metrics_ofRecordsAndRuns_countEach() {
    assertThat(queue.counters())
        .doesNotHaveDuplicates()
        .doesNotContainAnyElementsOf(queue.gauges());
    assertThat(queue.gauges()).doesNotHaveDuplicates();
    assertThat(queue.metrics())
        .containsEntry("capacity", (long) CAPACITY)
        .containsKeys("size", "dropped", "highWater");
    long[] next = new long[2];
    for (int round = 0; round < 40; round++) {
      for (int left = 1 + round % 7; left > 0; ) {
        int count = claimRun(producer, left, next[0]);
        next[0] += count;
        left -= count;
      }
      assertMetrics(queue, "size", next[0] - next[1]);
      assertMetrics(queue, "claimed", next[0], "committed", next[0], "consumed", next[1]);
      for (int left = round % 7; left > 0; ) { // one stays, and a run is taken in parts
        int count = pollRun(consumer, Math.min(left, 3), next[1]);
        next[1] += count;
        left -= count;
        assertMetrics(queue, "size", next[0] - next[1]);
        assertMetrics(queue, "claimed", next[0], "committed", next[0], "consumed", next[1]);
      }
      next[1] += pollRun(consumer, 1, next[1]);
    }
    assertMetrics(queue, "highWater", 7, "dropped", 0, "aborted", 0, "outOfUse", 0);
    assertThatThrownBy(() -> queue.readMetrics(new long[3]))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void metrics_whileAClaimOrAPollIsOpen_areAsTheKindSays() {
    put(producer, 0);
    int count = producer.tryClaim(2);
    assertMetrics(queue, "claimed", 1 + count, "committed", 1, "consumed", 0);
    producer.commit();
    assertMetrics(queue, "claimed", 1 + count, "committed", 1 + count, "consumed", 0);
    consumer.tryPoll();
    int inHand = isOf(MpmcQueue.class) ? 1 : 0;
    assertMetrics(queue, "committed", 1 + count, "consumed", inHand);
    consumer.release();
    assertMetrics(queue, "committed", 1 + count, "consumed", 1, "size", count);
  }

  @Test
  void metrics_afterTheEnd_stay() {
    put(producer, 1);
    put(producer, 2);
    producer.tryClaim();
    producer.abort();
    int aborted = isOf(StampedQueue.class) ? 1 : 0;
    assertMetrics(queue, "claimed", 2 + aborted, "committed", 2, "aborted", aborted);
    queue.complete();
    take(consumer);
    assertMetrics(queue, "committed", 2, "consumed", 1);
    take(consumer);
    queue.close();
    assertMetrics(queue, "claimed", 2 + aborted, "committed", 2, "consumed", 2, "size", 0);
    assertMetrics(queue, "aborted", aborted, "stalled", 0, "refused", 0, "capacity", 8);
  }

  @Test
  void metrics_ofRandomOperations_addUp() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      open(QueueOptions.ofCapacity(CAPACITY));
      boolean countsAborts = isOf(StampedQueue.class);
      long[] next = new long[3];
      for (int step = 0; step < 500; step++) {
        int limit = 1 + random.nextInt(CAPACITY);
        switch (random.nextInt(4)) {
          case 0 -> next[0] += claimRun(producer, limit, next[0]);
          case 1 -> next[1] += pollRun(consumer, limit, next[1]);
          case 2 -> next[1] += consumer.drain(point -> {}, limit);
          default -> {
            int count = producer.tryClaim(limit);
            if (count > 0) {
              producer.abort();
              next[2] += countsAborts ? count : 0;
            }
          }
        }
        assertMetrics(queue, "claimed", next[0] + next[2], "committed", next[0]);
        assertMetrics(queue, "consumed", next[1], "aborted", next[2]);
      }
    }
  }

  // ---- snapshots ----

  static List<Long> shown(OffHeapQueue<Point> queue) {
    List<Long> values = new ArrayList<>();
    assertThat(queue.snapshot(point -> values.add(whole(point)))).isEqualTo(values.size());
    return values;
  }

  @Test
  void snapshot_showsWhatIsCommitted_oldestFirst_andLeavesIt() {
    assertThat(shown(queue)).isEmpty();
    for (int lap = 0; lap < 2 * CAPACITY; lap++) {
      long first = 4L * lap;
      put(producer, first);
      for (int put = 1; put < 4; ) {
        put += claimRun(producer, 4 - put, first + put);
      }
      int open = producer.tryClaim(2);
      producer.at(open - 1).x(-1).y(-1);
      for (int again = 0; again < 2; again++) {
        assertThat(shown(queue)).containsExactly(first, first + 1, first + 2, first + 3);
      }
      producer.abort();
      int taken = pollRun(consumer, 1, first);
      taken += pollRun(consumer, 1, first + taken);
      assertThat(shown(queue)).containsExactly(first + 2, first + 3);
      while (taken < 4) {
        taken += pollRun(consumer, 2, first + taken);
      }
      assertThat(shown(queue)).isEmpty();
    }
    assertThat(consumer.tryPoll()).as("past what was aborted").isNull();
    fill();
    assertThat(shown(queue)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    queue.complete();
    assertThat(shown(queue)).hasSize(CAPACITY);
    queue.close();
    assertThat(shown(queue)).isEmpty();
  }

  /** To one consumer a record is there until it is released; of many, none else gets it. */
  @Test
  void snapshot_whileAPollIsOpen_isAsTheKindSays() {
    for (int i = 0; i < 3; i++) {
      put(producer, i);
    }
    consumer.tryPoll();
    boolean isShared = isOf(MpmcQueue.class) || isOf(KFifoQueue.class);
    assertThat(shown(queue)).isEqualTo(isShared ? List.of(1L, 2L) : List.of(0L, 1L, 2L));
    assertThat(consumer.at(0).x()).isZero();
    consumer.release();
    assertThat(shown(queue)).containsExactly(1L, 2L);
  }

  @Test
  void snapshot_whoseViewerWritesOrThrows_leavesTheQueueAsItIs() {
    put(producer, 1);
    put(producer, 2);
    assertThat(queue.snapshot(point -> point.x(-1))).isEqualTo(2);
    assertThatThrownBy(() -> queue.snapshot(null)).isInstanceOf(NullPointerException.class);
    IllegalStateException thrown = new IllegalStateException("the viewer's");
    assertThatThrownBy(
            () ->
                queue.snapshot(
                    point -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(take(consumer)).isEqualTo(1);
    assertThat(take(consumer)).isEqualTo(2);
  }

  @Test
  void snapshot_whileBothSidesWork_showsWholeRecordsInOrder() throws Exception {
    FutureTask<Object> sender =
        started(
            () -> {
              for (long next = 0; !queue.isCompleted(); ) {
                try {
                  next += claimRun(producer, 3, next);
                } catch (IllegalStateException e) {
                  assertThat(queue.isCompleted()).isTrue();
                }
              }
              return null;
            });
    FutureTask<Object> taker =
        started(
            () -> {
              consumer.forEach(QueueContract::whole);
              return null;
            });
    int shown = 0;
    try {
      while (shown < 500 && !sender.isDone() && !taker.isDone()) {
        List<Long> values = shown(queue);
        assertThat(values).isSorted().doesNotHaveDuplicates();
        shown += values.size();
      }
    } finally {
      queue.complete();
    }
    sender.get();
    taker.get();
    assertThat(shown).isGreaterThanOrEqualTo(500);
  }

  // ---- misuse ----

  @Test
  void misuse_isRefusedAndChangesNothing() {
    assertMisuse(producer::commit, "claim must be open: none is");
    assertMisuse(producer::abort, "claim must be open: none is");
    assertMisuse(consumer::release, "poll must be open: none is");
    assertThatThrownBy(() -> producer.at(0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> consumer.at(0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> producer.tryClaim(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit=0");
    assertThatThrownBy(() -> consumer.tryPoll(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit=-1");
    assertThatThrownBy(() -> consumer.drain(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> consumer.forEach(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> consumer.poll(null)).isInstanceOf(NullPointerException.class);

    producer.tryClaim().x(1).y(-1);
    assertMisuse(producer::tryClaim, "claim must be committed or aborted before the next");
    assertMisuse(() -> producer.tryClaim(2), "claim must be committed or aborted before the next");
    assertThatThrownBy(() -> producer.at(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> producer.at(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    producer.commit();

    consumer.tryPoll();
    assertMisuse(consumer::tryPoll, "poll must be released before the next");
    assertMisuse(() -> consumer.tryPoll(2), "poll must be released before the next");
    assertMisuse(() -> consumer.drain(point -> {}, 1), "poll must be released before the next");
    assertThat(whole(consumer.at(0))).isEqualTo(1);
    consumer.release();
    put(producer, 2);
    assertThat(take(consumer)).isEqualTo(2);
  }

  private static void assertMisuse(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(message);
  }

  // ---- runs ----

  @Test
  void runs_areContiguousAndEndWithTheRing() {
    assertThat(claimRun(producer, 5, 0)).isEqualTo(5);
    assertThat(pollRun(consumer, 100, 0)).isEqualTo(5);
    assertThat(claimRun(producer, 100, 5)).as("to the end of the ring").isEqualTo(3);
    assertThat(claimRun(producer, 100, 8)).as("what is free").isEqualTo(5);
    assertThat(producer.tryClaim(1)).isZero();
    assertThat(pollRun(consumer, 2, 5)).isEqualTo(2);
    assertThat(pollRun(consumer, 100, 7)).as("to the end of the ring").isEqualTo(1);
    assertThat(pollRun(consumer, 100, 8)).isEqualTo(5);
    assertThat(consumer.tryPoll(1)).isZero();
  }

  static int claimRun(Producer<Point> producer, int limit, long first) {
    int count = producer.tryClaim(limit);
    for (int i = 0; i < count; i++) {
      producer.at(i).x(first + i).y((int) -(first + i));
    }
    if (count > 0) {
      producer.commit();
    }
    return count;
  }

  static int pollRun(Consumer<Point> consumer, int limit, long first) {
    int count = consumer.tryPoll(limit);
    for (int i = 0; i < count; i++) {
      assertThat(whole(consumer.at(i))).isEqualTo(first + i);
    }
    if (count > 0) {
      consumer.release();
    }
    return count;
  }

  @Test
  void tryClaim_ofARun_isOnItsFirstRecord() {
    producer.tryClaim(2);
    producer.at(1);
    producer.at(0).x(1).y(-1);
    producer.at(1).x(2).y(-2);
    producer.commit();
    assertThat(take(consumer)).isEqualTo(1);
    assertThat(take(consumer)).isEqualTo(2);
  }

  // ---- handlers ----

  @Test
  void drain_whenTheHandlerThrows_hasConsumedThatRecordAndKeepsTheLater() {
    for (int i = 0; i < 4; i++) {
      put(producer, i);
    }
    List<Long> seen = new ArrayList<>();
    assertThatThrownBy(
            () ->
                consumer.drain(
                    point -> {
                      seen.add(whole(point));
                      if (point.x() == 1) {
                        throw new IllegalArgumentException("the handler's");
                      }
                    },
                    4))
        .hasMessage("the handler's");
    assertThat(seen).containsExactly(0L, 1L);
    assertThat(queue.sizeEstimate()).isEqualTo(2);
    assertThat(take(consumer)).isEqualTo(2);
  }

  @Test
  void drain_withinAHandler_isRefused() {
    put(producer, 1);
    put(producer, 2);
    int count =
        consumer.drain(
            point -> {
              assertMisuse(consumer::tryPoll, "poll must be released");
              assertMisuse(consumer::release, "poll must be open");
              assertThatThrownBy(() -> consumer.at(0))
                  .isInstanceOf(IndexOutOfBoundsException.class);
            },
            1);
    assertThat(count).isEqualTo(1);
    assertThat(take(consumer)).isEqualTo(2);
  }

  // ---- the end ----

  @Test
  void complete_deliversWhatWasCommitted_andRefusesClaims() throws Exception {
    put(producer, 1);
    put(producer, 2);
    assertThat(queue.isCompleted()).isFalse();
    queue.complete();
    queue.complete();
    assertThat(queue.isCompleted()).isTrue();
    assertThat(queue.isDrained()).isFalse();
    assertThat(queue.awaitDrained(Duration.ofMillis(2))).isFalse();
    assertMisuse(producer::tryClaim, "queue must not be completed");
    assertMisuse(() -> producer.tryClaim(2), "queue must not be completed");
    assertThatThrownBy(() -> producer.claim()).isInstanceOf(IllegalStateException.class);
    List<Long> seen = new ArrayList<>();
    consumer.forEach(point -> seen.add(whole(point)));
    assertThat(seen).containsExactly(1L, 2L);
    assertThat(consumer.poll()).isNull();
    assertThat(consumer.poll(3)).isZero();
    assertThat(consumer.poll(Duration.ofDays(1))).isNull();
    assertThat(consumer.isDrained()).isTrue();
    assertThat(queue.awaitDrained(Duration.ofDays(1))).isTrue();
  }

  @Test
  void complete_besideAnOpenClaim_waitsForIt() {
    producer.tryClaim().x(1).y(-1);
    queue.complete();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(queue.isDrained()).as("the claim may be committed").isFalse();
    producer.commit();
    assertThat(take(consumer)).isEqualTo(1);
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void complete_besideAClaimThatIsAborted_isDrained() throws Exception {
    open(consumersPark());
    producer.tryClaim();
    queue.complete();
    FutureTask<Object> end = parked(() -> consumer.poll());
    producer.abort();
    assertThat(end.get()).isNull();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void close_wakesBothSides_andFreesTheMemory() throws Exception {
    open(bothPark());
    OffHeapQueue<Point> empty = queue;
    Consumer<Point> waiting = consumer;
    FutureTask<Object> poll = parked(() -> waiting.poll());
    open(bothPark());
    fill();
    FutureTask<Object> claim = parked(() -> producer.claim());
    queue.close();
    empty.close();
    queue.close();
    assertThatThrownBy(claim::get).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(poll.get()).isNull();
    assertThat(queue.isDrained()).isTrue();
    assertThat(consumer.tryPoll()).as("what was left").isNull();
    assertThat(queue.toString()).contains("Queue[capacity=8, size~").endsWith(", closed]");
  }

  @Test
  void close_besideAnOpenClaim_wakesAConsumerThatWaitsForIt() throws Exception {
    open(consumersPark());
    producer.tryClaim();
    queue.complete();
    FutureTask<Object> end = parked(() -> consumer.poll());
    queue.close();
    assertThat(end.get()).isNull();
    assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_besideWhatIsInHand_takesItsMemory() {
    put(producer, 1);
    Point in = producer.tryClaim();
    Point out = consumer.tryPoll();
    queue.close();
    assertThatThrownBy(() -> in.x(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(producer::commit).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(out::x).isInstanceOf(IllegalStateException.class);
    consumer.release();
    assertThat(consumer.tryPoll()).isNull();
  }

  @Test
  void waits_whenInterrupted_throwAndLeaveTheEndUsable() throws Exception {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> consumer.poll()).isInstanceOf(InterruptedException.class);
    Thread.currentThread().interrupt();
    producer.claim().x(1).y(-1);
    assertThat(Thread.interrupted()).as("it did not have to wait").isTrue();
    producer.commit();
    assertThat(take(consumer)).isEqualTo(1);
  }

  // ---- two threads ----

  static Stream<WaitStrategy> strategies() {
    return Stream.of(
        WaitStrategy.busySpin(),
        WaitStrategy.yielding(),
        WaitStrategy.sleeping(Duration.ofNanos(1_000)),
        WaitStrategy.parking());
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void records_betweenThreads_arriveOnceInOrder(WaitStrategy strategy) throws Exception {
    int records = 20_000;
    open(QueueOptions.ofCapacity(CAPACITY).withProducerWaits(strategy).withConsumerWaits(strategy));
    FutureTask<Object> sent =
        started(
            () -> {
              try {
                for (int i = 0; i < records; ) {
                  if (i % 3 == 0) {
                    producer.claim().x(i).y(-i);
                    i++;
                  } else {
                    int count = producer.claim(Math.min(5, records - i));
                    for (int j = 0; j < count; j++) {
                      producer.at(j).x(i + j).y(-(i + j));
                    }
                    i += count;
                  }
                  producer.commit();
                }
              } finally {
                queue.complete();
              }
              return null;
            });
    long[] next = new long[1];
    consumer.forEach(point -> assertThat(whole(point)).isEqualTo(next[0]++));
    assertThat(next[0]).isEqualTo(records);
    sent.get();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void operations_allocateNothing() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    open(QueueOptions.ofCapacity(64));
    long[] sum = new long[1];
    long[] values = new long[queue.metrics().size()];
    Handler<Point> handler = point -> sum[0] += point.x();
    long bytes = 0;
    for (int round = 0; round < 40; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1_000; i++) {
        useAll(producer, consumer, handler);
        queue.readMetrics(values);
      }
      bytes = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(bytes).isZero();
    assertThat(sum[0]).isPositive();
  }

  private static void useAll(
      Producer<Point> producer, Consumer<Point> consumer, Handler<Point> handler)
      throws InterruptedException {
    producer.tryClaim().x(1).y(-1);
    producer.commit();
    producer.claim().x(1).y(-1);
    producer.commit();
    consumer.tryPoll().x();
    consumer.release();
    consumer.poll().x();
    consumer.release();
    int count = producer.tryClaim(16);
    for (int i = 0; i < count; i++) {
      producer.at(i).x(i + 1).y(-i - 1);
    }
    producer.commit();
    int left = count - consumer.drain(handler, 8);
    while (left > 0) {
      left -= consumer.drain(handler, left);
    }
  }

  @Test
  void ends_whenTwoThreadsOverlap_areAnAssertionError() throws Exception {
    open(QueueOptions.ofCapacity(1 << 10));
    assumeThat(producer.getClass().desiredAssertionStatus()).as("runs with -ea").isTrue();
    assertOverlapIsFound(
        () -> {
          if (producer.tryClaim() != null) {
            producer.abort();
          }
        },
        "Producer allows one thread at a time: ");
    assertOverlapIsFound(
        () -> {
          if (consumer.tryPoll() != null) {
            consumer.release();
          }
        },
        "Consumer allows one thread at a time: ");
  }

  /** Two threads make the same calls until one of them is told. */
  private static void assertOverlapIsFound(Runnable calls, String message) throws Exception {
    AtomicReference<AssertionError> found = new AtomicReference<>();
    Runnable side =
        () -> {
          for (int i = 0; i < 100_000_000 && found.get() == null; i++) {
            try {
              calls.run();
            } catch (IllegalStateException e) {
              // the other thread's claim or poll: found as well, but not by overlap
            } catch (AssertionError e) {
              found.set(e);
            }
          }
        };
    Thread[] threads = {Thread.ofPlatform().start(side), Thread.ofPlatform().start(side)};
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(found.get()).hasMessageContaining(message);
  }
}
