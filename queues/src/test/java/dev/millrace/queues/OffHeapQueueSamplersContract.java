package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.queues.OffHeapQueue.Counters;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What every queue tells about itself while it runs, and keeps of its end. */
abstract class OffHeapQueueSamplersContract extends OffHeapQueueContract {
  /** What a queue has counted in which nothing was dropped, refused or given up. */
  static Counters counts(long claimed, long committed, long consumed, long aborted, int highWater) {
    return new Counters(claimed, committed, consumed, aborted, 0, 0, 0, 0, highWater);
  }

  static List<Long> shown(OffHeapQueue<Point> queue) {
    List<Long> values = new ArrayList<>();
    assertThat(queue.snapshot(p -> values.add(p.wholeValue()))).isEqualTo(values.size());
    return values;
  }

  static void takeRun(OffHeapQueue<Point> queue, Point point, long first, int count) {
    for (int taken = 0; taken < count; ) {
      int polled = queue.tryPoll(point, count - taken);
      assertThat(polled).isPositive();
      for (int i = 0; i < polled; i++, point.next()) {
        assertThat(point.wholeValue()).isEqualTo(first + taken++);
      }
      queue.release(point);
    }
  }

  // ---- counters ----

  @Test
  void counters_whenNew_areZero() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      assertThat(queue.counters()).isEqualTo(counts(0, 0, 0, 0, 0));
    }
  }

  @Test
  void counters_whenSinglesAndRunsWrap_countEachRecord() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      long records = 0;
      for (int round = 0; round < 40; round++) {
        int count = 1 + round % 7;
        put(queue, in, records);
        putRun(queue, in, records + 1, count);
        assertThat(queue.counters())
            .isEqualTo(
                counts(records + 1 + count, records + 1 + count, records, 0, highest(round)));
        takeRun(queue, out, records, 1 + count);
        records += 1 + count;
        assertThat(queue.counters())
            .isEqualTo(counts(records, records, records, 0, highest(round)));
      }
    }
  }

  private static int highest(int round) {
    return Math.min(8, 2 + round);
  }

  @Test
  void counters_whenAClaimIsOpen_doNotCountItAsCommitted() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      put(queue, in, 0);
      assertThat(queue.tryClaim(in, 2)).isTrue();
      int claimed = hasManyProducers() ? 3 : 1; // open claims are one producer's own affair
      assertThat(queue.counters()).isEqualTo(counts(claimed, 1, 0, 0, claimed));
      in.value(1).next();
      in.value(2);
      queue.commit(in);
      assertThat(queue.counters()).isEqualTo(counts(3, 3, 0, 0, 3));
      takeRun(queue, in, 0, 3);
      assertThat(queue.counters()).isEqualTo(counts(3, 3, 3, 0, 3));
    }
  }

  @Test
  void counters_whenClaimsWereAborted_countTheirSlots() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      long aborted = 0;
      for (int i = 0; i < 10; i++) {
        assertThat(queue.tryClaim(in, 3)).isTrue();
        queue.abort(in);
        queue.abort(queue.tryClaim());
        aborted += hasManyProducers() ? 4 : 0;
        put(queue, in, i);
        int used = hasManyProducers() ? 5 : 1;
        assertThat(queue.counters()).isEqualTo(counts(aborted + i + 1, i + 1, i, aborted, used));
        assertThat(take(queue, in)).isEqualTo(i);
        assertThat(queue.counters())
            .isEqualTo(counts(aborted + i + 1, i + 1, i + 1, aborted, used));
      }
    }
  }

  @Test
  void counters_whenARunIsTakenInParts_countTheRest() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      putRun(queue, in, 0, 6);
      takeRun(queue, in, 0, 4);
      assertThat(queue.counters()).isEqualTo(counts(6, 6, 4, 0, 2));
      putRun(queue, in, 6, 6); // wraps
      assertThat(queue.counters()).isEqualTo(counts(12, 12, 4, 0, 8));
      takeRun(queue, in, 4, 2);
      takeRun(queue, in, 6, 6);
      assertThat(queue.counters()).isEqualTo(counts(12, 12, 12, 0, 8));
    }
  }

  @Test
  void counters_whenPolledAndNotReleased_countAsTheKindSays() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      putRun(queue, in, 0, 3);
      assertThat(queue.tryPoll(out, 2)).isEqualTo(2);
      int inHand = hasManyConsumers() ? 2 : 0;
      assertThat(queue.counters()).isEqualTo(counts(3, 3, inHand, 0, 3 - inHand));
      queue.release(out);
      assertThat(queue.counters()).isEqualTo(counts(3, 3, 2, 0, 3 - inHand));
      assertThat(take(queue, out)).isEqualTo(2);
    }
  }

  @Test
  void counters_afterTheEnd_stay() {
    OffHeapQueue<Point> queue = newQueue(4);
    Point point = queue.newFlyweight();
    putRun(queue, point, 0, 3);
    assertThat(queue.tryClaim(point)).isTrue();
    queue.abort(point);
    Counters before = hasManyProducers() ? counts(4, 3, 0, 1, 4) : counts(3, 3, 0, 0, 3);
    assertThat(queue.counters()).isEqualTo(before);
    queue.complete();
    assertThat(queue.counters()).isEqualTo(before);
    takeRun(queue, point, 0, 3);
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
    Counters after = hasManyProducers() ? counts(4, 3, 3, 1, 4) : counts(3, 3, 3, 0, 3);
    assertThat(queue.counters()).isEqualTo(after);
    queue.close();
    assertThat(queue.counters()).isEqualTo(after);
    queue.abandon();
    assertThat(queue.counters()).isEqualTo(after);
  }

  @Test
  void counters_afterRandomOperations_addUp() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      int capacity = 2 << random.nextInt(5);
      try (OffHeapQueue<Point> queue = newQueue(capacity)) {
        Point in = queue.newFlyweight();
        Point out = queue.newFlyweight();
        long committed = 0;
        long consumed = 0;
        long aborted = 0;
        for (int step = 0; step < 500; step++) {
          int count = 1 + random.nextInt(capacity);
          if (random.nextBoolean() && queue.tryClaim(in, count)) {
            Counters open = queue.counters();
            assertThat(open.claimed() - open.committed() - open.aborted())
                .isEqualTo(hasManyProducers() ? count : 0);
            if (random.nextInt(3) == 0) {
              queue.abort(in);
              aborted += hasManyProducers() ? count : 0;
            } else {
              for (int i = 0; i < count; i++, in.next()) {
                in.value(committed++);
              }
              queue.commit(in);
            }
          } else if (random.nextBoolean()) {
            consumed += Math.max(0, queue.drain(out, p -> {}, count));
          } else if (queue.tryPoll(out, count) > 0) {
            long first = out.wholeValue();
            assertThat(first).isEqualTo(consumed);
            queue.release(out);
            consumed = queue.counters().consumed();
          }
          Counters counters = queue.counters();
          assertThat(counters)
              .as("seed %d, step %d", seed, step)
              .isEqualTo(
                  counts(committed + aborted, committed, consumed, aborted, counters.highWater()));
        }
        queue.abandon();
      }
    }
  }

  // ---- snapshot ----

  @Test
  void snapshot_whenRecordsAreThere_showsThemOldestFirstAndLeavesThem() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point point = queue.newFlyweight();
      for (int lap = 0; lap < 10; lap++) { // wraps at each slot
        put(queue, point, lap);
        putRun(queue, point, lap + 1, 3);
        put(queue, point, lap + 4);
        for (int again = 0; again < 2; again++) {
          assertThat(shown(queue))
              .containsExactly(lap + 0L, lap + 1L, lap + 2L, lap + 3L, lap + 4L);
        }
        assertThat(queue.sizeEstimate()).isEqualTo(5);
        takeRun(queue, point, lap, 2);
        assertThat(shown(queue)).containsExactly(lap + 2L, lap + 3L, lap + 4L);
        takeRun(queue, point, lap + 2, 3);
        assertThat(shown(queue)).isEmpty();
      }
    }
  }

  @Test
  void snapshot_whenFull_showsAll() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point point = queue.newFlyweight();
      put(queue, point, -1);
      assertThat(take(queue, point)).isEqualTo(-1);
      putRun(queue, point, 0, 4);
      assertThat(shown(queue)).containsExactly(0L, 1L, 2L, 3L);
      takeRun(queue, point, 0, 4);
    }
  }

  @Test
  void snapshot_whenAClaimIsOpen_showsWhatIsCommitted() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      put(queue, in, 1);
      assertThat(queue.tryClaim(in, 2)).isTrue();
      in.value(2).next();
      in.value(3);
      assertThat(shown(queue)).containsExactly(1L);
      queue.commit(in);
      assertThat(shown(queue)).containsExactly(1L, 2L, 3L);
      takeRun(queue, out, 1, 3);
    }
  }

  @Test
  void snapshot_whenClaimsWereAborted_leavesThemOut() {
    try (OffHeapQueue<Point> queue = newQueue(8)) {
      Point point = queue.newFlyweight();
      for (int lap = 0; lap < 8; lap++) {
        put(queue, point, 1);
        assertThat(queue.tryClaim(point, 2)).isTrue();
        point.value(-1);
        queue.abort(point);
        put(queue, point, 2);
        queue.abort(queue.tryClaim());
        assertThat(shown(queue)).containsExactly(1L, 2L);
        assertThat(take(queue, point)).isEqualTo(1);
        assertThat(take(queue, point)).isEqualTo(2);
        assertThat(shown(queue)).isEmpty();
      }
    }
  }

  /** To one consumer a record is there until it is released; of many, none else gets it. */
  @Test
  void snapshot_whenPolledAndNotReleased_showsAsTheKindSays() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point in = queue.newFlyweight();
      Point out = queue.newFlyweight();
      putRun(queue, in, 0, 3);
      assertThat(queue.tryPoll(out)).isTrue();
      if (hasManyConsumers()) {
        assertThat(shown(queue)).containsExactly(1L, 2L);
      } else {
        assertThat(shown(queue)).containsExactly(0L, 1L, 2L);
      }
      assertThat(out.wholeValue()).isZero();
      queue.release(out);
      assertThat(shown(queue)).containsExactly(1L, 2L);
      takeRun(queue, out, 1, 2);
    }
  }

  @Test
  void snapshot_whenEmptyOrDrained_showsNothing() {
    OffHeapQueue<Point> queue = newQueue(4);
    assertThat(shown(queue)).isEmpty();
    Point point = queue.newFlyweight();
    put(queue, point, 1);
    queue.complete();
    assertThat(shown(queue)).containsExactly(1L);
    queue.abandon();
    assertThat(shown(queue)).isEmpty();
  }

  @Test
  void snapshot_whenTheViewerIsNullOrThrows_leavesTheQueueAsItIs() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point point = queue.newFlyweight();
      putRun(queue, point, 0, 2);
      assertThatThrownBy(() -> queue.snapshot(null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("viewer must not be null: viewer=null");
      assertThatThrownBy(
              () ->
                  queue.snapshot(
                      p -> {
                        throw new UnsupportedOperationException("first");
                      }))
          .hasMessage("first");
      takeRun(queue, point, 0, 2);
    }
  }

  @Test
  void snapshot_whenTheViewerWrites_changesNoRecord() {
    try (OffHeapQueue<Point> queue = newQueue(4)) {
      Point point = queue.newFlyweight();
      putRun(queue, point, 0, 2);
      assertThat(queue.snapshot(p -> p.value(-1))).isEqualTo(2);
      takeRun(queue, point, 0, 2);
    }
  }

  /** The viewer's check throws if a record is torn. */
  @Test
  void snapshot_whileBothSidesWork_showsWholeRecordsInOrder() throws Exception {
    for (int capacity : new int[] {2, 64}) {
      OffHeapQueue<Point> queue = newQueue(capacity);
      FutureTask<Void> producer =
          new FutureTask<>(
              () -> {
                Random random = new Random(1);
                Point point = queue.newFlyweight();
                long value = 0;
                while (true) {
                  int count = 1 + random.nextInt(Math.min(4, capacity));
                  if (queue.tryClaim(point, count)) { // throws in the end
                    for (int i = 0; i < count; i++, point.next()) {
                      point.value(value++);
                    }
                    queue.commit(point);
                  }
                }
              });
      FutureTask<Void> consumer =
          new FutureTask<>(
              () -> {
                Point point = queue.newFlyweight();
                while (queue.drain(point, Point::wholeValue, 3) != OffHeapQueue.CLOSED) {
                  Thread.yield();
                }
                return null;
              });
      Thread.ofPlatform().start(consumer);
      Thread producing = Thread.ofPlatform().start(producer);
      long[] last = {-1};
      int shown = 0;
      long latest = -1;
      try {
        while (shown < 1_000 && producing.isAlive()) {
          last[0] = -1;
          shown +=
              queue.snapshot(
                  p -> {
                    long value = p.wholeValue();
                    if (value <= last[0]) {
                      throw new AssertionError(value + " shown after " + last[0]);
                    }
                    last[0] = value;
                  });
          assertThat(last[0] == -1 || last[0] >= latest - capacity).isTrue();
          latest = Math.max(latest, last[0]);
        }
      } finally {
        queue.complete();
        producing.join();
      }
      consumer.get();
      assertThatThrownBy(producer::get).hasRootCauseInstanceOf(IllegalStateException.class);
      assertThat(shown).isGreaterThanOrEqualTo(1_000);
      close(queue);
    }
  }
}
