package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.Ring;
import dev.millrace.queues.HistoryRing.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HistoryRingTest {
  private static final long CONTROL_BYTES = 256;

  private static void write(HistoryRing<Point> history, Point point, long from, long to) {
    for (long value = from; value < to; value++) {
      assertThat(history.tryClaim(point)).isTrue();
      point.value(value);
      assertThat(history.commit(point)).isTrue();
    }
  }

  private static HistoryRing<Point> ring(int capacity, boolean oneWriter) {
    return oneWriter
        ? HistoryRing.ofOneWriter(capacity, Point::new)
        : HistoryRing.of(capacity, Point::new);
  }

  private static List<Long> latest(Reader<Point> reader, int count) {
    int read = reader.readLatest(count);
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < read; i++, reader.record().next()) {
      values.add(reader.record().wholeValue());
    }
    return values;
  }

  // ---- construction ----

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, 0, (1 << 30) + 1})
  void of_whenCapacityOutOfRange_namesIt(int capacity) {
    for (boolean oneWriter : new boolean[] {false, true}) {
      assertThatThrownBy(() -> ring(capacity, oneWriter))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("capacity must be in 1..1073741824: capacity=" + capacity);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newFlyweight_beforeItsFirstClaim_isOnNoRecord(boolean oneWriter) {
    try (HistoryRing<Point> history = ring(4, oneWriter)) {
      write(history, history.newFlyweight(), 7, 8);
      Point fresh = history.newFlyweight();

      assertThatThrownBy(() -> fresh.value(666)).isInstanceOf(IndexOutOfBoundsException.class);
      try (Reader<Point> reader = history.newReader(4)) {
        assertThat(latest(reader, 4)).containsExactly(7L);
      }
    }
  }

  @Test
  void of_articlesCapacity_holdsItsPayload() {
    try (HistoryRing<Point> history = HistoryRing.of(1_440, Point::new)) {
      assertThat(history.capacity() * Point.LAYOUT.sizeBytes()).isEqualTo(34_560);
      assertThat(history.newFlyweight().memory().byteSize())
          .isEqualTo(CONTROL_BYTES + 34_560 + 1_440 * Ring.STAMP_BYTES);
    }
  }

  // ---- reading in order ----

  @ParameterizedTest
  @CsvSource({
    "1, false",
    "2, false",
    "7, false",
    "1440, false",
    "1, true",
    "2, true",
    "7, true",
    "1440, true"
  })
  void next_whenKeepingUp_readsAllInOrder(int capacity, boolean oneWriter) {
    try (HistoryRing<Point> history = ring(capacity, oneWriter);
        Reader<Point> reader = history.newReader(1)) {
      Point point = history.newFlyweight();
      assertThat(reader.next()).isFalse();
      for (int value = 0; value < 3 * capacity + 5; value++) {
        write(history, point, value, value + 1);
        assertThat(reader.next()).isTrue();
        assertThat(reader.record().wholeValue()).isEqualTo(value);
        assertThat(reader.next()).isFalse();
      }
      assertThat(reader.readCount()).isEqualTo(3 * capacity + 5);
      assertThat(reader.lostCount()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void next_whenOvertaken_countsTheLostAndGoesOnWithTheOldest(boolean oneWriter) {
    try (HistoryRing<Point> history = ring(5, oneWriter);
        Reader<Point> reader = history.newReader(5)) {
      write(history, history.newFlyweight(), 0, 12);
      for (int value = 7; value < 12; value++) {
        assertThat(reader.next()).isTrue();
        assertThat(reader.record().wholeValue()).isEqualTo(value);
      }
      assertThat(reader.next()).isFalse();
      assertThat(reader.readCount()).isEqualTo(5);
      assertThat(reader.lostCount()).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newReader_whenLate_beginsWithTheOldestKept(boolean oneWriter) {
    try (HistoryRing<Point> history = ring(5, oneWriter)) {
      write(history, history.newFlyweight(), 0, 12);
      try (Reader<Point> reader = history.newReader(1)) {
        assertThat(reader.next()).isTrue();
        assertThat(reader.record().wholeValue()).isEqualTo(7);
        assertThat(reader.lostCount()).isZero();
      }
    }
  }

  @Test
  void next_whenOneIsStillBeingWritten_waitsForItByValue() {
    try (HistoryRing<Point> history = HistoryRing.of(4, Point::new);
        Reader<Point> reader = history.newReader(4)) {
      Point slow = history.newFlyweight();
      Point fast = history.newFlyweight();
      assertThat(history.tryClaim(slow)).isTrue();
      write(history, fast, 1, 2);
      assertThat(reader.next()).isFalse();
      assertThat(latest(reader, 4)).containsExactly(1L);
      slow.value(0);
      assertThat(history.commit(slow)).isTrue();
      assertThat(reader.next()).isTrue();
      assertThat(reader.record().wholeValue()).isZero();
      assertThat(latest(reader, 4)).containsExactly(0L, 1L);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void skipUnfinished_whenWriterStopped_goesOnBehindItsRecord(boolean oneWriter) {
    try (HistoryRing<Point> history = ring(4, oneWriter);
        Reader<Point> reader = history.newReader(1)) {
      Point stopped = history.newFlyweight();
      Point point = history.newFlyweight();
      write(history, point, 0, 1);
      assertThat(reader.skipUnfinished()).as("0 is there").isZero();
      assertThat(history.tryClaim(stopped)).isTrue();
      write(history, point, 2, 4);
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isFalse();
      assertThat(reader.skipUnfinished()).isEqualTo(1);
      for (int value = 2; value < 4; value++) {
        assertThat(reader.next()).isTrue();
        assertThat(reader.record().wholeValue()).isEqualTo(value);
      }
      assertThat(reader.next()).isFalse();
      assertThat(reader.skipUnfinished()).as("no more are claimed").isZero();
      stopped.value(1);
      assertThat(history.commit(stopped)).isTrue();
      assertThat(reader.next()).as("it was passed").isFalse();
      assertThat(reader.unfinishedCount()).isEqualTo(1);
      assertThat(reader.readCount()).isEqualTo(3);
      assertThat(reader.lostCount() + reader.refusedCount()).isZero();
    }
  }

  // ---- one writer ----

  @Test
  void tryClaim_ofOneWriterThatDidNotCommit_takesTheSlotAgainALapLater() {
    try (HistoryRing<Point> history = HistoryRing.ofOneWriter(2, Point::new);
        Reader<Point> reader = history.newReader(2)) {
      Point point = history.newFlyweight();
      assertThat(history.tryClaim(point)).isTrue();
      write(history, point, 1, 4);
      assertThat(latest(reader, 2)).containsExactly(2L, 3L);
      assertThat(history.refusedCount()).isZero();
    }
  }

  @Test
  void tryClaim_ofOneWriterByMany_isFoundUnderAssertions() throws Exception {
    try (HistoryRing<Point> history = HistoryRing.ofOneWriter(1_024, Point::new)) {
      List<FutureTask<Boolean>> tasks = new ArrayList<>();
      AtomicReference<Throwable> found = new AtomicReference<>();
      for (int i = 0; i < 2; i++) {
        tasks.add(
            new FutureTask<>(
                () -> {
                  Point point = history.newFlyweight();
                  try {
                    for (long k = 0; k < 50_000_000 && found.get() == null; k++) {
                      history.tryClaim(point);
                    }
                  } catch (AssertionError e) {
                    found.set(e);
                  }
                  return true;
                }));
      }
      tasks.forEach(task -> Thread.ofPlatform().start(task));
      for (FutureTask<Boolean> task : tasks) {
        task.get();
      }
      assertThat(found.get())
          .hasMessageStartingWith("a history of one writer allows one writer at a time: ");
    }
  }

  // ---- refusal ----

  @Test
  void tryClaim_whenSlotIsStillBeingWritten_isRefusedAndSoIsTheLappedWriter() {
    try (HistoryRing<Point> history = HistoryRing.of(3, Point::new);
        Reader<Point> reader = history.newReader(3)) {
      Point slow = history.newFlyweight();
      Point fast = history.newFlyweight();
      assertThat(history.tryClaim(slow)).isTrue(); // sequence 0
      slow.value(100);
      write(history, fast, 1, 3);
      assertThat(history.tryClaim(fast)).as("sequence 3, same slot as 0").isFalse();
      write(history, fast, 4, 6);
      assertThat(history.tryClaim(fast)).as("sequence 6, same slot again").isFalse();
      assertThat(history.commit(slow)).as("lapped").isFalse();
      write(history, fast, 7, 10); // sequence 9 may have the slot

      assertThat(history.claimedCount()).isEqualTo(10);
      assertThat(history.refusedCount()).isEqualTo(3);
      assertThat(latest(reader, 3)).containsExactly(7L, 8L, 9L);
      assertThat(reader.next()).isTrue();
      assertThat(reader.record().wholeValue()).isEqualTo(7);
      assertThat(reader.lostCount()).isEqualTo(7);
    }
  }

  @Test
  void next_whenRecordWasRefused_countsItAndGoesOn() {
    try (HistoryRing<Point> history = HistoryRing.of(3, Point::new);
        Reader<Point> reader = history.newReader(3)) {
      Point slow = history.newFlyweight();
      Point fast = history.newFlyweight();
      write(history, fast, 0, 1);
      assertThat(reader.next()).isTrue();
      assertThat(history.tryClaim(slow)).isTrue(); // sequence 1, stalls
      write(history, fast, 2, 4);
      assertThat(reader.next()).as("1 is being written").isFalse();
      assertThat(history.tryClaim(fast)).as("sequence 4").isFalse();
      write(history, fast, 5, 6);
      List<Long> values = new ArrayList<>();
      while (reader.next()) {
        values.add(reader.record().wholeValue());
      }
      assertThat(values).containsExactly(3L, 5L);
      assertThat(reader.lostCount()).as("1 and, overwritten by 5, 2").isEqualTo(2);
      assertThat(reader.refusedCount()).as("4").isEqualTo(1);
      assertThat(history.commit(slow)).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void abort_countsAsRefusedAndFreesTheSlot(boolean oneWriter) {
    try (HistoryRing<Point> history = ring(2, oneWriter);
        Reader<Point> reader = history.newReader(2)) {
      Point point = history.newFlyweight();
      assertThat(history.tryClaim(point)).isTrue();
      history.abort(point);
      write(history, point, 1, 3);
      assertThat(history.refusedCount()).isEqualTo(1);
      assertThat(latest(reader, 2)).containsExactly(1L, 2L);
    }
  }

  @Test
  void commitAndAbort_whenNothingIsClaimed_areRefused() {
    try (HistoryRing<Point> history = HistoryRing.of(2, Point::new)) {
      Point point = history.newFlyweight();
      for (Runnable use :
          List.<Runnable>of(() -> history.commit(point), () -> history.abort(point))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("no open claim at offset ");
      }
    }
  }

  @Test
  void flyweights_ofOtherMemoryOrNull_areRefusedBeforeAnythingChanges() {
    try (HistoryRing<Point> history = HistoryRing.of(2, Point::new);
        HistoryRing<Point> other = HistoryRing.of(2, Point::new);
        Reader<Point> reader = history.newReader(1)) {
      for (Point wrong : new Point[] {other.newFlyweight(), reader.record(), null}) {
        for (Runnable use :
            List.<Runnable>of(
                () -> history.tryClaim(wrong),
                () -> history.commit(wrong),
                () -> history.abort(wrong))) {
          assertThatThrownBy(use::run)
              .isInstanceOfAny(IllegalArgumentException.class, NullPointerException.class);
        }
      }
      assertThat(history.claimedCount()).isZero();
    }
  }

  @Test
  void tryClaim_whenRefused_leavesTheFlyweightOnNoRecord() {
    try (HistoryRing<Point> history = HistoryRing.of(1, Point::new)) {
      Point slow = history.newFlyweight();
      Point fast = history.newFlyweight();
      assertThat(history.tryClaim(slow)).isTrue();
      assertThat(history.tryClaim(fast)).isFalse();
      assertThatThrownBy(() -> fast.value(9)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  // ---- windows ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readLatest_hasTheNewestOfThoseKept(boolean oneWriter) {
    try (HistoryRing<Point> history = ring(7, oneWriter);
        Reader<Point> reader = history.newReader(7)) {
      assertThat(latest(reader, 7)).isEmpty();
      write(history, history.newFlyweight(), 0, 3);
      assertThat(latest(reader, 7)).containsExactly(0L, 1L, 2L);
      write(history, history.newFlyweight(), 3, 20);
      assertThat(latest(reader, 7)).containsExactly(13L, 14L, 15L, 16L, 17L, 18L, 19L);
      assertThat(latest(reader, 2)).containsExactly(18L, 19L);
      assertThat(reader.readCount()).as("position of next()").isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 6})
  void newReaderAndReadLatest_whenOutOfRange_nameIt(int count) {
    try (HistoryRing<Point> history = HistoryRing.of(5, Point::new);
        Reader<Point> reader = history.newReader(5)) {
      assertThatThrownBy(() -> history.newReader(count))
          .hasMessage("window must be in 1..5: window=" + count);
      assertThatThrownBy(() -> reader.readLatest(count))
          .hasMessage("count must be in 1..5: count=" + count);
    }
  }

  // ---- close ----

  @Test
  void operations_whenClosed_sayThatItIs() {
    HistoryRing<Point> history = HistoryRing.of(3, Point::new);
    Point point = history.newFlyweight();
    Reader<Point> reader = history.newReader(3);
    write(history, point, 0, 1);
    assertThat(history.tryClaim(point)).isTrue();
    history.abort(point);
    history.close();
    for (Runnable use :
        List.<Runnable>of(
            () -> history.tryClaim(point),
            () -> history.commit(point),
            () -> history.abort(point),
            () -> history.newReader(1),
            history::newFlyweight,
            reader::next,
            reader::skipUnfinished,
            () -> reader.readLatest(3),
            point::value)) {
      assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
    }
    assertThatThrownBy(() -> history.tryClaim(point))
        .hasMessageStartingWith("history must be open: HistoryRing[capacity=3, ");
    assertThat(history.claimedCount()).as("as it was").isEqualTo(2);
    assertThat(history.refusedCount()).as("as it was").isEqualTo(1);
    assertThatThrownBy(history::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("memory must be closed only once: ");
    reader.close();
    assertThatThrownBy(reader::close).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_whileWritersAndReadersWork_endsThemWithAnException() throws Exception {
    for (int round = 0; round < 200; round++) {
      HistoryRing<Point> history = HistoryRing.of(8, Point::new);
      List<AtomicReference<Throwable>> ends = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      CountDownLatch working = new CountDownLatch(2);
      Point point = history.newFlyweight();
      Reader<Point> reader = history.newReader(8);
      for (Runnable step :
          List.<Runnable>of(
              () -> {
                if (history.tryClaim(point)) {
                  point.value(1);
                  history.commit(point);
                }
              },
              () -> reader.readLatest(8))) {
        AtomicReference<Throwable> end = new AtomicReference<>();
        ends.add(end);
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        step.run();
                        working.countDown();
                        while (true) {
                          step.run();
                        }
                      } catch (Throwable e) {
                        end.set(e);
                      }
                    }));
      }
      working.await();
      history.close();
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(ends)
          .allSatisfy(e -> assertThat(e.get()).isInstanceOf(IllegalStateException.class));
      reader.close();
    }
  }

  // ---- many threads ----

  /**
   * Each writer counts up; every reader must see each writer's numbers rise, whole records only.
   */
  @ParameterizedTest
  @CsvSource({
    "1, 2, 2, false",
    "2, 2, 2, false",
    "13, 4, 4, false",
    "1440, 4, 4, false",
    "1, 1, 2, true",
    "2, 1, 2, true",
    "1440, 1, 2, true"
  })
  void manyWritersAndReaders_loseNothingUncounted(
      int capacity, int writers, int readers, boolean oneWriter) throws Exception {
    long each = 300_000;
    try (HistoryRing<Point> history = ring(capacity, oneWriter)) {
      List<FutureTask<Long>> writing = new ArrayList<>();
      List<FutureTask<Long>> reading = new ArrayList<>();
      List<Reader<Point>> all = new ArrayList<>();
      CountDownLatch written = new CountDownLatch(writers);
      for (int i = 0; i < readers; i++) {
        Reader<Point> reader = history.newReader(capacity);
        all.add(reader);
        boolean skips = i % 2 == 1;
        reading.add(new FutureTask<>(() -> readUntilWritten(reader, writers, written, skips)));
      }
      for (int i = 0; i < writers; i++) {
        long writer = i;
        writing.add(
            new FutureTask<>(
                () -> {
                  long committed = 0;
                  Point point = history.newFlyweight();
                  for (long k = 0; k < each; k++) {
                    if (history.tryClaim(point)) {
                      point.value(k * writers + writer);
                      committed += history.commit(point) ? 1 : 0;
                    }
                  }
                  written.countDown();
                  return committed;
                }));
      }
      reading.forEach(task -> Thread.ofPlatform().start(task));
      writing.forEach(task -> Thread.ofPlatform().start(task));
      long committed = 0;
      for (FutureTask<Long> task : writing) {
        committed += task.get();
      }
      assertThat(history.claimedCount()).isEqualTo(writers * each);
      assertThat(committed + history.refusedCount()).isEqualTo(writers * each);
      for (int i = 0; i < readers; i++) {
        long seen = reading.get(i).get();
        Reader<Point> reader = all.get(i);
        assertThat(reader.readCount()).isEqualTo(seen).isLessThanOrEqualTo(committed);
        assertThat(reader.refusedCount()).isLessThanOrEqualTo(history.refusedCount());
        assertThat(i % 2 == 1 ? 0 : reader.unfinishedCount()).as("never skipped").isZero();
        assertThat(
                reader.readCount()
                    + reader.lostCount()
                    + reader.refusedCount()
                    + reader.unfinishedCount())
            .isEqualTo(writers * each);
        reader.close();
      }
    }
  }

  private static long readUntilWritten(
      Reader<Point> reader, int writers, CountDownLatch written, boolean skips) {
    long[] last = new long[writers];
    java.util.Arrays.fill(last, -1);
    long seen = 0;
    long windows = 0;
    for (boolean end = false; !end; ) {
      end = written.getCount() == 0;
      while (reader.next()) {
        seen++;
        assertRises(last, reader.record().wholeValue());
      }
      if (skips) {
        reader.skipUnfinished();
      }
      if (windows++ % 8 == 0) {
        long[] lastInWindow = new long[writers];
        java.util.Arrays.fill(lastInWindow, -1);
        for (long value : latest(reader, reader.window())) {
          assertRises(lastInWindow, value);
        }
      }
    }
    return seen;
  }

  private static void assertRises(long[] last, long value) {
    int writer = (int) (value % last.length);
    if (value <= last[writer]) {
      throw new AssertionError("after " + last[writer] + " came " + value);
    }
    last[writer] = value;
  }
}
