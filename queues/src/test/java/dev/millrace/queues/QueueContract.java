package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the ends of every queue do. */
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

  // ---- one by one ----

  /** What a queue of this kind must do, call by call, as long as one thread uses it. */
  private final class Model {
    private final Deque<Long> records = new ArrayDeque<>();
    private final Set<Long> aborted = new HashSet<>();
    private final boolean keepsAborted = keepsAborted();
    private final Random random;
    private long head;
    private long tail;
    private long abortedCount;
    private long taken;

    Model(Random random) {
      this.random = random;
    }

    /** Claims up to a limit, to the end of the ring, and commits or aborts. */
    void claim(int limit) {
      int room = (int) Math.min(head + CAPACITY - tail, CAPACITY - tail % CAPACITY);
      int expected = Math.min(Math.min(limit, longestRun()), room);
      if (limit > 1) {
        assertThat(producer.tryClaim(limit)).isEqualTo(expected);
      } else {
        assertThat(producer.tryClaim() == null).isEqualTo(expected == 0);
      }
      if (expected == 0) {
        return;
      }
      assertMetrics(queue, "committed", taken + records.size());
      if (random.nextInt(4) == 0) {
        producer.abort();
        for (int i = 0; keepsAborted && i < expected; i++) {
          aborted.add(tail++);
          abortedCount++;
        }
        return;
      }
      for (int i = 0; i < expected; i++) {
        producer.at(i).x(tail).y((int) -tail);
        records.add(tail++);
      }
      producer.commit();
    }

    /** Polls up to a limit, to the end of the ring or the next gap. */
    void poll(int limit) {
      passAborted();
      long next = head;
      while (next < tail && !aborted.contains(next)) {
        next++;
      }
      int ready = (int) Math.min(next - head, CAPACITY - head % CAPACITY);
      int expected = Math.min(Math.min(limit, longestRun()), ready);
      if (limit > 1) {
        assertThat(consumer.tryPoll(limit)).isEqualTo(expected);
      } else {
        assertThat(consumer.tryPoll() == null).isEqualTo(expected == 0);
      }
      for (int i = 0; i < expected; i++) {
        take(consumer.at(i));
      }
      if (expected > 0) {
        consumer.release();
      }
    }

    void drain(int limit) {
      int before = records.size();
      int count = consumer.drain(this::take, limit);
      assertThat(count).isBetween(Math.min(1, before), Math.min(limit, before));
      assertThat(records).hasSize(before - count);
      poll(1); // which surely passes what was aborted
    }

    private void take(Point point) {
      passAborted();
      assertThat(whole(point)).isEqualTo(records.remove());
      head++;
      taken++;
    }

    private void passAborted() {
      while (aborted.remove(head)) {
        head++;
      }
    }

    void assertAsItShouldBe() {
      assertThat(shown(queue)).containsExactlyElementsOf(records);
      assertMetrics(queue, "claimed", taken + records.size() + abortedCount);
      assertMetrics(queue, "committed", taken + records.size(), "consumed", taken);
      assertMetrics(queue, "aborted", abortedCount, "dropped", 0, "outOfUse", 0);
      if (aborted.isEmpty()) {
        assertMetrics(queue, "size", records.size());
        assertThat(queue.sizeEstimate()).isEqualTo(records.size());
      }
    }
  }

  @Test
  void randomOperations_agreeWithTheModel() {
    for (long seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      open(QueueOptions.ofCapacity(CAPACITY));
      Model model = new Model(random);
      for (int step = 0; step < 500; step++) {
        int limit = 1 + random.nextInt(random.nextBoolean() ? 1 : 2 * CAPACITY);
        switch (random.nextInt(5)) {
          case 0, 1 -> model.claim(limit);
          case 2, 3 -> model.poll(limit);
          default -> model.drain(limit);
        }
        model.assertAsItShouldBe();
      }
      assertThat(model.tail).as("laps").isGreaterThan(10L * CAPACITY);
    }
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
    Throws.illegalArgument("..." + part + "...", () -> make(options));
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
    Throws.outOfBounds(view::x, () -> view.y(1));
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

  private boolean keepsAborted() {
    return isOf(MpscQueue.class) || isOf(MpmcQueue.class);
  }

  private boolean isOf(Class<?> kind) {
    return kind.isInstance(queue);
  }

  @Test
  void metrics_areNamedOnce() {
    assertThat(queue.counters())
        .doesNotHaveDuplicates()
        .doesNotContainAnyElementsOf(queue.gauges());
    assertThat(queue.gauges()).doesNotHaveDuplicates();
    assertThat(queue.metrics())
        .containsEntry("capacity", (long) CAPACITY)
        .containsKeys("size", "dropped", "highWater");
    Throws.outOfBounds(() -> queue.readMetrics(new long[3]));
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
    int aborted = keepsAborted() ? 1 : 0;
    assertMetrics(queue, "claimed", 2 + aborted, "committed", 2, "aborted", aborted);
    queue.complete();
    take(consumer);
    assertMetrics(queue, "committed", 2, "consumed", 1);
    take(consumer);
    queue.close();
    assertMetrics(queue, "claimed", 2 + aborted, "committed", 2, "consumed", 2, "size", 0);
    assertMetrics(queue, "aborted", aborted, "stalled", 0, "refused", 0, "capacity", 8);
  }

  // ---- snapshots ----

  static List<Long> shown(OffHeapQueue<Point> queue) {
    List<Long> values = new ArrayList<>();
    assertThat(queue.snapshot(point -> values.add(whole(point)))).isEqualTo(values.size());
    return values;
  }

  @Test
  void snapshot_whenCompletedOrClosed_showsWhatIsThere() {
    fill();
    queue.complete();
    assertThat(shown(queue)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
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
    Throws.a(NullPointerException.class, () -> queue.snapshot(null));
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
    TestCall<Boolean> sender =
        TestCall.run(
            () -> {
              for (long next = 0; !queue.isCompleted(); ) {
                try {
                  next += claimRun(producer, 3, next);
                } catch (IllegalStateException e) {
                  assertThat(queue.isCompleted()).isTrue();
                }
              }
            });
    TestCall<Boolean> taker = TestCall.run(() -> consumer.forEach(QueueContract::whole));
    int shown = 0;
    try {
      while (shown < 500 && !sender.isOver() && !taker.isOver()) {
        List<Long> values = shown(queue);
        assertThat(values).isSorted().doesNotHaveDuplicates();
        shown += values.size();
      }
    } finally {
      queue.complete();
    }
    sender.result();
    taker.result();
    assertThat(shown).isGreaterThanOrEqualTo(500);
  }

  // ---- misuse ----

  @Test
  void misuse_isRefusedAndChangesNothing() {
    Throws.illegalState("no open claim: ...", producer::commit, producer::abort);
    Throws.illegalState("nothing to release...", consumer::release);
    Throws.outOfBounds(() -> producer.at(0), () -> consumer.at(0));
    Throws.illegalArgument("...limit=0...", () -> producer.tryClaim(0));
    Throws.illegalArgument("...limit=-1...", () -> consumer.tryPoll(-1));
    Throws.a(
        NullPointerException.class,
        () -> consumer.drain(null, 1),
        () -> consumer.forEach(null),
        () -> consumer.poll(null));

    producer.tryClaim().x(1).y(-1);
    Throws.illegalState(
        "a claim is already open, commit or abort it first...",
        producer::tryClaim,
        () -> producer.tryClaim(2));
    Throws.outOfBounds(() -> producer.at(1), () -> producer.at(-1));
    producer.commit();

    consumer.tryPoll();
    Throws.illegalState(
        "a poll is already open, release it first...",
        consumer::tryPoll,
        () -> consumer.tryPoll(2),
        () -> consumer.drain(point -> {}, 1));
    assertThat(whole(consumer.at(0))).isEqualTo(1);
    consumer.release();
    put(producer, 2);
    assertThat(take(consumer)).isEqualTo(2);
  }

  // ---- runs ----

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

  // ---- handlers ----

  @Test
  void drain_whenTheHandlerThrows_hasConsumedThatRecordAndKeepsTheLater() {
    for (int i = 0; i < 4; i++) {
      put(producer, i);
    }
    List<Long> seen = new ArrayList<>();
    Throws.illegalArgument(
        "the handler's",
        () ->
            consumer.drain(
                point -> {
                  seen.add(whole(point));
                  if (point.x() == 1) {
                    throw new IllegalArgumentException("the handler's");
                  }
                },
                4));
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
              Throws.illegalState("a poll is already open...", consumer::tryPoll);
              Throws.illegalState("nothing to release...", consumer::release);
              Throws.outOfBounds(() -> consumer.at(0));
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
    Throws.illegalState("queue is completed...", producer::tryClaim, () -> producer.tryClaim(2));
    Throws.illegalState("...", () -> producer.claim());
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
    TestCall<Point> end = TestCall.of(consumer::poll).awaitResting();
    producer.abort();
    assertThat(end.result()).isNull();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void close_wakesBothSides_andFreesTheMemory() throws Exception {
    open(bothPark());
    OffHeapQueue<Point> empty = queue;
    Consumer<Point> waiting = consumer;
    TestCall<Point> poll = TestCall.of(waiting::poll).awaitResting();
    open(bothPark());
    fill();
    TestCall<Point> claim = TestCall.of(producer::claim).awaitResting();
    queue.close();
    empty.close();
    queue.close();
    assertThat(claim.failure()).isInstanceOf(IllegalStateException.class);
    assertThat(poll.result()).isNull();
    assertThat(queue.isDrained()).isTrue();
    assertThat(consumer.tryPoll()).as("what was left").isNull();
    assertThat(queue.toString()).contains("Queue[capacity=8, size~").endsWith(", closed]");
  }

  @Test
  void close_besideAnOpenClaim_wakesAConsumerThatWaitsForIt() throws Exception {
    open(consumersPark());
    producer.tryClaim();
    queue.complete();
    TestCall<Point> end = TestCall.of(consumer::poll).awaitResting();
    queue.close();
    assertThat(end.result()).isNull();
    Throws.illegalState("...", producer::commit);
  }

  @Test
  void close_besideWhatIsInHand_takesItsMemory() {
    put(producer, 1);
    Point in = producer.tryClaim();
    Point out = consumer.tryPoll();
    queue.close();
    String freed = "view of Point may no longer be used: its memory was freed by close() of ";
    Throws.illegalState(freed + queue, () -> in.x(2), out::x, out::y);
    assertThat(out.toString()).contains(freed + queue);
    Throws.illegalState("closed, so the record is lost: " + queue, producer::commit);
    consumer.release();
    assertThat(consumer.tryPoll()).isNull();
  }

  @Test
  void close_besideAnOpenClaim_leavesNothingToAbort() {
    producer.tryClaim();
    queue.close();
    producer.close();
    Throws.illegalState("no open claim...", producer::commit, producer::abort);
  }

  /** The forms of polling, of which each must find nothing once the queue is closed. */
  enum Poll {
    TRY(consumer -> assertThat(consumer.tryPoll()).isNull()),
    TRY_RUN(consumer -> assertThat(consumer.tryPoll(CAPACITY)).isZero()),
    WAIT(consumer -> assertThat(consumer.poll()).isNull()),
    WAIT_FOR(consumer -> assertThat(consumer.poll(Duration.ofDays(1))).isNull()),
    WAIT_RUN(consumer -> assertThat(consumer.poll(CAPACITY)).isZero()),
    DRAIN(consumer -> assertThat(consumer.drain(refusing(), CAPACITY)).isZero()),
    FOR_EACH(consumer -> consumer.forEach(refusing())),
    STRICT(
        consumer -> {
          switch (consumer) {
            case MpscConsumer<Point> strict -> assertThat(strict.strictPoll()).isNull();
            case MpmcConsumer<Point> strict -> assertThat(strict.strictPoll()).isNull();
            default -> {} // has no such method
          }
        }),
    AT(consumer -> Throws.outOfBounds(() -> consumer.at(0))),
    RELEASE(consumer -> Throws.illegalState("nothing to release...", consumer::release));

    /** A call that checks what it returns. */
    interface Check {
      void on(Consumer<Point> consumer) throws Exception;
    }

    @SuppressWarnings("ImmutableEnumChecker") // calls that capture nothing
    final Check check;

    Poll(Check check) {
      this.check = check;
    }

    private static Handler<Point> refusing() {
      return point -> {
        throw new AssertionError("a record of freed memory");
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void poll_afterClose_findsNothing_thoughMoreWasSeen(Poll poll) throws Exception {
    for (int i = 0; i < 6; i++) {
      put(producer, i);
    }
    Throws.illegalState("seen", () -> consumer.drain(QueueContract::fails, CAPACITY)); // takes one
    assertThat(take(consumer)).isEqualTo(1); // sees more
    queue.close();
    assertThat(consumer.isDrained()).isTrue();
    for (int i = 0; i < 2; i++) {
      poll.check.on(consumer);
    }
  }

  private static void fails(Point point) {
    throw new IllegalStateException("seen");
  }

  @Test
  void claim_afterClose_isRefused() {
    queue.close();
    Throws.illegalState(
        "queue is completed, it takes no more records: " + queue,
        producer::tryClaim,
        producer::claim,
        () -> producer.claim(Duration.ofDays(1)),
        () -> producer.tryClaim(2),
        () -> producer.claim(2));
    Throws.outOfBounds(() -> producer.at(0));
    producer.close();
  }

  @Test
  void access_whenNotOnARecord_saysSo() {
    put(producer, 1);
    Point in = producer.tryClaim();
    producer.abort();
    Point out = consumer.tryPoll();
    consumer.release();
    String left = "view of Point may not be used: it is on no record, because ...";
    Throws.outOfBounds(left, in::x, () -> in.y(2), out::y, () -> out.x(3));
  }

  @Test
  void waits_whenInterrupted_throwAndLeaveTheEndUsable() throws Exception {
    Thread.currentThread().interrupt();
    Throws.a(InterruptedException.class, () -> consumer.poll());
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
    int records = 4_000; // the ring comes round some hundreds of times
    open(QueueOptions.ofCapacity(CAPACITY).withProducerWaits(strategy).withConsumerWaits(strategy));
    TestCall<Boolean> sent =
        TestCall.run(
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
            });
    long[] next = new long[1];
    consumer.forEach(point -> assertThat(whole(point)).isEqualTo(next[0]++));
    assertThat(next[0]).isEqualTo(records);
    sent.result();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void operations_allocateNothing() throws Exception {
    open(QueueOptions.ofCapacity(64));
    long[] sum = new long[1];
    long[] values = new long[queue.metrics().size()];
    Handler<Point> handler = point -> sum[0] += point.x();
    TestCall.Body uses =
        () -> {
          for (int i = 0; i < 1_000; i++) {
            useAll(producer, consumer, handler);
            queue.readMetrics(values);
          }
        };
    assertThat(Allocations.leastBytesIn(80, uses)).isZero();
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
}
