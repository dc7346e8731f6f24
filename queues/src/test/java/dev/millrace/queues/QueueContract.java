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

  /** A queue and an end of it at either side. */
  record Queue(OffHeapQueue<Point> queue, Producer<Point> producer, Consumer<Point> consumer) {}

  private final List<OffHeapQueue<Point>> queues = new ArrayList<>();

  final Queue queue(QueueOptions options) {
    OffHeapQueue<Point> queue = make(options);
    closeAfterwards(queue);
    return new Queue(queue, producerOf(queue), consumerOf(queue));
  }

  final Queue queue() {
    return queue(QueueOptions.ofCapacity(CAPACITY));
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

  static void fill(Queue queue) {
    for (int i = 0; i < CAPACITY; i++) {
      put(queue.producer(), i);
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
    Queue queue = queue();
    for (int i = 0; i < 10 * CAPACITY; i++) {
      put(queue.producer(), i);
      put(queue.producer(), -i);
      assertThat(take(queue.consumer())).isEqualTo(i);
      assertThat(take(queue.consumer())).isEqualTo(-i);
    }
    assertThat(queue.consumer().tryPoll()).isNull();
  }

  @Test
  void tryClaim_whenFull_isNullUntilARelease() throws Exception {
    Queue queue = queue();
    fill(queue);
    assertThat(queue.producer().tryClaim()).isNull();
    assertThat(queue.producer().tryClaim(3)).isZero();
    assertThat(queue.producer().claim(Duration.ofMillis(5))).isNull();
    assertThat(queue.producer().claim(Duration.ZERO)).isNull();
    assertThat(queue.queue().sizeEstimate()).isEqualTo(CAPACITY);
    assertThat(queue.consumer().tryPoll()).isNotNull();
    assertThat(queue.producer().tryClaim()).as("not released yet").isNull();
    queue.consumer().release();
    put(queue.producer(), CAPACITY);
    for (int i = 1; i <= CAPACITY; i++) {
      assertThat(take(queue.consumer())).isEqualTo(i);
    }
  }

  @Test
  void poll_whenEmpty_isNullInTime() throws Exception {
    Queue queue = queue();
    assertThat(queue.consumer().tryPoll()).isNull();
    assertThat(queue.consumer().tryPoll(5)).isZero();
    assertThat(queue.consumer().poll(Duration.ofMillis(5))).isNull();
    assertThat(queue.consumer().poll(Duration.ofSeconds(-1))).isNull();
    assertThat(queue.consumer().drain(point -> {}, 5)).isZero();
  }

  @Test
  void waitingForms_whenTheyNeedNotWait_areAsTheOthers() throws Exception {
    Queue queue = queue();
    queue.producer().claim().x(1).y(-1);
    queue.producer().commit();
    queue.producer().claim(Duration.ofDays(1)).x(2).y(-2);
    queue.producer().commit();
    assertThat(queue.producer().claim(3)).isEqualTo(Math.min(3, longestRun()));
    queue.producer().abort();
    assertThat(whole(queue.consumer().poll())).isEqualTo(1);
    queue.consumer().release();
    assertThat(whole(queue.consumer().poll(Duration.ofDays(1)))).isEqualTo(2);
    queue.consumer().release();
    put(queue.producer(), 3);
    assertThat(queue.consumer().poll(5)).isEqualTo(1);
  }

  @Test
  void abort_ofARecordOrARun_leavesNothing() {
    Queue queue = queue();
    queue.producer().tryClaim().x(7);
    queue.producer().abort();
    assertThat(queue.consumer().tryPoll()).isNull();
    assertThat(queue.producer().tryClaim(3)).isEqualTo(Math.min(3, longestRun()));
    queue.producer().abort();
    put(queue.producer(), 1);
    assertThat(take(queue.consumer())).isEqualTo(1);
    assertThat(queue.consumer().tryPoll()).isNull();
  }

  @Test
  void claim_whereFullDropsTheNewest_isNullAtOnce() throws Exception {
    Queue queue = queue(QueueOptions.ofCapacity(CAPACITY).withOnFull(OnFull.DROP_NEWEST));
    fill(queue);
    assertThat(queue.producer().claim()).isNull();
    assertThat(queue.producer().claim(4)).isZero();
    assertThat(queue.producer().tryClaim()).as("of no use, but not dropped").isNull();
    assertThat(queue.producer().claim(Duration.ofMillis(1))).as("waits instead").isNull();
    assertMetrics(queue.queue(), "dropped", 1 + 4, "committed", CAPACITY);
    assertThat(take(queue.consumer())).isZero();
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
    Queue queue = queue();
    Point in = queue.producer().tryClaim();
    in.x(1).y(-1);
    queue.producer().commit();
    assertOff(in);
    Point out = queue.consumer().tryPoll();
    queue.consumer().release();
    assertOff(out);
    assertThat(queue.producer().tryClaim()).as("the same view").isSameAs(in);
    queue.producer().abort();
    assertOff(in);
    int count = queue.producer().tryClaim(2);
    queue.producer().at(count - 1).x(5);
    queue.producer().abort();
    assertOff(in);
    put(queue.producer(), 3);
    queue.consumer().drain(point -> assertThat(point).isSameAs(out), 1);
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

  private boolean isOf(Class<?> kind, Queue queue) {
    return kind.isInstance(queue.queue());
  }

  @Test
  void metrics_ofRecordsAndRuns_countEach() {
    Queue queue = queue();
    assertThat(queue.queue().counters())
        .doesNotHaveDuplicates()
        .doesNotContainAnyElementsOf(queue.queue().gauges());
    assertThat(queue.queue().gauges()).doesNotHaveDuplicates();
    assertThat(queue.queue().metrics())
        .containsEntry("capacity", (long) CAPACITY)
        .containsKeys("size", "dropped", "highWater");
    long[] next = new long[2];
    for (int round = 0; round < 40; round++) {
      for (int left = 1 + round % 7; left > 0; ) {
        int count = claimRun(queue.producer(), left, next[0]);
        next[0] += count;
        left -= count;
      }
      assertMetrics(queue.queue(), "size", next[0] - next[1]);
      assertMetrics(queue.queue(), "claimed", next[0], "committed", next[0], "consumed", next[1]);
      for (int left = round % 7; left > 0; ) { // one stays, and a run is taken in parts
        int count = pollRun(queue.consumer(), Math.min(left, 3), next[1]);
        next[1] += count;
        left -= count;
        assertMetrics(queue.queue(), "size", next[0] - next[1]);
        assertMetrics(queue.queue(), "claimed", next[0], "committed", next[0], "consumed", next[1]);
      }
      next[1] += pollRun(queue.consumer(), 1, next[1]);
    }
    assertMetrics(queue.queue(), "highWater", 7, "dropped", 0, "aborted", 0, "outOfUse", 0);
    assertThatThrownBy(() -> queue.queue().readMetrics(new long[3]))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void metrics_whileAClaimOrAPollIsOpen_areAsTheKindSays() {
    Queue queue = queue();
    put(queue.producer(), 0);
    int count = queue.producer().tryClaim(2);
    assertMetrics(queue.queue(), "claimed", 1 + count, "committed", 1, "consumed", 0);
    queue.producer().commit();
    assertMetrics(queue.queue(), "claimed", 1 + count, "committed", 1 + count, "consumed", 0);
    queue.consumer().tryPoll();
    int inHand = isOf(MpmcQueue.class, queue) ? 1 : 0;
    assertMetrics(queue.queue(), "committed", 1 + count, "consumed", inHand);
    queue.consumer().release();
    assertMetrics(queue.queue(), "committed", 1 + count, "consumed", 1, "size", count);
  }

  @Test
  void metrics_afterTheEnd_stay() {
    Queue queue = queue();
    put(queue.producer(), 1);
    put(queue.producer(), 2);
    queue.producer().tryClaim();
    queue.producer().abort();
    int aborted = isOf(StampedQueue.class, queue) ? 1 : 0;
    assertMetrics(queue.queue(), "claimed", 2 + aborted, "committed", 2, "aborted", aborted);
    queue.queue().complete();
    take(queue.consumer());
    assertMetrics(queue.queue(), "committed", 2, "consumed", 1);
    take(queue.consumer());
    queue.queue().close();
    assertMetrics(queue.queue(), "claimed", 2 + aborted, "committed", 2, "consumed", 2, "size", 0);
    assertMetrics(queue.queue(), "aborted", aborted, "stalled", 0, "refused", 0, "capacity", 8);
  }

  @Test
  void metrics_ofRandomOperations_addUp() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Queue queue = queue();
      boolean countsAborts = isOf(StampedQueue.class, queue);
      long[] next = new long[3];
      for (int step = 0; step < 500; step++) {
        int limit = 1 + random.nextInt(CAPACITY);
        switch (random.nextInt(4)) {
          case 0 -> next[0] += claimRun(queue.producer(), limit, next[0]);
          case 1 -> next[1] += pollRun(queue.consumer(), limit, next[1]);
          case 2 -> next[1] += queue.consumer().drain(point -> {}, limit);
          default -> {
            int count = queue.producer().tryClaim(limit);
            if (count > 0) {
              queue.producer().abort();
              next[2] += countsAborts ? count : 0;
            }
          }
        }
        assertMetrics(queue.queue(), "claimed", next[0] + next[2], "committed", next[0]);
        assertMetrics(queue.queue(), "consumed", next[1], "aborted", next[2]);
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
    Queue queue = queue();
    assertThat(shown(queue.queue())).isEmpty();
    for (int lap = 0; lap < 2 * CAPACITY; lap++) {
      long first = 4L * lap;
      put(queue.producer(), first);
      for (int put = 1; put < 4; ) {
        put += claimRun(queue.producer(), 4 - put, first + put);
      }
      int open = queue.producer().tryClaim(2);
      queue.producer().at(open - 1).x(-1).y(-1);
      for (int again = 0; again < 2; again++) {
        assertThat(shown(queue.queue())).containsExactly(first, first + 1, first + 2, first + 3);
      }
      queue.producer().abort();
      int taken = pollRun(queue.consumer(), 1, first);
      taken += pollRun(queue.consumer(), 1, first + taken);
      assertThat(shown(queue.queue())).containsExactly(first + 2, first + 3);
      while (taken < 4) {
        taken += pollRun(queue.consumer(), 2, first + taken);
      }
      assertThat(shown(queue.queue())).isEmpty();
    }
    assertThat(queue.consumer().tryPoll()).as("past what was aborted").isNull();
    fill(queue);
    assertThat(shown(queue.queue())).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    queue.queue().complete();
    assertThat(shown(queue.queue())).hasSize(CAPACITY);
    queue.queue().close();
    assertThat(shown(queue.queue())).isEmpty();
  }

  /** To one consumer a record is there until it is released; of many, none else gets it. */
  @Test
  void snapshot_whileAPollIsOpen_isAsTheKindSays() {
    Queue queue = queue();
    for (int i = 0; i < 3; i++) {
      put(queue.producer(), i);
    }
    queue.consumer().tryPoll();
    boolean isShared = isOf(MpmcQueue.class, queue) || isOf(KFifoQueue.class, queue);
    assertThat(shown(queue.queue())).isEqualTo(isShared ? List.of(1L, 2L) : List.of(0L, 1L, 2L));
    assertThat(queue.consumer().at(0).x()).isZero();
    queue.consumer().release();
    assertThat(shown(queue.queue())).containsExactly(1L, 2L);
  }

  @Test
  void snapshot_whoseViewerWritesOrThrows_leavesTheQueueAsItIs() {
    Queue queue = queue();
    put(queue.producer(), 1);
    put(queue.producer(), 2);
    assertThat(queue.queue().snapshot(point -> point.x(-1))).isEqualTo(2);
    assertThatThrownBy(() -> queue.queue().snapshot(null)).isInstanceOf(NullPointerException.class);
    IllegalStateException thrown = new IllegalStateException("the viewer's");
    assertThatThrownBy(
            () ->
                queue
                    .queue()
                    .snapshot(
                        point -> {
                          throw thrown;
                        }))
        .isSameAs(thrown);
    assertThat(take(queue.consumer())).isEqualTo(1);
    assertThat(take(queue.consumer())).isEqualTo(2);
  }

  @Test
  void snapshot_whileBothSidesWork_showsWholeRecordsInOrder() throws Exception {
    Queue queue = queue();
    FutureTask<Object> sender =
        started(
            () -> {
              for (long next = 0; !queue.queue().isCompleted(); ) {
                try {
                  next += claimRun(queue.producer(), 3, next);
                } catch (IllegalStateException e) {
                  assertThat(queue.queue().isCompleted()).isTrue();
                }
              }
              return null;
            });
    FutureTask<Object> taker =
        started(
            () -> {
              queue.consumer().forEach(QueueContract::whole);
              return null;
            });
    int shown = 0;
    try {
      while (shown < 500 && !sender.isDone() && !taker.isDone()) {
        List<Long> values = shown(queue.queue());
        assertThat(values).isSorted().doesNotHaveDuplicates();
        shown += values.size();
      }
    } finally {
      queue.queue().complete();
    }
    sender.get();
    taker.get();
    assertThat(shown).isGreaterThanOrEqualTo(500);
  }

  // ---- misuse ----

  @Test
  void misuse_isRefusedAndChangesNothing() {
    Queue queue = queue();
    Producer<Point> producer = queue.producer();
    Consumer<Point> consumer = queue.consumer();
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
    Queue queue = queue();
    Producer<Point> producer = queue.producer();
    Consumer<Point> consumer = queue.consumer();
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
    Queue queue = queue();
    queue.producer().tryClaim(2);
    queue.producer().at(1);
    queue.producer().at(0).x(1).y(-1);
    queue.producer().at(1).x(2).y(-2);
    queue.producer().commit();
    assertThat(take(queue.consumer())).isEqualTo(1);
    assertThat(take(queue.consumer())).isEqualTo(2);
  }

  // ---- handlers ----

  @Test
  void drain_whenTheHandlerThrows_hasConsumedThatRecordAndKeepsTheLater() {
    Queue queue = queue();
    for (int i = 0; i < 4; i++) {
      put(queue.producer(), i);
    }
    List<Long> seen = new ArrayList<>();
    assertThatThrownBy(
            () ->
                queue
                    .consumer()
                    .drain(
                        point -> {
                          seen.add(whole(point));
                          if (point.x() == 1) {
                            throw new IllegalArgumentException("the handler's");
                          }
                        },
                        4))
        .hasMessage("the handler's");
    assertThat(seen).containsExactly(0L, 1L);
    assertThat(queue.queue().sizeEstimate()).isEqualTo(2);
    assertThat(take(queue.consumer())).isEqualTo(2);
  }

  @Test
  void drain_withinAHandler_isRefused() {
    Queue queue = queue();
    put(queue.producer(), 1);
    put(queue.producer(), 2);
    Consumer<Point> consumer = queue.consumer();
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
    Queue queue = queue();
    put(queue.producer(), 1);
    put(queue.producer(), 2);
    assertThat(queue.queue().isCompleted()).isFalse();
    queue.queue().complete();
    queue.queue().complete();
    assertThat(queue.queue().isCompleted()).isTrue();
    assertThat(queue.queue().isDrained()).isFalse();
    assertThat(queue.queue().awaitDrained(Duration.ofMillis(2))).isFalse();
    assertMisuse(queue.producer()::tryClaim, "queue must not be completed");
    assertMisuse(() -> queue.producer().tryClaim(2), "queue must not be completed");
    assertThatThrownBy(() -> queue.producer().claim()).isInstanceOf(IllegalStateException.class);
    List<Long> seen = new ArrayList<>();
    queue.consumer().forEach(point -> seen.add(whole(point)));
    assertThat(seen).containsExactly(1L, 2L);
    assertThat(queue.consumer().poll()).isNull();
    assertThat(queue.consumer().poll(3)).isZero();
    assertThat(queue.consumer().poll(Duration.ofDays(1))).isNull();
    assertThat(queue.consumer().isDrained()).isTrue();
    assertThat(queue.queue().awaitDrained(Duration.ofDays(1))).isTrue();
  }

  @Test
  void complete_besideAnOpenClaim_waitsForIt() {
    Queue queue = queue();
    queue.producer().tryClaim().x(1).y(-1);
    queue.queue().complete();
    assertThat(queue.consumer().tryPoll()).isNull();
    assertThat(queue.queue().isDrained()).as("the claim may be committed").isFalse();
    queue.producer().commit();
    assertThat(take(queue.consumer())).isEqualTo(1);
    assertThat(queue.queue().isDrained()).isTrue();
  }

  @Test
  void complete_besideAClaimThatIsAborted_isDrained() throws Exception {
    Queue queue = queue(consumersPark());
    queue.producer().tryClaim();
    queue.queue().complete();
    FutureTask<Object> end = parked(() -> queue.consumer().poll());
    queue.producer().abort();
    assertThat(end.get()).isNull();
    assertThat(queue.queue().isDrained()).isTrue();
  }

  @Test
  void close_wakesBothSides_andFreesTheMemory() throws Exception {
    Queue full = queue(bothPark());
    fill(full);
    Queue empty = queue(bothPark());
    FutureTask<Object> claim = parked(() -> full.producer().claim());
    FutureTask<Object> poll = parked(() -> empty.consumer().poll());
    full.queue().close();
    empty.queue().close();
    full.queue().close();
    assertThatThrownBy(claim::get).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(poll.get()).isNull();
    assertThat(full.queue().isDrained()).isTrue();
    assertThat(full.consumer().tryPoll()).as("what was left").isNull();
    assertThat(full.queue().toString()).contains("Queue[capacity=8, size~").endsWith(", closed]");
  }

  @Test
  void close_besideAnOpenClaim_wakesAConsumerThatWaitsForIt() throws Exception {
    Queue queue = queue(consumersPark());
    queue.producer().tryClaim();
    queue.queue().complete();
    FutureTask<Object> end = parked(() -> queue.consumer().poll());
    queue.queue().close();
    assertThat(end.get()).isNull();
    assertThatThrownBy(queue.producer()::commit).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_besideWhatIsInHand_takesItsMemory() {
    Queue queue = queue();
    put(queue.producer(), 1);
    Point in = queue.producer().tryClaim();
    Point out = queue.consumer().tryPoll();
    queue.queue().close();
    assertThatThrownBy(() -> in.x(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(queue.producer()::commit).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(out::x).isInstanceOf(IllegalStateException.class);
    queue.consumer().release();
    assertThat(queue.consumer().tryPoll()).isNull();
  }

  @Test
  void waits_whenInterrupted_throwAndLeaveTheEndUsable() throws Exception {
    Queue queue = queue();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> queue.consumer().poll()).isInstanceOf(InterruptedException.class);
    Thread.currentThread().interrupt();
    queue.producer().claim().x(1).y(-1);
    assertThat(Thread.interrupted()).as("it did not have to wait").isTrue();
    queue.producer().commit();
    assertThat(take(queue.consumer())).isEqualTo(1);
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
    Queue queue =
        queue(
            QueueOptions.ofCapacity(CAPACITY)
                .withProducerWaits(strategy)
                .withConsumerWaits(strategy));
    FutureTask<Object> sent =
        started(
            () -> {
              Producer<Point> producer = queue.producer();
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
                queue.queue().complete();
              }
              return null;
            });
    long[] next = new long[1];
    queue.consumer().forEach(point -> assertThat(whole(point)).isEqualTo(next[0]++));
    assertThat(next[0]).isEqualTo(records);
    sent.get();
    assertThat(queue.queue().isDrained()).isTrue();
  }

  @Test
  void operations_allocateNothing() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Queue queue = queue(QueueOptions.ofCapacity(64));
    long[] sum = new long[1];
    long[] values = new long[queue.queue().metrics().size()];
    Handler<Point> handler = point -> sum[0] += point.x();
    long bytes = 0;
    for (int round = 0; round < 40; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1_000; i++) {
        useAll(queue.producer(), queue.consumer(), handler);
        queue.queue().readMetrics(values);
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
    Queue queue = queue(QueueOptions.ofCapacity(1 << 10));
    assumeThat(queue.producer().getClass().desiredAssertionStatus()).as("runs with -ea").isTrue();
    assertOverlapIsFound(
        () -> {
          if (queue.producer().tryClaim() != null) {
            queue.producer().abort();
          }
        },
        "Producer allows one thread at a time: ");
    assertOverlapIsFound(
        () -> {
          if (queue.consumer().tryPoll() != null) {
            queue.consumer().release();
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
