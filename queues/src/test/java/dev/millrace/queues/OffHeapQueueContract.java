package dev.millrace.queues;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link OffHeapQueue} keeps; each kind extends it and adds what only it promises. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class OffHeapQueueContract {
  private static final List<Integer> BAD_CAPACITIES =
      List.of(Integer.MIN_VALUE, -1, 0, 1, 3, 12, (1 << 30) + 1, Integer.MAX_VALUE);

  abstract <F extends Flyweight> OffHeapQueue<F> newQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights);

  /** Whether claims are open side by side, aborted ones leave gaps, and the end frees nothing. */
  abstract boolean hasManyProducers();

  abstract boolean hasManyConsumers();

  final OffHeapQueue<Point> newQueue(QueueOptions options) {
    return newQueue(options, Point::new);
  }

  /** Frees what the end of the kind does not free. */
  final void close(OffHeapQueue<Point> queue) {
    if (hasManyProducers()) {
      queue.abandon();
    }
  }

  final OffHeapQueue<Point> newQueue(int capacity) {
    return newQueue(QueueOptions.ofCapacity(capacity));
  }

  static void put(OffHeapQueue<Point> queue, Point point, long value) {
    assertThat(queue.tryClaim(point)).isTrue();
    point.value(value);
    queue.commit(point);
  }

  static long take(OffHeapQueue<Point> queue, Point point) {
    assertThat(queue.tryPoll(point)).isTrue();
    long value = point.wholeValue();
    queue.release(point);
    return value;
  }

  static void putRun(OffHeapQueue<Point> queue, Point point, long first, int count) {
    assertThat(queue.tryClaim(point, count)).isTrue();
    for (int i = 0; i < count; i++, point.next()) {
      point.value(first + i);
    }
    queue.commit(point);
  }

  interface Body {
    void run() throws Exception;
  }

  static Thread start(AtomicReference<Throwable> end, Body body) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try {
                body.run();
              } catch (Throwable e) {
                end.set(e);
              }
            });
  }

  // ---- construction ----

  @Test
  void new_whenCapacityIsNoPowerOfTwo_namesRuleAndCapacity() {
    for (int capacity : BAD_CAPACITIES) {
      assertThatThrownBy(() -> newQueue(capacity))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("capacity must be a power of two in 2..1073741824: capacity=" + capacity);
    }
  }

  @Test
  void new_hasNothingInIt() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      assertThat(queue.capacity()).isEqualTo(4);
      assertThat(queue.sizeEstimate()).isZero();
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
      assertThat(queue.isClosed()).isFalse();
      assertThat(queue.isDrained()).isFalse();
      assertThat(queue.toString()).endsWith("[capacity=4, size~0, open]");
    }
  }

  @Test
  void newFlyweight_beforeItsFirstClaim_isOnNoRecord() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      put(queue, queue.newFlyweight(), 7);
      Point fresh = queue.newFlyweight();

      assertThatThrownBy(() -> fresh.value(666)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(fresh::value).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(take(queue, queue.newFlyweight())).isEqualTo(7);
    }
  }

  // ---- one at a time ----

  @Test
  void tryPoll_whenCommitted_hasTheRecordsInOrder() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      for (int lap = 0; lap < 10; lap++) {
        for (int i = 0; i < 3; i++) {
          put(queue, in, lap * 3 + i);
        }
        assertThat(queue.sizeEstimate()).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
          assertThat(take(queue, out)).isEqualTo(lap * 3 + i);
        }
        assertThat(queue.tryPoll(out)).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void tryClaim_whenFull_declinesUntilReleased(int capacity) {
    try (OffHeapQueue<Point> queue = newQueue(capacity)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      for (int i = 0; i < capacity; i++) {
        put(queue, in, i);
      }
      assertThat(queue.tryClaim(in)).isFalse();
      assertThat(queue.tryClaim()).isEqualTo(OffHeapQueue.FULL);
      assertThat(queue.sizeEstimate()).isEqualTo(capacity);

      assertThat(queue.tryPoll(out)).isTrue();
      assertThat(queue.tryClaim(in)).as("polled, not released").isFalse();
      queue.release(out);
      put(queue, in, capacity);
      for (int i = 1; i <= capacity; i++) {
        assertThat(take(queue, out)).isEqualTo(i);
      }
      assertThat(queue.tryPoll(out)).isFalse();
    }
  }

  @Test
  void commit_beforeIt_nothingIsVisible() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      assertThat(queue.tryClaim(in)).isTrue();
      in.value(1);
      assertThat(queue.tryPoll(out)).isFalse();
      assertThat(queue.sizeEstimate()).isEqualTo(hasManyProducers() ? 1 : 0);
      queue.commit(in);
      assertThat(take(queue, out)).isEqualTo(1);
    }
  }

  @Test
  void abort_givesTheSlotBack() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      for (int i = 0; i < 10; i++) {
        assertThat(queue.tryClaim(in, 2)).isTrue();
        in.value(-1);
        queue.abort(in);
        assertThat(queue.tryPoll(out)).isFalse();
        put(queue, in, i);
        assertThat(take(queue, out)).isEqualTo(i);
      }
    }
  }

  // ---- offsets ----

  @Test
  void offsets_pointAtTheRecords() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      for (long i = 0; i < 9; i++) {
        long claimed = queue.tryClaim();
        queue.memory().set(ValueLayout.JAVA_LONG, claimed, i);
        queue.commit(claimed);
        long polled = queue.tryPoll();
        assertThat(queue.memory().get(ValueLayout.JAVA_LONG, polled)).isEqualTo(i);
        queue.release(polled);
      }
      long aborted = queue.tryClaim();
      queue.abort(aborted);
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.EMPTY);
    }
  }

  @Test
  void offsets_whenOfAnotherSlot_areRefusedAndNothingChanges() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      long claimed = queue.tryClaim();
      assertThatThrownBy(() -> queue.commit(claimed + 8))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("offset=" + (claimed + 8));
      assertThatThrownBy(() -> queue.abort(claimed + 8))
          .isInstanceOf(IllegalArgumentException.class);
      queue.commit(claimed);
      long polled = queue.tryPoll();
      assertThatThrownBy(() -> queue.release(polled - 8))
          .isInstanceOf(IllegalArgumentException.class);
      queue.release(polled);
    }
  }

  // ---- runs ----

  @Test
  void runs_ofAllSizes_wrapAndKeepTheOrder() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      long written = 0;
      long read = 0;
      for (int round = 0; round < 200; round++) {
        int count = 1 + round % 8;
        putRun(queue, in, written, count);
        written += count;
        while (read < written) {
          int polled = queue.tryPoll(out, 1 + round % 5);
          assertThat(polled).isBetween(1, 1 + round % 5);
          for (int i = 0; i < polled; i++, out.next()) {
            assertThat(out.wholeValue()).isEqualTo(read++);
          }
          queue.release(out);
        }
        assertThat(queue.tryPoll(out, 8)).isZero();
      }
    }
  }

  @Test
  void tryClaim_whenRunDoesNotFit_claimsNone() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      put(queue, in, 0);
      assertThat(queue.tryClaim(in, 4)).isFalse();
      putRun(queue, in, 1, 3);
      assertThat(queue.sizeEstimate()).isEqualTo(4);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 5, Integer.MAX_VALUE})
  void tryClaim_whenCountOutOfRange_namesIt(int count) {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      assertThatThrownBy(() -> queue.tryClaim(queue.newFlyweight(), count))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("count must be in 1..4: count=" + count);
    }
  }

  @Test
  void tryPollAndDrain_whenLimitOutOfRange_nameIt() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point point = queue.newFlyweight();
      assertThatThrownBy(() -> queue.tryPoll(point, 0))
          .hasMessage("limit must be in 1..2147483647: limit=0");
      assertThatThrownBy(() -> queue.drain(point, p -> {}, -1))
          .hasMessage("limit must be in 1..2147483647: limit=-1");
    }
  }

  @Test
  void randomOperations_agreeWithAnArrayDeque() {
    for (long seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      int capacity = 2 << random.nextInt(5);
      try (OffHeapQueue<Point> queue = newQueue(capacity)) {
        Deque<Long> model = new ArrayDeque<>(); // GAP for a slot that was given back
        Point in = queue.newFlyweight();
        Point out = queue.newFlyweight();
        long next = 0;
        for (int step = 0; step < 2_000; step++) {
          int count = 1 + random.nextInt(capacity);
          String where = "seed " + seed + ", step " + step;
          switch (random.nextInt(6)) {
            case 0 -> {
              assertThat(queue.tryClaim(in)).as(where).isEqualTo(model.size() < capacity);
              if (model.size() < capacity) {
                in.value(next);
                queue.commit(in);
                model.add(next++);
              }
            }
            case 1 -> {
              boolean fits = model.size() + count <= capacity;
              assertThat(queue.tryClaim(in, count)).as(where).isEqualTo(fits);
              if (fits && random.nextInt(4) == 0) {
                queue.abort(in);
                for (int i = 0; i < count && hasManyProducers(); i++) {
                  model.add(GAP);
                }
              } else if (fits) {
                for (int i = 0; i < count; i++, in.next()) {
                  in.value(next);
                  model.add(next++);
                }
                queue.commit(in);
              }
            }
            case 2 -> {
              dropGaps(model);
              assertThat(queue.tryPoll(out)).as(where).isEqualTo(!model.isEmpty());
              if (!model.isEmpty()) {
                assertThat(out.wholeValue()).as(where).isEqualTo(model.remove());
                queue.release(out);
              }
            }
            case 3 -> {
              dropGaps(model);
              int polled = queue.tryPoll(out, count);
              assertThat(polled).as(where).isBetween(Math.min(1, model.size()), model.size());
              for (int i = 0; i < polled; i++, out.next()) {
                assertThat(out.wholeValue()).as(where).isEqualTo(model.remove());
              }
              if (polled > 0) {
                queue.release(out);
              }
            }
            case 4 -> {
              dropGaps(model);
              boolean hasRecords = !model.isEmpty();
              int[] handled = new int[1];
              int drained =
                  queue.drain(
                      out,
                      p -> {
                        dropGaps(model);
                        assertThat(p.wholeValue()).as(where).isEqualTo(model.remove());
                        handled[0]++;
                      },
                      count);
              assertThat(drained).as(where).isEqualTo(handled[0]);
              assertThat(drained > 0).as(where).isEqualTo(hasRecords);
              if (queue.sizeEstimate() < model.size()) {
                dropGaps(model); // those behind the last record, too
              }
            }
            default -> assertThat(queue.sizeEstimate()).as(where).isEqualTo(model.size());
          }
        }
        queue.abandon();
      }
    }
  }

  private static final Long GAP = -1L;

  private static void dropGaps(Deque<Long> model) {
    while (GAP.equals(model.peek())) {
      model.remove();
    }
  }

  // ---- drain ----

  @Test
  void drain_whenHandlerThrows_theRecordCountsAsConsumedAndTheOthersStay() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      putRun(queue, in, 0, 8);
      List<Long> handled = new ArrayList<>();
      Consumer<Point> handler =
          p -> {
            handled.add(p.wholeValue());
            if (p.value() == 2) {
              throw new UnsupportedOperationException("third");
            }
          };
      assertThatThrownBy(() -> queue.drain(out, handler, 8)).hasMessage("third");
      assertThat(queue.sizeEstimate()).isEqualTo(5);
      assertThat(queue.drain(out, handler, 8)).isEqualTo(5);
      assertThat(handled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
      putRun(queue, in, 8, 8);
    } // undrained on purpose: freed by nobody but the end of the process
  }

  // ---- misuse ----

  @Test
  void claimAndPoll_whenOneIsOpen_areRefused() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      assertThat(queue.tryClaim(in)).isTrue();
      assertThatThrownBy(() -> queue.tryClaim(in))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("claim must be committed or aborted before the next: ");
      in.value(7);
      queue.commit(in);
      assertThat(queue.tryPoll(out)).isTrue();
      assertThatThrownBy(() -> queue.tryPoll(out))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("poll must be released before the next: ");
      assertThat(out.wholeValue()).isEqualTo(7);
      queue.release(out);
    }
  }

  @Test
  void commitAbortRelease_whenNothingIsOpen_areRefused() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point point = queue.newFlyweight();
      for (Runnable use :
          List.<Runnable>of(
              () -> queue.commit(point), () -> queue.abort(point), () -> queue.release(point))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("must be open: none is");
      }
      put(queue, point, 1);
      assertThat(take(queue, point)).isEqualTo(1);
    }
  }

  @Test
  void flyweights_ofOtherMemoryOrNull_areRefusedBeforeAnythingChanges() {
    try (OffHeapQueue<Point> queue = newQueue(4);
        OffHeapQueue<Point> other = newQueue(4)) {
      Point own = queue.newFlyweight();
      put(queue, own, 1);
      for (Point wrong : new Point[] {other.newFlyweight(), null}) {
        Class<?> error =
            wrong == null ? NullPointerException.class : IllegalArgumentException.class;
        for (Runnable use :
            List.<Runnable>of(
                () -> queue.tryClaim(wrong),
                () -> queue.tryClaim(wrong, 2),
                () -> queue.tryPoll(wrong),
                () -> queue.tryPoll(wrong, 2),
                () -> queue.drain(wrong, p -> {}, 2))) {
          assertThatThrownBy(use::run).isInstanceOf(error);
        }
      }
      assertThatThrownBy(() -> queue.drain(own, null, 2))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("handler must not be null: handler=null");
      assertThatThrownBy(() -> queue.poll(own, 1, null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("unit must not be null: unit=null");
      assertThat(take(queue, own)).isEqualTo(1);
      put(queue, own, 2);
      assertThat(take(queue, own)).isEqualTo(2);
    }
  }

  @Test
  void commitAndAbort_ofOtherMemoryOrNull_areRefusedAndTheClaimStaysOpen() {
    try (OffHeapQueue<Point> queue = newQueue(4);
        OffHeapQueue<Point> other = newQueue(4)) {
      Point own = queue.newFlyweight();
      Point wrong = other.newFlyweight();
      assertThat(queue.tryClaim(own)).isTrue();
      own.value(7);
      assertThat(other.tryClaim(wrong)).isTrue();
      wrong.value(8);
      for (Runnable use : List.<Runnable>of(() -> queue.commit(wrong), () -> queue.abort(wrong))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("flyweight must be made by newFlyweight() of the same");
      }
      assertThatThrownBy(() -> queue.commit(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> queue.abort(null)).isInstanceOf(NullPointerException.class);
      assertThat(queue.tryPoll(queue.newFlyweight())).isFalse();
      assertThat(queue.commit(own)).isTrue();
      assertThat(take(queue, own)).isEqualTo(7);
      assertThat(other.commit(wrong)).isTrue();
      assertThat(take(other, wrong)).isEqualTo(8);
    }
  }

  @Test
  void flyweight_whenDeclined_isOnNoRecord() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      Point point = queue.newFlyweight();
      putRun(queue, point, 0, 2);
      assertThat(queue.tryClaim(point)).isFalse();
      assertThatThrownBy(() -> point.value(9)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(take(queue, point)).isZero();
      assertThat(take(queue, point)).isEqualTo(1);
      assertThat(queue.tryPoll(point)).isFalse();
      assertThatThrownBy(point::value).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  // ---- full ----

  /** The strategy would wait for ever, so what returns did not wait. */
  @Test
  void claim_whenFullAndTheNewestAreDropped_declinesAtOnceAndCounts() throws Exception {
    QueueOptions options =
        QueueOptions.ofCapacity(4)
            .withProducerWaits(WaitStrategy.parking())
            .withWhenFull(QueueOptions.WhenFull.DROP_NEWEST);
    try (OffHeapQueue<Point> queue = newQueue(options)) {
      Point in = queue.newFlyweight();
      putRun(queue, in, 0, 3);
      assertThat(queue.claim(in, 2)).as("two do not fit").isFalse();
      assertThat(queue.counters().dropped()).isEqualTo(2);
      assertThat(queue.claim(in)).isTrue();
      queue.commit(in.value(3));
      assertThat(queue.claim(in)).isFalse();
      assertThat(queue.claim(in, 4)).isFalse();
      assertThat(queue.claim(in, 1, TimeUnit.DAYS)).isFalse();
      assertThatThrownBy(() -> in.value(9)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(queue.counters().dropped()).isEqualTo(8);
      assertThat(queue.tryClaim(in)).isFalse();
      assertThat(queue.tryClaim()).isEqualTo(OffHeapQueue.FULL);
      assertThat(queue.counters().dropped()).as("tryClaim only tells").isEqualTo(8);
      for (int i = 0; i < 4; i++) {
        assertThat(take(queue, in)).isEqualTo(i);
      }
      assertThat(queue.claim(in)).isTrue();
      queue.abort(in);
    }
  }

  @Test
  void counters_whenTheNewestWereDropped_countThemAndNoOthers() throws Exception {
    QueueOptions options =
        QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_NEWEST);
    try (OffHeapQueue<Point> queue = newQueue(options)) {
      Point in = queue.newFlyweight();
      putRun(queue, in, 0, 2);
      assertThat(queue.claim(in)).isFalse();
      assertThat(queue.counters()).isEqualTo(new OffHeapQueue.Counters(2, 2, 0, 0, 1, 0, 0, 0, 2));
      assertThat(take(queue, in)).isZero();
      assertThat(take(queue, in)).isEqualTo(1);
      assertThat(queue.counters()).isEqualTo(new OffHeapQueue.Counters(2, 2, 2, 0, 1, 0, 0, 0, 2));
    }
  }

  // ---- strict ----

  /** Strategies without a limit: an answer was no wait. */
  @Test
  void strictPoll_whenARecordIsThereOrNone_saysSo() throws Exception {
    QueueOptions options = QueueOptions.ofCapacity(4).withConsumerWaits(WaitStrategy.parking());
    try (OffHeapQueue<Point> queue = newQueue(options)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      assertThat(queue.strictPoll(out)).isFalse();
      assertThatThrownBy(out::value).isInstanceOf(IndexOutOfBoundsException.class);
      for (int i = 0; i < 9; i++) {
        assertThat(queue.tryClaim(in)).isTrue();
        queue.abort(in);
        put(queue, in, i);
        assertThat(queue.strictPoll(out)).isTrue();
        assertThat(out.wholeValue()).isEqualTo(i);
        queue.release(out);
        assertThat(queue.strictPoll(out)).isFalse();
        assertThat(queue.tryClaim(in, 2)).isTrue();
        queue.abort(in);
        assertThat(queue.strictPoll(out)).as("aborted claims only").isFalse();
      }
    }
  }

  @Test
  void strictPoll_whenClosed_deliversTheRestAndThenSaysNone() throws Exception {
    OffHeapQueue<Point> queue =
        newQueue(QueueOptions.ofCapacity(4).withConsumerWaits(WaitStrategy.parking()));
    Point point = queue.newFlyweight();
    put(queue, point, 7);
    queue.complete();
    assertThat(queue.strictPoll(point)).isTrue();
    assertThat(point.wholeValue()).isEqualTo(7);
    queue.release(point);
    assertThat(queue.strictPoll(point)).isFalse();
    assertThat(queue.isDrained()).isTrue();
    close(queue);
  }

  @Test
  void strictClaim_whenASlotIsFreeOrNone_saysSo() throws Exception {
    QueueOptions options = QueueOptions.ofCapacity(2).withProducerWaits(WaitStrategy.parking());
    try (OffHeapQueue<Point> queue = newQueue(options)) {
      Point in = queue.newFlyweight();
      for (int i = 0; i < 9; i++) {
        assertThat(queue.strictClaim(in)).isTrue();
        queue.commit(in.value(i));
        assertThat(queue.strictClaim(in)).isTrue();
        queue.commit(in.value(i + 1));
        assertThat(queue.strictClaim(in)).isFalse();
        assertThatThrownBy(() -> in.value(9)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(take(queue, in)).isEqualTo(i);
        assertThat(take(queue, in)).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void strictClaim_whenClosed_isRefused() {
    try (OffHeapQueue<Point> queue = newQueue(2)) {
      Point point = queue.newFlyweight();
      queue.complete();
      assertThatThrownBy(() -> queue.strictClaim(point))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("queue must be open to claim: ");
    }
  }

  // ---- waiting ----

  private static List<WaitStrategy> strategies() {
    return List.of(
        WaitStrategy.busySpin(),
        WaitStrategy.yielding(),
        WaitStrategy.sleeping(Duration.ofNanos(10_000)),
        WaitStrategy.parking());
  }

  @Test
  void claimAndPoll_withEachStrategy_passAllRecords() throws Exception {
    for (WaitStrategy strategy : strategies()) {
      int records = 20_000;
      OffHeapQueue<Point> queue =
          newQueue(
              QueueOptions.ofCapacity(8).withProducerWaits(strategy).withConsumerWaits(strategy));
      FutureTask<Void> producer =
          new FutureTask<>(
              () -> {
                Point point = queue.newFlyweight();
                for (int i = 0; i < records; i++) {
                  assertThat(queue.claim(point)).isTrue();
                  point.value(i);
                  queue.commit(point);
                }
                queue.complete();
                return null;
              });
      Thread.ofPlatform().start(producer);
      Point point = queue.newFlyweight();
      long expected = 0;
      while (queue.poll(point)) {
        assertThat(point.wholeValue()).isEqualTo(expected++);
        queue.release(point);
      }
      producer.get();
      assertThat(expected).isEqualTo(records);
      assertThat(queue.isDrained()).isTrue();
    }
  }

  @Test
  void claimAndPoll_onVirtualThreads_passAllRecords() throws Exception {
    for (WaitStrategy strategy : strategies()) {
      OffHeapQueue<Point> queue =
          newQueue(
              QueueOptions.ofCapacity(4).withProducerWaits(strategy).withConsumerWaits(strategy));
      FutureTask<Long> consumer =
          new FutureTask<>(
              () -> {
                Point point = queue.newFlyweight();
                long sum = 0;
                for (int count = queue.poll(point, 3); count > 0; count = queue.poll(point, 3)) {
                  for (int i = 0; i < count; i++, point.next()) {
                    sum += point.wholeValue();
                  }
                  queue.release(point);
                }
                return sum;
              });
      Thread.ofVirtual().start(consumer);
      FutureTask<Void> producer =
          new FutureTask<>(
              () -> {
                Point point = queue.newFlyweight();
                for (int i = 0; i < 1_000; i += 2) {
                  queue.claim(point, 2);
                  point.value(i).next();
                  point.value(i + 1);
                  queue.commit(point);
                }
                queue.complete();
                return null;
              });
      Thread.ofVirtual().start(producer);
      producer.get();
      assertThat(consumer.get()).isEqualTo(999 * 1_000 / 2);
    }
  }

  @Test
  void claimAndPoll_whenTimePasses_giveUp() throws Exception {
    for (WaitStrategy strategy : strategies()) {
      WaitStrategy limited = strategy.withTimeLimit(Duration.ofMillis(2));
      try (OffHeapQueue<Point> queue =
          newQueue(
              QueueOptions.ofCapacity(2).withProducerWaits(limited).withConsumerWaits(limited))) {
        Point point = queue.newFlyweight();
        assertThat(queue.poll(point)).isFalse();
        assertThat(queue.poll(point, 2)).isZero();
        assertThat(queue.poll(point, 1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(queue.poll(point, -200_000, TimeUnit.DAYS)).isFalse();
        putRun(queue, point, 0, 2);
        assertThat(queue.claim(point)).isFalse();
        assertThat(queue.claim(point, 2)).isFalse();
        assertThat(queue.claim(point, 1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(queue.sizeEstimate()).isEqualTo(2);
        assertThat(take(queue, point)).isZero();
        assertThat(take(queue, point)).isEqualTo(1);
      }
    }
  }

  @Test
  void claimAndPoll_whenInterrupted_throwAndLoseNothing() throws Exception {
    for (WaitStrategy strategy : strategies()) {
      try (OffHeapQueue<Point> queue =
          newQueue(
              QueueOptions.ofCapacity(2).withProducerWaits(strategy).withConsumerWaits(strategy))) {
        Point point = queue.newFlyweight();
        interruptWhile(strategy, () -> queue.poll(queue.newFlyweight()));
        putRun(queue, point, 0, 2);
        interruptWhile(strategy, () -> queue.claim(queue.newFlyweight()));
        assertThat(take(queue, point)).isZero();
        assertThat(take(queue, point)).isEqualTo(1);
      }
    }
  }

  static void interruptWhile(WaitStrategy strategy, Body wait) throws InterruptedException {
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread thread = start(end, wait);
    awaitParked(thread, strategy);
    thread.interrupt();
    thread.join();
    assertThat(end.get()).isInstanceOf(InterruptedException.class);
  }

  @Test
  void completeAndAbandon_whenSidesWait_wakeThem() throws Exception {
    List<WaitStrategy> strategies = new ArrayList<>(strategies());
    strategies.add(WaitStrategy.sleeping(Duration.ofDays(1)));
    List<Consumer<OffHeapQueue<Point>>> ends =
        List.of(OffHeapQueue::complete, OffHeapQueue::abandon);
    for (WaitStrategy strategy : strategies) {
      for (Consumer<OffHeapQueue<Point>> end : ends) {
        QueueOptions options =
            QueueOptions.ofCapacity(2).withProducerWaits(strategy).withConsumerWaits(strategy);
        OffHeapQueue<Point> empty = newQueue(options);
        AtomicReference<Throwable> consumerEnd = new AtomicReference<>();
        Thread consumer =
            start(consumerEnd, () -> assertThat(empty.poll(empty.newFlyweight())).isFalse());
        awaitParked(consumer, strategy);
        end.accept(empty);
        consumer.join();
        if (consumerEnd.get() != null) { // by abandon, amid a look at the memory
          assertThat(consumerEnd.get())
              .isInstanceOfAny(IllegalStateException.class, InterruptedException.class);
        }

        OffHeapQueue<Point> full = newQueue(options);
        putRun(full, full.newFlyweight(), 0, 2);
        AtomicReference<Throwable> producerEnd = new AtomicReference<>();
        Thread producer = start(producerEnd, () -> full.claim(full.newFlyweight()));
        awaitParked(producer, strategy);
        end.accept(full);
        producer.join();
        assertThat(producerEnd.get()).isInstanceOf(IllegalStateException.class);
        full.abandon();
      }
    }
  }

  static void awaitParked(Thread thread, WaitStrategy strategy) {
    while (strategy.parks() && thread.isAlive() && thread.getState() != Thread.State.WAITING) {
      Thread.yield();
    }
  }

  // ---- cost and size ----

  /** Each side takes singles and runs of random length as they come. */
  @ParameterizedTest
  @CsvSource({"2, 1, 1", "2, 2, 2", "64, 1, 64", "64, 17, 5", "65536, 256, 256"})
  void twoThreads_withSinglesAndRuns_passAllRecordsInOrder(
      int capacity, int longestPut, int longestTake) throws Exception {
    long records = capacity == 2 ? 200_000 : 1_000_000;
    OffHeapQueue<Point> queue = newQueue(capacity);
    FutureTask<Void> producer =
        new FutureTask<>(
            () -> {
              Random random = new Random(1);
              Point point = queue.newFlyweight();
              for (long i = 0; i < records; ) {
                int count = (int) Math.min(1 + random.nextInt(longestPut), records - i);
                queue.claim(point, count);
                for (int k = 0; k < count; k++, point.next()) {
                  point.value(i++);
                }
                queue.commit(point);
              }
              queue.complete();
              return null;
            });
    Thread.ofPlatform().start(producer);
    Random random = new Random(2);
    Point point = queue.newFlyweight();
    long[] expected = new long[1];
    for (int count = 0; count >= 0; ) {
      int limit = 1 + random.nextInt(longestTake);
      if (random.nextBoolean()) {
        count = queue.drain(point, p -> assertNext(p, expected), limit);
        continue;
      }
      count = queue.poll(point, limit);
      for (int k = 0; k < count; k++, point.next()) {
        assertNext(point, expected);
      }
      if (count > 0) {
        queue.release(point);
      }
    }
    producer.get();
    assertThat(expected[0]).isEqualTo(records);
  }

  private static void assertNext(Point point, long[] expected) {
    if (point.wholeValue() != expected[0]++) {
      throw new AssertionError("expected " + (expected[0] - 1) + ": " + point);
    }
  }

  @Test
  void operations_allocateNothing() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (OffHeapQueue<Point> queue = newQueue(64)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      long[] sum = new long[1];
      Consumer<Point> handler = p -> sum[0] += p.value();
      long allocated = Long.MAX_VALUE;
      for (int round = 0; round < 20 && allocated != 0; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 50_000; i++) {
          queue.tryClaim(in);
          in.value(i);
          queue.commit(in);
          queue.tryClaim(in, 2);
          in.value(i).next();
          in.value(i);
          queue.commit(in);
          queue.tryPoll(out);
          queue.release(out);
          queue.drain(out, handler, 8);
        }
        allocated = threads.getCurrentThreadAllocatedBytes() - before;
      }
      assertThat(allocated).as("bytes in 50,000 rounds, once compiled").isZero();
    }
  }

  /** More than 2 GiB, so that an offset computed as an int would be negative. */
  @Test
  void offsets_beyondTwoGiB_reachTheirRecords() {
    assumeThat(freeMemoryBytes()).as("free memory").isGreaterThan(4L << 30);
    int capacity = 1 << 21;
    try (OffHeapQueue<KilobyteRecord> queue =
        newQueue(QueueOptions.ofCapacity(capacity), KilobyteRecord::new)) {
      KilobyteRecord in = queue.newFlyweight();
      KilobyteRecord out = queue.newFlyweight();
      assertThat(queue.tryClaim(in, capacity - 1)).isTrue();
      queue.commit(in);
      assertThat(queue.tryClaim(in)).isTrue();
      long offset = in.offset();
      assertThat(offset).isGreaterThan(Integer.MAX_VALUE);
      in.number(42);
      queue.commit(in);
      assertThat(queue.tryPoll(out, capacity - 1)).isEqualTo(capacity - 1);
      queue.release(out);
      assertThat(queue.tryPoll(out)).isTrue();
      assertThat(out.offset()).isEqualTo(offset);
      assertThat(out.number()).isEqualTo(42);
      queue.release(out);
    }
  }

  private static long freeMemoryBytes() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getFreeMemorySize();
  }

  private static final class KilobyteRecord extends Flyweight {
    static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("number"),
            MemoryLayout.sequenceLayout(1_016, JAVA_BYTE).withName("text"));
    private static final Field NUMBER = LAYOUT.field("number");

    KilobyteRecord(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    long number() {
      return getLong(NUMBER);
    }

    void number(long value) {
      putLong(NUMBER, value);
    }
  }
}
