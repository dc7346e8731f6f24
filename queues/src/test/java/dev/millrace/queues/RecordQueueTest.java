package dev.millrace.queues;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Spliterator;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a queue of records that breaks what the JDK says of a {@link BlockingQueue}: a call that
 * fails or is interrupted and still changes something, a record that a close or a refusing target
 * loses, memory that is freed while somebody reads it.
 */
@ParameterizedClass
@EnumSource(RecordQueueTest.Kind.class)
class RecordQueueTest {
  private static final int CAPACITY = 4;

  @Parameter Kind kind;

  record Trade(long id, double price) {}

  record Named(@Utf8(4) String name) {}

  record Fragile(int value) {
    @Override
    public int value() {
      if (value < 0) {
        throw new IllegalStateException("value must be at least 0: value=" + value);
      }
      return value;
    }
  }

  private interface Factory {
    <E> RecordQueue<E> make(Class<E> type, QueueOptions options);
  }

  enum Kind {
    MPMC(RecordQueue::of),
    MPSC(RecordQueue::mpsc),
    SPSC(RecordQueue::spsc);

    @SuppressWarnings("ImmutableEnumChecker") // method references have no state
    private final Factory factory;

    Kind(Factory factory) {
      this.factory = factory;
    }

    <E> RecordQueue<E> make(Class<E> type, QueueOptions options) {
      return factory.make(type, options);
    }

    RecordQueue<Trade> trades() {
      return make(Trade.class, QueueOptions.ofCapacity(CAPACITY));
    }

    /** One whose consumers park. */
    RecordQueue<Trade> parking() {
      return make(Trade.class, QueueContract.consumersPark());
    }

    RecordQueue<Trade> full() {
      RecordQueue<Trade> queue = trades();
      for (int i = 0; i < CAPACITY; i++) {
        assertThat(queue.offer(trade(i))).isTrue();
      }
      return queue;
    }
  }

  /** Begins a put, like a producer that is held up after its claim. */
  private static long claim(RecordQueue<Trade> queue) {
    return queue.store.tryClaim(queue.store.protocol, queue.store.ring);
  }

  /** Goes on with a put that was held up after its claim. */
  private static void commit(RecordQueue<Trade> queue, long sequence, Trade trade) {
    Ring protocol = queue.store.ring;
    long offset = protocol.recordOffset(sequence);
    protocol.memory().set(ValueLayout.JAVA_LONG, offset, trade.id());
    protocol.memory().set(ValueLayout.JAVA_DOUBLE, offset + 8, trade.price());
    assertThat(queue.store.commit(queue.store.protocol, queue.store.ring, sequence)).isTrue();
  }

  private static Trade trade(long id) {
    return new Trade(id, id / 2.0);
  }

  private static <E> List<E> emptied(Queue<E> queue) {
    List<E> all = new ArrayList<>();
    for (E one = queue.poll(); one != null; one = queue.poll()) {
      all.add(one);
    }
    return all;
  }

