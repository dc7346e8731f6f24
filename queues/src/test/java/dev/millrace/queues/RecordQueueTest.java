package dev.millrace.queues;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.Utf8;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.Spliterator;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The queues of records, by what the JDK says of a {@link BlockingQueue}. */
@ParameterizedClass
@EnumSource(RecordQueueTest.Kind.class)
@Timeout(60)
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
    <E extends Record> RecordQueue<E> make(Class<E> type, QueueOptions options);
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

    <E extends Record> RecordQueue<E> make(Class<E> type, QueueOptions options) {
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

  /** Goes on with a put that was held up after its claim. */
  private static void commit(RecordQueue<Trade> queue, long sequence, Trade trade) {
    Ring ring = queue.slots.ring;
    long offset = ring.recordOffset(sequence);
    ring.memory().set(ValueLayout.JAVA_LONG, offset, trade.id());
    ring.memory().set(ValueLayout.JAVA_DOUBLE, offset + 8, trade.price());
    assertThat(queue.slots.commit(sequence)).isTrue();
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

  @Test
  void poll_afterOffers_returnsThemInOrderAgainAndAgain() {
    try (RecordQueue<Trade> queue = kind.trades()) {
      Queue<Trade> model = new ArrayDeque<>();
      for (int i = 0; i < 10 * CAPACITY; i++) {
        queue.add(trade(i));
        model.add(trade(i));
        if (i % 3 != 0 || model.size() == CAPACITY) {
          assertThat(queue.poll()).isEqualTo(model.poll());
        }
        if (model.size() == CAPACITY) {
          assertThat(queue.remove()).isEqualTo(model.remove());
        }
        assertThat(queue).hasSameSizeAs(model).containsExactlyElementsOf(model);
      }
    }
  }

  @Test
  void offer_whenFull_returnsFalse() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    assertThat(queue.remainingCapacity()).isZero();
    assertThat(queue.offer(trade(9))).isFalse();
    assertThat(queue.offer(trade(9), 1, MILLISECONDS)).isFalse();
    assertThatThrownBy(() -> queue.add(trade(9)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Queue full");
    assertThat(emptied(queue)).containsExactly(trade(0), trade(1), trade(2), trade(3));
    assertThat(queue.remainingCapacity()).isEqualTo(CAPACITY);
  }

  @Test
  void offer_whenTheCapacityIsNoPowerOfTwo_admitsExactlyAsMany() {
    for (int capacity : new int[] {1, 2, 3, 5, 7, 10, 100}) {
      RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(capacity));
      for (int lap = 0; lap < 3; lap++) {
        for (int i = 0; i < capacity; i++) {
          assertThat(queue.remainingCapacity()).isEqualTo(capacity - i);
          assertThat(queue.offer(trade(i))).isTrue();
        }
        assertThat(queue.remainingCapacity()).isZero();
        assertThat(queue.offer(trade(-1))).isFalse();
        assertThat(queue.remove()).isEqualTo(trade(0));
        assertThat(queue.offer(trade(capacity))).isTrue();
        assertThat(queue.offer(trade(-1))).isFalse();
        assertThat(queue).hasSize(capacity);
        for (int i = 1; i <= capacity; i++) {
          assertThat(queue.peek()).isEqualTo(trade(i));
          assertThat(queue.poll()).isEqualTo(trade(i));
        }
        assertThat(queue.poll()).isNull();
      }
    }
  }

  @Test
  void put_afterALongerPauseThanTheStallLimit_putsTheRecordAgain() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    QueueOptions options = QueueOptions.ofCapacity(3).withStallLimit(Duration.ofMillis(2));
    RecordQueue<Trade> queue = kind.make(Trade.class, options);
    long[] stalled = {queue.slots.tryClaim(), queue.slots.tryClaim(), 0};
    assertThat(queue.poll()).isNull(); // gives them up
    assertAllPass(queue);
    assertThat(queue.metrics().values()).containsExactly(10L, 10L, 2L, 0L, 3L);
    stalled[2] = queue.slots.tryClaim();
    assertThat(queue.poll()).isNull();
    assertThatThrownBy(() -> assertAllPass(queue))
        .hasMessage("queue must have room, but producers that stalled hold all of it: capacity=3");
    for (long sequence : stalled) {
      assertThat(queue.slots.commit(sequence)).isFalse();
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
    assertThat(queue.counters()).containsExactly("put", "taken", "stalled");
    assertThat(queue.gauges()).containsExactly("size", "capacity");
    for (int i = 0; i < 5; i++) {
      queue.add(trade(i));
    }
    queue.remove();
    queue.remove();
    assertThat(queue.metrics().values()).containsExactly(5L, 2L, 0L, 3L, 5L);
    assertThatThrownBy(() -> queue.drainTo(List.of()))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(queue.metrics().values()).containsExactly(5L, 2L, 0L, 3L, 5L);
    assertThatThrownBy(() -> queue.readMetrics(new long[4]))
        .isInstanceOf(IndexOutOfBoundsException.class);
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
    FutureTask<Object> drain =
        QueueContract.started(() -> queue.drainTo(target, 10, Duration.ofSeconds(Long.MAX_VALUE)));
    for (int i = 2; i < 12; i++) {
      queue.put(trade(i));
    }
    assertThat(drain.get(10, SECONDS)).isEqualTo(10);
    assertThat(target)
        .extracting(Trade::id)
        .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
    assertInterrupted(() -> queue.drainTo(target, 1, Duration.ZERO));
    assertThatThrownBy(() -> queue.drainTo(queue, 1, Duration.ZERO))
        .hasMessage("target must be another collection: target=this");
  }

  private static void assertClosed(Waiting call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("queue is closed");
  }

  @Test
  void drainTo_withATimeout_keepsWhatTheTargetRefuses() throws Exception {
    RecordQueue<Trade> queue = kind.parking();
    FutureTask<Object> drain =
        QueueContract.parked(() -> queue.drainTo(List.of(), 2, Duration.ofSeconds(50)));
    queue.put(trade(0));
    assertThatThrownBy(() -> drain.get(10, SECONDS))
        .hasCauseInstanceOf(UnsupportedOperationException.class);
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
  void poll_whenEmpty_returnsNull() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    assertThat(queue.poll()).isNull();
    assertThat(queue.peek()).isNull();
    long begin = System.nanoTime();
    assertThat(queue.poll(20, MILLISECONDS)).isNull();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(20));
    assertThatThrownBy(queue::remove).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(queue::element).isInstanceOf(NoSuchElementException.class);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void peek_whenThereAreRecords_leavesThem() {
    RecordQueue<Trade> queue = kind.full();
    for (int i = 0; i < CAPACITY; i++) {
      assertThat(queue.peek()).isEqualTo(trade(i));
      assertThat(queue.element()).isEqualTo(trade(i));
      assertThat(queue.poll()).isEqualTo(trade(i));
    }
    assertThat(queue.peek()).isNull();
  }

  @Test
  void put_whenFull_waitsForRoom() throws Exception {
    RecordQueue<Trade> queue = kind.full();
    FutureTask<Void> put = started(() -> queue.put(trade(9)));
    assertThat(put.isDone()).isFalse();
    assertThat(queue.poll()).isEqualTo(trade(0));
    put.get(10, SECONDS);
    assertThat(emptied(queue)).containsExactly(trade(1), trade(2), trade(3), trade(9));
  }

  @Test
  void take_whenEmpty_waitsForARecord() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    List<Trade> taken = new ArrayList<>();
    FutureTask<Void> take =
        started(
            () -> {
              taken.add(queue.take());
              taken.add(queue.poll(10, SECONDS));
            });
    assertThat(queue.offer(trade(1), 10, SECONDS)).isTrue();
    queue.put(trade(2));
    take.get(10, SECONDS);
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
    assertThat(full).hasSize(CAPACITY);
    RecordQueue<Trade> parked = kind.parking();
    AtomicReference<Thread> thread = new AtomicReference<>();
    FutureTask<Object> waiting =
        QueueContract.parked(
            () -> {
              thread.set(Thread.currentThread());
              assertThatThrownBy(parked::take).isInstanceOf(InterruptedException.class);
              return Thread.currentThread().isInterrupted();
            });
    thread.get().interrupt();
    assertThat(waiting.get(10, SECONDS)).isEqualTo(false);
  }

  private interface Waiting {
    void run() throws Exception;
  }

  private static void assertInterrupted(Waiting waiting) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(waiting::run).isInstanceOf(InterruptedException.class);
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
  void drainTo_takesUpToTheLimit() {
    RecordQueue<Trade> queue = kind.full();
    List<Trade> target = new ArrayList<>();
    assertThat(queue.drainTo(target, 0)).isZero();
    assertThat(queue.drainTo(target, -1)).isZero();
    assertThat(queue.drainTo(target, 3)).isEqualTo(3);
    assertThat(queue.drainTo(target)).isEqualTo(1);
    assertThat(queue.drainTo(target)).isZero();
    assertThat(target).containsExactly(trade(0), trade(1), trade(2), trade(3));
    assertThatThrownBy(() -> queue.drainTo(queue))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("target must be another collection: target=this");
    assertThatThrownBy(() -> queue.drainTo(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void drainTo_whenTheTargetThrows_keepsTheRecord() {
    RecordQueue<Trade> queue = kind.full();
    BlockingQueue<Trade> target = new ArrayBlockingQueue<>(1);
    assertThatThrownBy(() -> queue.drainTo(target))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Queue full");
    assertThat(target).containsExactly(trade(0));
    assertThat(queue).hasSize(3).containsExactly(trade(1), trade(2), trade(3));
    assertThat(queue.contains(trade(1))).isTrue();
    assertThat(queue.peek()).isEqualTo(trade(1));
    assertThat(queue.remainingCapacity()).isEqualTo(1);
    assertThatThrownBy(() -> queue.drainTo(List.of(), 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(emptied(queue)).containsExactly(trade(1), trade(2), trade(3));
    assertThat(queue).isEmpty();
    assertThat(queue.peek()).isNull();
  }

  @Test
  void drainTo_whenTheTargetThrowsAtTheLastOfAClosedQueue_keepsTheRecord() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    queue.add(trade(1));
    queue.close();
    assertThatThrownBy(() -> queue.drainTo(List.of()))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(queue.isEmpty()).isFalse();
    assertThat(queue.take()).isEqualTo(trade(1));
    assertClosed(queue::take);
  }

  @Test
  void drainTo_whenTheTargetThrows_wakesAConsumerThatParks() throws Exception {
    RecordQueue<Trade> queue = Kind.MPMC.parking();
    queue.add(trade(1));
    AtomicReference<FutureTask<Object>> take = new AtomicReference<>();
    Collection<Trade> target =
        new ArrayList<>() {
          @Override
          public boolean add(Trade element) {
            take.set(QueueContract.parked(queue::take));
            throw new UnsupportedOperationException("as a full target");
          }
        };
    assertThatThrownBy(() -> queue.drainTo(target))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(take.get().get(10, SECONDS)).isEqualTo(trade(1));
  }

  @Test
  void clear_whenFull_leavesNothing() {
    RecordQueue<Trade> queue = kind.full();
    queue.clear();
    assertThat(queue).isEmpty();
    assertThat(queue.poll()).isNull();
    assertThat(queue.offer(trade(1))).isTrue();
  }

  @Test
  void contains_tellsByEquality() {
    RecordQueue<Trade> queue = kind.full();
    assertThat(queue.contains(trade(3))).isTrue();
    assertThat(queue.contains(trade(4))).isFalse();
    assertThat(queue.contains(null)).isFalse();
    assertThat(queue.containsAll(List.of(trade(0), trade(1)))).isTrue();
    assertThat(queue.toArray()).containsExactly(trade(0), trade(1), trade(2), trade(3));
    assertThat(queue).hasToString(List.of(trade(0), trade(1), trade(2), trade(3)).toString());
  }

  @Test
  void contains_whileAnOlderPutIsUnderWay_findsWhatWasPut() {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    RecordQueue<Trade> queue = kind.trades();
    assertThat(queue.offer(trade(0))).isTrue();
    long open = queue.slots.tryClaim(); // like a producer that is held up halfway
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
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int p = 0; p < 4; p++) {
      long first = p * 1_000_000L;
      tasks.add(
          started(
              () -> {
                for (int i = 0; i < 5_000; i++) {
                  for (int k = 0; k < 2; k++) {
                    Trade mine = trade(first + 2L * i + k);
                    assertThat(queue.offer(mine)).isTrue();
                    assertThat(queue.contains(mine)).as("%s", mine).isTrue();
                  }
                  together.await();
                }
              }));
    }
    awaitAll(tasks);
  }

  @Test
  void size_besideAThread_isNeverMoreThanThereWere() throws Exception {
    RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(1024));
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<Void> alternating = putAndTakeUntil(stop, queue);
    for (int i = 0; i < 500_000; i++) {
      assertSizeAtMostOne(queue);
    }
    stop.set(true);
    alternating.get();
    assertThat(queue).isEmpty();
  }

  private static FutureTask<Void> putAndTakeUntil(AtomicBoolean stop, RecordQueue<Trade> queue) {
    return started(
        () -> {
          while (!stop.get()) {
            queue.offer(trade(1));
            queue.poll();
          }
        });
  }

  private static void assertSizeAtMostOne(RecordQueue<Trade> queue) {
    int size = queue.size();
    if (size > 1 || queue.remainingCapacity() < 1023) {
      assertThat(size).isLessThanOrEqualTo(1);
      assertThat(queue.remainingCapacity()).isGreaterThanOrEqualTo(1023);
    }
  }

  @Test
  void isEmpty_ofAQueueThatNeverIs_isFalse() throws Exception {
    RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(4));
    queue.add(trade(0));
    AtomicBoolean stop = new AtomicBoolean();
    FutureTask<Void> alternating = putAndTakeUntil(stop, queue);
    for (int i = 0; i < 500_000; i++) {
      if (queue.isEmpty()) {
        throw new AssertionError("empty");
      }
    }
    stop.set(true);
    alternating.get();
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
    assertThatThrownBy(removal::run).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void offer_whenARecordCannotBeKept_throwsAndChangesNothing() {
    RecordQueue<Named> queue = kind.make(Named.class, QueueOptions.ofCapacity(2));
    assertThatThrownBy(() -> queue.offer(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageStartingWith("element must not be null");
    assertThatThrownBy(() -> queue.put(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> queue.offer(new Named(null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("component must not be null: component=Named.name");
    assertThatThrownBy(() -> queue.put(new Named("12345")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Named.name must be at most 4 bytes: Named.name=12345");
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

  private static void assertFragile(Waiting call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("value must be at least 0: value=-1");
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
  void close_whileAPutIsUnderWay_waitsForItsRecord() throws Exception {
    RecordQueue<Trade> queue = kind.trades();
    assertThat(queue.offer(trade(1))).isTrue();
    assertThat(queue.poll()).isEqualTo(trade(1));
    long sequence = queue.slots.tryClaim(); // like a producer that is held up halfway
    queue.close();
    assertThat(queue.slots.tryPoll()).isEqualTo(RecordSlots.NONE);
    assertThat(queue.poll(1, MILLISECONDS)).isNull();
    assertThat(queue.slots.isDrained()).isFalse();
    commit(queue, sequence, trade(2));
    assertThat(queue.slots.tryClaim()).isEqualTo(RecordSlots.CLOSED);
    assertThat(queue.poll()).isEqualTo(trade(2));
    assertClosed(queue::take);
  }

  @Test
  void close_whileAConsumerParksBehindAPut_wakesItAtTheEnd() throws Exception {
    RecordQueue<Trade> queue = kind.parking();
    long sequence = queue.slots.tryClaim();
    queue.close();
    FutureTask<Object> take = QueueContract.parked(queue::take);
    commit(queue, sequence, trade(3));
    assertThat(take.get(10, SECONDS)).isEqualTo(trade(3));
    assertClosed(queue::take);
  }

  @Test
  void close_besidePutsAndTakes_losesNothing() throws Exception {
    int each = kind == Kind.SPSC ? 1 : 2;
    for (int round = 0; round < 200; round++) {
      RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(2 << round % 5));
      AtomicLong put = new AtomicLong();
      AtomicLong taken = new AtomicLong();
      CountDownLatch begun = new CountDownLatch(each);
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (int p = 0; p < each; p++) {
        tasks.add(
            started(
                () -> {
                  begun.countDown();
                  assertEnds(
                      () -> {
                        queue.put(trade(1));
                        put.incrementAndGet();
                      });
                }));
      }
      tasks.add(
          started(
              () ->
                  assertEnds(
                      () -> {
                        assertThat(queue.take()).isEqualTo(trade(1));
                        taken.incrementAndGet();
                      })));
      begun.await();
      for (int i = round * 20; i > 0; i--) {
        Thread.onSpinWait();
      }
      queue.close();
      awaitAll(tasks);
      assertThat(taken.get()).isEqualTo(put.get());
    }
  }

  /** Repeats it until it says that the queue is closed. */
  private static void assertEnds(Waiting call) throws Exception {
    try {
      while (true) {
        call.run();
      }
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageStartingWith("queue is closed");
    }
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void close_whenAllIsTaken_freesTheMemoryLater() throws Exception {
    RecordQueue<Trade> quiet = kind.trades();
    quiet.add(trade(1));
    quiet.remove();
    quiet.close();
    RecordQueue<Trade> used = kind.full();
    used.close();
    MemorySegment memory = used.slots.ring.memory();
    assertThat(emptied(used)).hasSize(CAPACITY);
    assertThat(memory.scope().isAlive()).isTrue(); // a producer may be amid its last look
    awaitFreed(quiet.slots.ring.memory());
    awaitFreed(memory);
    assertThat(used.poll()).isNull();
    assertThat(used.peek()).isNull();
    assertThat(used.contains(trade(1))).isFalse();
    assertClosed(() -> used.put(trade(1)));
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  private static void awaitFreed(MemorySegment memory) throws InterruptedException {
    for (int i = 0; i < 1_000 && memory.scope().isAlive(); i++) {
      Thread.sleep(10);
    }
    assertThat(memory.scope().isAlive()).isFalse();
  }

  @Test
  void memory_whenTheQueueIsUnreachable_isFreed() throws Exception {
    MemorySegment memory = kind.full().slots.ring.memory();
    for (int i = 0; i < 1_000 && memory.scope().isAlive(); i++) {
      System.gc();
      Thread.sleep(5);
    }
    assertThat(memory.scope().isAlive()).isFalse();
  }

  @Test
  void of_whenOptionsDoNotFit_saysSo() {
    QueueOptions options = QueueOptions.ofCapacity(2);
    assertThatThrownBy(() -> RecordQueue.of(Trade.class, options.withOnFull(OnFull.DROP_OLDEST)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("onFull must be one of [WAIT] in this kind of queue: onFull=DROP_OLDEST");
    assertThatThrownBy(() -> RecordQueue.of(Trade.class, 0))
        .hasMessage("capacity must be in 1..1073741824: capacity=0");
    assertThatThrownBy(
            () -> RecordQueue.spsc(Trade.class, options.withStallLimit(Duration.ofMillis(1))))
        .hasMessage("stallNanos must be FOREVER in this kind of queue: stallNanos=1000000");
  }

  @Test
  void of_ofOneRecordAndKind_hasOneClass() {
    assertThat(Kind.MPMC.trades().getClass()).isSameAs(Kind.MPMC.trades().getClass());
    assertThat(Kind.MPMC.trades().getClass()).isNotSameAs(Kind.MPSC.trades().getClass());
    assertThat(Kind.MPMC.trades().getClass())
        .isNotSameAs(Kind.MPMC.make(Named.class, QueueOptions.ofCapacity(2)).getClass());
  }

  @Test
  void offer_allocatesNothing() {
    RecordQueue<Trade> queue = kind.trades();
    Trade trade = trade(1);
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bytes = 0;
    for (int i = 0; i < 40_000; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      queue.offer(trade);
      bytes += i < 30_000 ? 0 : threads.getCurrentThreadAllocatedBytes() - before;
      queue.poll();
    }
    assertThat(bytes).isLessThan(10_000); // less than one byte for each
  }

  @Test
  void records_ofManyThreads_areTakenOnceEach() throws Exception {
    int producers = kind == Kind.SPSC ? 1 : 2;
    int consumers = kind == Kind.MPMC ? 2 : 1;
    int records = 50_000;
    RecordQueue<Trade> queue = kind.make(Trade.class, QueueOptions.ofCapacity(64));
    AtomicLong sum = new AtomicLong();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      tasks.add(
          started(
              () -> {
                for (int i = 1; i <= records; i++) {
                  queue.put(trade(i));
                }
              }));
    }
    int each = records * producers / consumers;
    for (int c = 0; c < consumers; c++) {
      tasks.add(
          started(
              () -> {
                for (int i = 0; i < each; i++) {
                  Trade trade = queue.take();
                  assertThat(trade.price()).isEqualTo(trade.id() / 2.0);
                  sum.addAndGet(trade.id());
                }
              }));
    }
    awaitAll(tasks);
    assertThat(sum.get()).isEqualTo((long) producers * records * (records + 1) / 2);
    assertThat(queue.poll()).isNull();
  }

  private static void awaitAll(List<FutureTask<Void>> tasks) throws Exception {
    for (FutureTask<Void> task : tasks) {
      task.get(50, SECONDS);
    }
  }

  private static FutureTask<Void> started(Waiting job) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              job.run();
              return null;
            });
    Thread.ofPlatform().daemon().start(task);
    return task;
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
    FutureTask<Void> put = started(() -> queue.put(new Slow(7)));
    Slow.inside.await();
    queue.close();
    queue.close(); // once more does nothing
    goOn.countDown();
    Slow.goOn = null;

    assertThatThrownBy(put::get)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("queue is closed");
    assertThat(queue.poll()).isEqualTo(new Slow(6));
    assertThat(queue.poll()).isNull();
    assertThat(queue.poll(1, TimeUnit.SECONDS)).isNull();
    assertClosed(queue::take);
    assertClosed(() -> queue.put(new Slow(8)));
  }

  @Test
  void timedForms_withNoTime_tryOnce() throws Exception {
    RecordQueue<Slow> queue = kind.make(Slow.class, QueueOptions.ofCapacity(2));

    assertThat(queue.poll(0, TimeUnit.SECONDS)).isNull();
    assertThat(queue.offer(new Slow(1), 0, TimeUnit.SECONDS)).isTrue();
    assertThat(queue.offer(new Slow(2), -1, TimeUnit.SECONDS)).isTrue();
    assertThat(queue.offer(new Slow(3), 0, TimeUnit.SECONDS)).isFalse();
    assertThat(queue.poll(0, TimeUnit.SECONDS)).isEqualTo(new Slow(1));
    assertThat(queue.poll(-1, TimeUnit.SECONDS)).isEqualTo(new Slow(2));
  }

  @Test
  void formsThatMayWait_ofAnInterruptedThread_throw() throws Exception {
    RecordQueue<Slow> queue = kind.make(Slow.class, QueueOptions.ofCapacity(4));
    queue.put(new Slow(1));

    assertInterrupted(() -> queue.put(new Slow(2)));
    assertInterrupted(queue::take);
    assertInterrupted(() -> queue.poll(1, TimeUnit.SECONDS));
    assertThat(queue.take()).isEqualTo(new Slow(1));
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