  /** Each call of a queue against the same call of the JDK's. */
  @Test
  void randomOperations_agreeWithAnArrayBlockingQueue() {
    for (int capacity : new int[] {1, 2, 3, 4, 5, 7, 10, 100}) {
      Random random = new Random(capacity);
      RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(capacity));
      BlockingQueue<Trade> model = new ArrayBlockingQueue<>(capacity);
      for (int step = 0; step < 2_000; step++) {
        Trade trade = trade(step);
        int limit = random.nextInt(-1, capacity + 1);
        List<Function<BlockingQueue<Trade>, Object>> operations =
            List.of(
                q -> q.offer(trade),
                q -> resultOrError(() -> q.offer(trade, limit, NANOSECONDS)),
                q -> resultOrError(() -> q.add(trade)),
                Queue::poll,
                q -> resultOrError(() -> q.poll(limit, NANOSECONDS)),
                q -> resultOrError(q::remove),
                q -> resultOrError(q::element),
                Queue::peek,
                q -> drained(q, limit),
                q -> q.contains(trade(trade.id() - limit)));
        Function<BlockingQueue<Trade>, Object> operation =
            operations.get(random.nextInt(random.nextBoolean() ? 3 : operations.size()));
        assertThat(operation.apply(queue)).isEqualTo(operation.apply(model));
        if (random.nextInt(8 * capacity) == 0) {
          queue.clear();
          model.clear();
        }
        assertThat(queue).containsExactlyElementsOf(model).hasSameSizeAs(model);
        assertThat(queue.remainingCapacity()).isEqualTo(model.remainingCapacity());
      }
    }
  }

  private static Object resultOrError(Callable<?> call) {
    try {
      return call.call();
    } catch (Exception e) {
      return e.getClass() + String.valueOf(e.getMessage());
    }
  }

  private static List<Trade> drained(BlockingQueue<Trade> queue, int limit) {
    List<Trade> target = new ArrayList<>();
    assertThat(queue.drainTo(target, limit)).isEqualTo(target.size());
    return target;
  }

  @Test
  void drainTo_itselfOrNull_isRefused() {
    RecordQueue<Trade> queue = kind.full();
    Throws.illegalArgument(
        "a queue cannot be drained to itself: target=this",
        () -> queue.drainTo(queue),
        () -> queue.drainTo(queue, 1, Duration.ZERO));
    Throws.a(NullPointerException.class, () -> queue.drainTo(null));
    assertThat(queue.drainTo(new ArrayList<>())).isEqualTo(CAPACITY);
  }

  @Test
  void put_afterALongerPauseThanTheStallLimit_putsTheRecordAgain() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    QueueOptions options = QueueOptions.ofCapacity(3).withStallLimit(Duration.ofMillis(2));
    RecordQueue<Trade> queue = kind.make(Trade.class, options);
    long[] stalled = {claim(queue), claim(queue), 0};
    assertThat(queue.poll()).isNull(); // gives them up
    assertAllPass(queue);
    assertThat(queue.metrics().values()).containsExactly(10L, 10L, 2L, 0L, 0L, 3L);
    stalled[2] = claim(queue);
    assertThat(queue.poll()).isNull();
    Throws.illegalState(
        "no room left: stalled producers hold all of it, capacity=3", () -> assertAllPass(queue));
    for (long sequence : stalled) {
      assertThat(queue.store.commit(queue.store.protocol, queue.store.ring, sequence)).isFalse();
    }
    queue.clear(); // passes what is left of them
    assertAllPass(queue);
  }

  private static void assertAllPass(RecordQueue<Trade> queue) {
    for (int i = 0; i < 10; i++) {
      assertThat(queue.offer(trade(i))).isTrue();
      assertThat(queue.poll()).isEqualTo(trade(i));
    }
  }

  @Test
  void readMetrics_tellsWhatWasPutAndTaken() {
    RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(5));
    assertThat(queue.counters()).containsExactly("put", "taken", "stalled", "spilled");
    assertThat(queue.gauges()).containsExactly("size", "capacity");
    for (int i = 0; i < 5; i++) {
      queue.add(trade(i));
    }
    queue.remove();
    queue.remove();
    assertThat(queue.metrics().values()).containsExactly(5L, 2L, 0L, 0L, 3L, 5L);
    Throws.a(UnsupportedOperationException.class, () -> queue.drainTo(List.of()));
    assertThat(queue.metrics().values()).containsExactly(5L, 2L, 0L, 0L, 3L, 5L);
    Throws.outOfBounds(() -> queue.readMetrics(new long[5]));
  }

  @Test
  void drainTo_withATimeout_waitsForAsManyAsTheLimit() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    List<Trade> target = new ArrayList<>();
    queue.add(trade(0));
    assertThat(queue.drainTo(target, 2, Duration.ZERO)).isEqualTo(1);
    assertThat(queue.drainTo(target, 0, Duration.ofDays(1))).isZero();
    long begun = System.nanoTime();
    queue.add(trade(1));
    assertThat(queue.drainTo(target, 2, Duration.ofMillis(20))).isEqualTo(1);
    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(20_000_000);
    TestCall<Integer> drain =
        TestCall.of(() -> queue.drainTo(target, 10, Duration.ofSeconds(Long.MAX_VALUE)));
    for (int i = 2; i < 12; i++) {
      queue.put(trade(i));
    }
    assertThat(drain.result()).isEqualTo(10);
    assertThat(target)
        .extracting(Trade::id)
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
    assertInterrupted(() -> queue.drainTo(target, 1, Duration.ZERO));
  }

  private static void assertClosed(TestCall.Body call) {
    Throws.illegalState("queue is closed...", call::run);
  }

  @Test
  void drainTo_withATimeout_keepsWhatTheTargetRefuses() throws Exception {
    RecordQueue<Trade> queue = kind.parking();
    TestCall<Integer> drain =
        TestCall.of(() -> queue.drainTo(List.of(), 2, Duration.ofDays(1))).awaitResting();
    queue.put(trade(0));
    assertThat(drain.failure()).isInstanceOf(UnsupportedOperationException.class);
    assertThat(queue.poll()).isEqualTo(trade(0));
  }

  @Test
  void drainTo_withATimeout_whenClosed_returnsAtOnce() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    queue.close();
    queue.close();
    List<Trade> target = new ArrayList<>();
    assertThat(queue.drainTo(target, 10, Duration.ofDays(1))).isEqualTo(CAPACITY);
    assertThat(queue.drainTo(target, 10, Duration.ofDays(1))).isZero();
    queue.close();
    assertClosed(queue::take);
  }

  @Test
  void waitingForms_whenTheTimePasses_giveUp() throws Exception {
    RecordQueue<Trade> full = kind.full();
    long begin = System.nanoTime();
    assertThat(kind.trades().poll(20, MILLISECONDS)).isNull();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(20));
    assertThat(full.offer(trade(9), 20, MILLISECONDS)).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(40));
  }

  @Test
  void put_whenFull_waitsForRoom() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    TestCall<Boolean> put = TestCall.run(() -> queue.put(trade(9)));
    assertThat(put.isOver()).isFalse();
    assertThat(queue.poll()).isEqualTo(trade(0));
    put.result();
    assertThat(emptied(queue)).containsExactly(trade(1), trade(2), trade(3), trade(9));
  }

  @Test
  void take_whenEmpty_waitsForARecord() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    List<Trade> taken = new ArrayList<>();
    TestCall<Boolean> take =
        TestCall.run(
            () -> {
              taken.add(queue.take());
              taken.add(queue.poll(10, SECONDS));
            });
    assertThat(queue.offer(trade(1), 10, SECONDS)).isTrue();
    queue.put(trade(2));
    take.result();
    assertThat(taken).containsExactly(trade(1), trade(2));
  }

  @Test
  void waiting_whenInterrupted_throwsAndChangesNothing() throws Exception {
    RecordQueue<Trade> full = kind.full();
    RecordQueue<Trade> empty = kind.trades();
    assertInterrupted(() -> full.put(trade(9)));
    assertInterrupted(() -> full.offer(trade(9), 1, SECONDS));
    assertInterrupted(empty::take);
    assertInterrupted(() -> empty.poll(1, SECONDS));
    assertInterrupted(() -> empty.put(trade(1))); // and where they need not wait
    assertInterrupted(full::take);
    assertInterrupted(() -> full.poll(1, SECONDS));
    assertThat(full).hasSize(CAPACITY);
    assertThat(empty).isEmpty();
    RecordQueue<Trade> parked = kind.parking();
    TestCall<Boolean> waiting =
        TestCall.of(
            () -> {
              Throws.a(InterruptedException.class, parked::take);
              return Thread.currentThread().isInterrupted();
            });
    waiting.awaitResting().thread().interrupt();
    assertThat(waiting.result()).isFalse();
  }

  private static void assertInterrupted(TestCall.Body waiting) {
    Thread.currentThread().interrupt();
    Throws.a(InterruptedException.class, waiting::run);
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void offerAndPoll_whenInterrupted_keepTheInterrupt() {
    RecordQueue<Trade> queue = kind.trades();
    Thread.currentThread().interrupt();
    assertThat(queue.offer(trade(1))).isTrue();
    assertThat(queue.poll()).isEqualTo(trade(1));
    assertThat(queue.poll()).isNull();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void drainTo_whenTheTargetThrows_keepsTheRecord() {
    RecordQueue<Trade> queue = kind.full();
    BlockingQueue<Trade> target = new ArrayBlockingQueue<>(1);
    Throws.illegalState("Queue full", () -> queue.drainTo(target));
    assertThat(target).containsExactly(trade(0));
    assertThat(queue).hasSize(3).containsExactly(trade(1), trade(2), trade(3));
    assertThat(queue.contains(trade(1))).isTrue();
    assertThat(queue.peek()).isEqualTo(trade(1));
    assertThat(queue.remainingCapacity()).isEqualTo(1);
    Throws.a(UnsupportedOperationException.class, () -> queue.drainTo(List.of(), 1));
    assertThat(emptied(queue)).containsExactly(trade(1), trade(2), trade(3));
    assertThat(queue).isEmpty();
    assertThat(queue.peek()).isNull();
  }

  @Test
  void drainTo_whenTheTargetThrowsAtTheLastOfAClosedQueue_keepsTheRecord() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    queue.add(trade(1));
    queue.close();
    Throws.a(UnsupportedOperationException.class, () -> queue.drainTo(List.of()));
    assertThat(queue.isEmpty()).isFalse();
    assertThat(queue.take()).isEqualTo(trade(1));
    assertClosed(queue::take);
  }

  @Test
  void drainTo_whenTheTargetThrows_wakesAConsumerThatParks() throws Exception {
    assumeThat(kind).as("once").isEqualTo(Kind.MPMC);
    RecordQueue<Trade> queue = Kind.MPMC.parking();
    queue.add(trade(1));
    AtomicReference<TestCall<Trade>> take = new AtomicReference<>();
    Collection<Trade> target =
        new ArrayList<>() {
          @Override
          public boolean add(Trade element) {
            take.set(TestCall.of(queue::take).awaitResting());
            throw new UnsupportedOperationException("as a full target");
          }
        };
    Throws.a(UnsupportedOperationException.class, () -> queue.drainTo(target));
    assertThat(take.get().result()).isEqualTo(trade(1));
  }

  @Test
  void contains_whileAnOlderPutIsUnderWay_findsWhatWasPut() {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    RecordQueue<Trade> queue = kind.trades();
    assertThat(queue.offer(trade(0))).isTrue();
    long open = claim(queue); // like a producer that is held up halfway
    assertThat(queue.offer(trade(2))).isTrue();
    assertThat(queue.contains(trade(2))).isTrue();
    assertThat(queue.toArray()).containsExactly(trade(0), trade(2));
    assertThat(queue.stream()).containsExactly(trade(0), trade(2));
    commit(queue, open, trade(1));
    assertThat(queue).containsExactly(trade(0), trade(1), trade(2));
  }

  @Test
  void contains_besideOtherProducers_findsWhatItsThreadHasPut() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(8));
    CyclicBarrier together = new CyclicBarrier(4, queue::clear);
    AtomicLong next = new AtomicLong();
    TestCall.Body putting =
        () -> {
          for (int i = 0; i < 500; i++) {
            for (int k = 0; k < 2; k++) {
              Trade mine = trade(next.getAndIncrement());
              assertThat(queue.offer(mine)).isTrue();
              assertThat(queue.contains(mine)).as("%s", mine).isTrue();
            }
            together.await();
          }
        };
    TestCall.results(TestCall.run(4, putting));
  }

  @Test
  void iterator_showsWhatWasThereAtTheCall() {
    RecordQueue<Trade> queue = kind.full();
    Iterator<Trade> iterator = queue.iterator();
    queue.clear();
    assertThat(iterator).toIterable().containsExactly(trade(0), trade(1), trade(2), trade(3));
  }

  @Test
  void removal_fromTheMidst_isUnsupported() {
    RecordQueue<Trade> queue = kind.full();
    assertUnsupported(() -> queue.remove(trade(1)));
    assertUnsupported(() -> queue.removeIf(trade -> true));
    assertUnsupported(() -> queue.removeAll(List.of()));
    assertUnsupported(() -> queue.retainAll(List.of()));
    Iterator<Trade> iterator = queue.iterator();
    iterator.next();
    assertUnsupported(iterator::remove);
    assertThat(queue).hasSize(CAPACITY);
  }

  private static void assertUnsupported(Runnable removal) {
    Throws.a(UnsupportedOperationException.class, removal::run);
  }

  @Test
  void offer_ofNull_throwsAndChangesNothing() {
    RecordQueue<Named> queue = kind.make(Named.class, QueueOptions.ofCapacity(2));
    Throws.a(NullPointerException.class, "element must not be null...", () -> queue.offer(null));
    Throws.a(NullPointerException.class, () -> queue.put(null));
    assertThat(queue.remainingCapacity()).isEqualTo(2);
    assertThat(queue.offer(new Named("1234"))).isTrue();
    assertThat(queue.offer(new Named(""))).isTrue();
    assertThat(emptied(queue)).containsExactly(new Named("1234"), new Named(""));
  }

  @Test
  void offer_whenAnAccessorThrows_changesNothingAndLeavesNoGap() throws Exception {
    RecordQueue<Fragile> queue = kind.make(Fragile.class, QueueOptions.ofCapacity(2));
    for (int i = 0; i < 5; i++) {
      assertFragile(() -> queue.offer(new Fragile(-1)));
      assertFragile(() -> queue.put(new Fragile(-1)));
      assertThat(queue).isEmpty();
      assertThat(queue.remainingCapacity()).isEqualTo(2);
      assertThat(queue.offer(new Fragile(i))).isTrue();
      assertThat(queue.poll()).isEqualTo(new Fragile(i));
      assertThat(queue.poll()).isNull();
    }
    queue.put(new Fragile(1));
    assertThat(queue.offer(new Fragile(2), 1, SECONDS)).isTrue();
    assertFragile(() -> queue.offer(new Fragile(-1)));
    assertThat(emptied(queue)).containsExactly(new Fragile(1), new Fragile(2));
  }

  /** A record whose accessor returns what its constructor refuses. */
  record Liar(int value, String text) {
    Liar {
      if (value < 0) {
        throw new ArithmeticException("negative");
      }
    }

    @Override
    public int value() {
      return value - 1;
    }
  }

  @Test
  void taking_whenTheConstructorThrows_losesThatRecordAlone() throws Exception {
    RecordQueue<Liar> queue = kind.make(Liar.class, QueueOptions.ofCapacity(CAPACITY));
    Liar spilled = new Liar(0, "long".repeat(100));
    queue.addAll(List.of(new Liar(5, "a"), new Liar(0, "b"), spilled, new Liar(1, "c")));
    assertThat(queue.take()).isEqualTo(new Liar(4, "a"));
    String message =
        "record is lost, because making it again failed: type=...Liar, sequence=1,"
            + " java.lang.ArithmeticException: negative";
    Throws.illegalState(message, queue::poll);
    assertThat(queue.take()).isSameAs(spilled);
    assertThat(queue.take()).isEqualTo(new Liar(0, "c"));
    for (int i = 0; i < 2 * CAPACITY; i++) { // each slot was freed
      queue.put(new Liar(i, ""));
      if (i == 0) {
        Throws.illegalState("record is lost...", queue::take);
      } else {
        assertThat(queue.take()).isEqualTo(new Liar(i - 1, ""));
      }
    }
  }

  private static void assertFragile(TestCall.Body call) {
    Throws.illegalState("value must be at least 0: value=-1", call::run);
  }

  /** A record that looks into the queue while it is put there. */
  record Curious(int value) {
    private static RecordQueue<Curious> queue;
    private static int reads;

    @Override
    public int value() {
      reads++;
      if (queue != null) {
        assertThat(queue.size()).isZero();
        assertThat(queue.peek()).isNull();
      }
      return value;
    }
  }

  @Test
  void offer_readsARecordOnceBeforeItTakesASlot() {
    RecordQueue<Curious> queue = kind.make(Curious.class, QueueOptions.ofCapacity(2));
    Curious.queue = queue;
    Curious.reads = 0;
    assertThat(queue.offer(new Curious(1))).isTrue();
    assertThat(Curious.reads).isEqualTo(1);
    Curious.queue = null;
    assertThat(queue.poll()).isEqualTo(new Curious(1));
  }

  @Test
  void close_whenRecordsAreLeft_letsThemBeTaken() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    queue.close();
    assertClosed(() -> queue.offer(trade(9)));
    assertClosed(() -> queue.put(trade(9)));
    assertThat(queue.take()).isEqualTo(trade(0));
    assertThat(emptied(queue)).containsExactly(trade(1), trade(2), trade(3));
    assertThat(queue.poll()).isNull();
    assertThat(queue.peek()).isNull();
    assertThat(queue).isEmpty();
    assertClosed(queue::take);
  }

  @Test
  void complete_whenRecordsAreLeft_isDrainedOnceTheyAreTaken() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    TestCall<Boolean> drained = TestCall.of(() -> queue.awaitDrained(TestCall.LONG));
    assertThat(queue.isDrained()).isFalse();
    queue.complete();
    queue.complete();
    assertClosed(() -> queue.put(trade(9)));
    assertThat(queue.awaitDrained(Duration.ofMillis(1))).isFalse();
    List<Trade> taken = new ArrayList<>();
    queue.takeEach(taken::add);
    assertThat(taken).containsExactly(trade(0), trade(1), trade(2), trade(3));
    assertThat(queue.isDrained()).isTrue();
    assertThat(drained.result()).isTrue();
    queue.takeEach(taken::add);
    assertThat(taken).hasSize(CAPACITY);
  }

  @Test
  void isDrained_whileARecordIsKeptAside_isFalse() {
    RecordQueue<Trade> queue = kind.trades();
    assertThat(queue.offer(trade(1))).isTrue();
    queue.complete();
    Throws.a(UnsupportedOperationException.class, () -> queue.drainTo(List.of()));
    assertThat(queue.isDrained()).isFalse();
    assertThat(queue.poll()).isEqualTo(trade(1));
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void takeEach_waitsForRecordsUntilTheEnd() throws Exception {
    RecordQueue<Trade> queue = kind.parking();
    List<Trade> taken = Collections.synchronizedList(new ArrayList<>());
    TestCall<Boolean> consumer = TestCall.run(() -> queue.takeEach(taken::add)).awaitParked(true);
    queue.put(trade(1));
    queue.put(trade(2));
    queue.complete();
    assertThat(consumer.result()).isTrue();
    assertThat(taken).containsExactly(trade(1), trade(2));
  }

  @Test
  void takeEach_whenTheHandlerThrows_leavesTheOthers() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    Throws.a(
        IllegalStateException.class,
        () ->
            queue.takeEach(
                trade -> {
                  throw new IllegalStateException("the handler's");
                }));
    assertThat(queue.take()).isEqualTo(trade(1));
  }

  @Test
  void close_whileAPutIsUnderWay_waitsForItsRecord() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    assertThat(queue.offer(trade(1))).isTrue();
    assertThat(queue.poll()).isEqualTo(trade(1));
    long sequence = claim(queue); // like a producer that is held up halfway
    queue.close();
    assertThat(queue.store.tryPoll(queue.store.protocol, queue.store.ring)).isEqualTo(Ring.NONE);
    assertThat(queue.poll(1, MILLISECONDS)).isNull();
    assertThat(queue.store.isDrained()).isFalse();
    commit(queue, sequence, trade(2));
    assertThat(claim(queue)).isEqualTo(Ring.CLOSED);
    assertThat(queue.poll()).isEqualTo(trade(2));
    assertClosed(queue::take);
  }

  @Test
  void close_whileAConsumerParksBehindAPut_wakesItAtTheEnd() throws Exception {
    RecordQueue<Trade> queue = kind.parking();
    long sequence = claim(queue);
    queue.close();
    TestCall<Trade> take = TestCall.of(queue::take).awaitResting();
    commit(queue, sequence, trade(3));
    assertThat(take.result()).isEqualTo(trade(3));
    assertClosed(queue::take);
  }

  @Test
  void close_whenAllIsTaken_freesTheMemoryLater() {
    RecordQueue<Trade> quiet = kind.trades();
    quiet.add(trade(1));
    quiet.remove();
    quiet.close();
    RecordQueue<Trade> used = kind.full();
    used.close();
    MemorySegment memory = used.store.ring.memory();
    assertThat(emptied(used)).hasSize(CAPACITY);
    assertThat(memory.scope().isAlive()).isTrue(); // a producer may be reading it for the last time
    TestCall.await(() -> !quiet.store.ring.memory().scope().isAlive());
    TestCall.await(() -> !memory.scope().isAlive());
    assertThat(used.poll()).isNull();
    assertThat(used.peek()).isNull();
    assertThat(used.contains(trade(1))).isFalse();
    assertClosed(() -> used.put(trade(1)));
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void memory_whenTheQueueIsUnreachable_isFreed() {
    MemorySegment memory = kind.full().store.ring.memory();
    TestCall.await(
        () -> {
          System.gc();
          return !memory.scope().isAlive();
        });
  }

  @Test
  void of_whenOptionsDoNotFit_saysSo() {
    assumeThat(kind).as("once").isEqualTo(Kind.MPMC);
    QueueOptions options = QueueOptions.ofCapacity(2);
    Throws.illegalArgument(
        "onFull must be one of [WAIT] in this kind of queue: onFull=DROP_OLDEST",
        () -> RecordQueue.of(Trade.class, options.withOnFull(OnFull.DROP_OLDEST)));
    Throws.illegalArgument(
        "capacity must be in 1..1073741824: capacity=0", () -> RecordQueue.of(Trade.class, 0));
    Throws.illegalArgument(
        "stallNanos must be FOREVER in this kind of queue: stallNanos=1000000",
        () -> RecordQueue.spsc(Trade.class, options.withStallLimit(Duration.ofMillis(1))));
  }

  @Test
  void of_ofOneRecordAndKind_hasOneClass() {
    assumeThat(kind).as("once").isEqualTo(Kind.MPMC);
    assertThat(Kind.MPMC.trades().getClass()).isSameAs(Kind.MPMC.trades().getClass());
    assertThat(Kind.MPMC.trades().getClass()).isNotSameAs(Kind.MPSC.trades().getClass());
    assertThat(Kind.MPMC.trades().getClass())
        .isNotSameAs(Kind.MPMC.make(Named.class, QueueOptions.ofCapacity(2)).getClass());
  }

  @Test
  void offer_allocatesNothing() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    Trade trade = trade(1);
    long bytes = 0;
    for (int i = 0; i < 40_000; i++) {
      long own = Allocations.bytesIn(() -> queue.offer(trade));
      bytes += i < 30_000 ? 0 : own;
      queue.poll();
    }
    assertThat(bytes).isLessThan(10_000); // less than one byte for each
  }

  @Test
  void records_ofManyThreads_areTakenOnceEach() throws Exception {
    int producers = kind == Kind.SPSC ? 1 : 2;
    int consumers = kind == Kind.MPMC ? 2 : 1;
    int records = 5_000;
    RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(64));
    AtomicLong sum = new AtomicLong();
    TestCall.Body putting =
        () -> {
          for (int i = 1; i <= records; i++) {
            queue.put(trade(i));
          }
        };
    int each = records * producers / consumers;
    TestCall.Body taking =
        () -> {
          for (int i = 0; i < each; i++) {
            Trade trade = queue.take();
            assertThat(trade.price()).isEqualTo(trade.id() / 2.0);
            sum.addAndGet(trade.id());
          }
        };
    List<TestCall<Boolean>> puts = TestCall.run(producers, putting);
    TestCall.results(TestCall.run(consumers, taking));
    TestCall.results(puts);
    assertThat(sum.get()).isEqualTo((long) producers * records * (records + 1) / 2);
    assertThat(queue.poll()).isNull();
  }

  // ---- as the JDK's queues ----

  /** A record whose accessor can be held. */
  record Slow(int value) {
    private static volatile CountDownLatch inside;
    private static volatile CountDownLatch goOn;

    @Override
    public int value() {
      CountDownLatch wait = goOn;
      if (wait != null) {
        inside.countDown();
        try {
          wait.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return value;
    }
  }

  @Test
  void close_whileAPutReadsItsRecord_letsThePutThrow() throws Exception {
    RecordQueue<Slow> queue = kind.make(Slow.class, QueueOptions.ofCapacity(8));
    queue.add(new Slow(6));
    Slow.inside = new CountDownLatch(1);
    Slow.goOn = new CountDownLatch(1);
    CountDownLatch goOn = Slow.goOn;
    TestCall<Boolean> put = TestCall.run(() -> queue.put(new Slow(7)));
    Slow.inside.await();
    queue.close();
    queue.close(); // once more does nothing
    goOn.countDown();
    Slow.goOn = null;

    assertThat(put.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("queue is closed");
    assertThat(queue.poll()).isEqualTo(new Slow(6));
    assertThat(queue.poll()).isNull();
    assertThat(queue.poll(1, TimeUnit.SECONDS)).isNull();
    assertClosed(queue::take);
    assertClosed(() -> queue.put(new Slow(8)));
  }

  @Test
  void stream_hasTheCharacteristicsOfAConcurrentQueue() {
    RecordQueue<Slow> queue = kind.make(Slow.class, QueueOptions.ofCapacity(64));
    for (int i = 0; i < 64; i++) {
      queue.add(new Slow(i));
    }

    assertThat(queue.spliterator().characteristics())
        .isEqualTo(Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.CONCURRENT);
    assertThat(queue.parallelStream().findFirst()).contains(new Slow(0));
  }

  @Test
  void drainTo_whileAProducerKeepsUp_ends() {
    RecordQueue<Slow> queue = kind.make(Slow.class, QueueOptions.ofCapacity(4));
    queue.add(new Slow(0));
    queue.add(new Slow(1));
    List<Slow> target =
        new ArrayList<>() {
          @Override
          public boolean add(Slow element) {
            assertThat(this).as("drained without end").hasSizeLessThan(100);
            queue.add(new Slow(element.value() + 2)); // a producer that keeps up
            return super.add(element);
          }
        };

    assertThat(queue.drainTo(target)).isEqualTo(2);
    assertThat(target).containsExactly(new Slow(0), new Slow(1));
  }
}
