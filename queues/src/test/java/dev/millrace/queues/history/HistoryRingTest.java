package dev.millrace.queues.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.Point;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a reader that returns an overwritten record, or counts one that it passed as none or two of
 * read, lost, refused and unfinished, and a writer that was lapped and believes that its record is
 * there.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HistoryRingTest {
  private static final long CONTROL_BYTES = 256;
  private static final FlyweightType<Point> POINTS = FlyweightType.of(Point::new);

  private HistoryRing<Point> history;
  private HistoryReader<Point> reader;
  private HistoryProducer<Point> producer;

  /** Opens a ring with a reader and a producer. */
  private void open(int capacity, boolean isSingle, int window) {
    close();
    history = ring(capacity, isSingle);
    reader = history.newReader(window);
    producer = producer(history, isSingle);
  }

  @AfterEach
  void close() {
    if (history != null) {
      reader.close();
      history.close();
    }
  }

  /** The only producer, or another one. */
  private static HistoryProducer<Point> producer(HistoryRing<Point> history, boolean isSingle) {
    return isSingle ? history.producer() : history.newProducer();
  }

  private static void write(HistoryProducer<Point> producer, long from, long to) {
    for (long value = from; value < to; value++) {
      assertThat(put(producer, value)).isTrue();
    }
  }

  /** Tells whether the record was committed and not refused. */
  private static boolean put(HistoryProducer<Point> producer, long value) {
    Point point = producer.tryClaim();
    if (point == null) {
      return false;
    }
    point.value(value);
    return commit(producer);
  }

  private static boolean commit(HistoryProducer<Point> producer) {
    long refused = producer.refusedCount();
    producer.commit();
    return producer.refusedCount() == refused;
  }

  /** Makes an empty ring. */
  HistoryRing<Point> ring(int capacity, boolean isSingle) {
    return isSingle ? HistoryRing.single(POINTS, capacity) : HistoryRing.multi(POINTS, capacity);
  }

  private static List<Long> latest(HistoryReader<Point> reader, int count) {
    return inHand(reader, reader.latest(count));
  }

  private static List<Long> inHand(HistoryReader<Point> reader, int count) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(reader.at(i).wholeValue());
    }
    return values;
  }

  private static void assertPolls(HistoryReader<Point> reader, long... values) {
    for (long value : values) {
      assertThat(reader.tryPoll()).as("record %d", value).isNotNull();
      assertThat(reader.at(0).wholeValue()).isEqualTo(value);
    }
  }

  // ---- construction ----

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, 0, (1 << 30) + 1})
  void of_whenCapacityOutOfRange_namesIt(int capacity) {
    for (boolean isSingle : new boolean[] {false, true}) {
      Throws.illegalArgument(
          "capacity must be in 1..1073741824: capacity=" + capacity,
          () -> ring(capacity, isSingle));
    }
  }

  @Test
  void of_articlesCapacity_holdsItsPayload() {
    try (HistoryRing<Point> history = ring(1_440, false)) {
      assertThat(history.capacity() * Point.LAYOUT.sizeBytes()).isEqualTo(34_560);
      assertThat(history.newProducer().tryClaim().memory().byteSize())
          .isEqualTo(CONTROL_BYTES + 34_560 + 1_440 * Ring.STAMP_BYTES);
    }
  }

  @Test
  void ofAnInterface_works() {
    try (HistoryRing<Tick> single = HistoryRing.single(Tick.class, 3);
        HistoryRing<Tick> multi = HistoryRing.multi(Tick.class, 3)) {
      for (HistoryProducer<Tick> out : List.of(single.producer(), multi.newProducer())) {
        out.claim().time(7);
        out.commit();
      }
      for (HistoryRing<Tick> history : List.of(single, multi)) {
        try (HistoryReader<Tick> reader = history.newReader(1)) {
          assertThat(reader.tryPoll().time()).isEqualTo(7);
        }
      }
    }
  }

  /** A record by an interface. */
  interface Tick {
    long time();

    Tick time(long value);
  }

  @Test
  void producers_ofTheOtherForm_areRefused() {
    try (HistoryRing<Point> single = ring(2, true);
        HistoryRing<Point> multi = ring(2, false)) {
      Throws.illegalState(
          "this history has one producer, which producer() returns: HistoryRing[...",
          single::newProducer);
      Throws.illegalState(
          "this history has many producers, which newProducer() makes: HistoryRing[...",
          multi::producer);
      assertThat(single.producer()).isSameAs(single.producer());
      assertThat(multi.newProducer()).isNotSameAs(multi.newProducer());
    }
  }

  @Test
  void metrics_areCapacityAndCounts() {
    open(3, true, 3);
    write(producer, 0, 4);
    producer.claim();
    producer.abort();
    history.close();
    assertThat(history.metrics())
        .containsExactly(entry("claimed", 5L), entry("refused", 1L), entry("capacity", 3L));
    assertThat(history.gauges()).containsExactly("capacity");
    Throws.outOfBounds(() -> history.readMetrics(new long[2]));
  }

  // ---- reading in order ----

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 1_440})
  void tryPoll_whenKeepingUp_readsAllInOrder(int capacity) {
    for (boolean isSingle : new boolean[] {false, true}) {
      open(capacity, isSingle, 1);
      assertThat(reader.tryPoll()).isNull();
      for (int value = 0; value < 3 * capacity + 5; value++) {
        write(producer, value, value + 1);
        assertPolls(reader, value);
        assertThat(reader.tryPoll()).isNull();
      }
      assertThat(reader.readCount()).isEqualTo(3 * capacity + 5);
      assertThat(reader.lostCount()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tryPoll_whenOvertaken_countsTheLostAndGoesOnWithTheOldest(boolean isSingle) {
    open(5, isSingle, 5);
    write(producer, 0, 12);
    try (HistoryReader<Point> late = history.newReader(1)) {
      assertPolls(late, 7);
      assertThat(late.lostCount()).isZero();
    }
    for (int value = 7; value < 12; value++) {
      assertPolls(reader, value);
    }
    assertThat(reader.tryPoll()).isNull();
    assertThat(reader.readCount()).isEqualTo(5);
    assertThat(reader.lostCount()).isEqualTo(7);
  }

  @Test
  void tryPoll_whenOneIsStillBeingWritten_waitsForItByValue() {
    open(4, false, 4);
    HistoryProducer<Point> slow = history.newProducer();
    assertThat(slow.tryClaim()).isNotNull();
    write(producer, 1, 2);
    assertThat(reader.tryPoll()).isNull();
    assertThat(latest(reader, 4)).containsExactly(1L);
    slow.at(0).value(0);
    assertThat(commit(slow)).isTrue();
    assertPolls(reader, 0);
    assertThat(latest(reader, 4)).containsExactly(0L, 1L);
  }

  @Test
  void skipUnfinished_whenProducerStopped_goesOnBehindItsRecord() {
    open(4, false, 1);
    HistoryProducer<Point> stopped = history.newProducer();
    write(producer, 0, 1);
    assertThat(reader.skipUnfinished()).as("0 is there").isZero();
    assertThat(stopped.tryClaim()).isNotNull();
    write(producer, 2, 4);
    assertPolls(reader, 0);
    assertThat(reader.tryPoll()).isNull();
    assertThat(reader.skipUnfinished()).isEqualTo(1);
    assertPolls(reader, 2, 3);
    assertThat(reader.tryPoll()).isNull();
    assertThat(reader.skipUnfinished()).as("no more are claimed").isZero();
    stopped.at(0).value(1);
    assertThat(commit(stopped)).isTrue();
    assertThat(reader.tryPoll()).as("it was passed").isNull();
    assertThat(reader.unfinishedCount()).isEqualTo(1);
    assertThat(reader.readCount()).isEqualTo(3);
    assertThat(reader.lostCount() + reader.refusedCount()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void skipUnfinished_whenTheNewestIsBeingWritten_passesIt(boolean isSingle) {
    open(4, isSingle, 1);
    assertThat(producer.tryClaim()).isNotNull();
    assertThat(reader.tryPoll()).isNull();
    assertThat(reader.skipUnfinished()).isEqualTo(1);
    producer.commit();
    write(producer, 1, 2);
    assertPolls(reader, 1);
    assertThat(reader.unfinishedCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tryPoll_ofRuns_readsInOrderUpToTheLimit(boolean isSingle) {
    open(5, isSingle, 3);
    assertThat(reader.tryPoll(3)).isZero();
    write(producer, 0, 3);
    producer.claim();
    producer.abort();
    write(producer, 4, 7);
    assertThat(inHand(reader, reader.tryPoll(3))).containsExactly(2L, 4L, 5L);
    assertThat(reader.sequence()).isEqualTo(5);
    assertThat(reader.position()).isEqualTo(6);
    Throws.outOfBounds(() -> reader.at(3));
    assertThat(inHand(reader, reader.tryPoll(3))).containsExactly(6L);
    Throws.outOfBounds(() -> reader.at(1));
    assertThat(reader.tryPoll(3)).isZero();
    Throws.outOfBounds(() -> reader.at(0));
    assertThat(reader.readCount()).isEqualTo(4);
    assertThat(reader.lostCount()).isEqualTo(2);
    assertThat(reader.refusedCount()).isEqualTo(1);
  }

  // ---- elsewhere ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void seek_readsOnFromTheSequence(boolean isSingle) {
    open(5, isSingle, 5);
    assertThat(reader.sequence()).as("nothing read").isNegative();
    write(producer, 0, 12);
    reader.seek(9);
    assertThat(inHand(reader, reader.tryPoll(2))).containsExactly(9L, 10L);
    assertThat(reader.lostCount()).isZero();
    reader.seek(8);
    Throws.outOfBounds(() -> reader.at(0));
    assertPolls(reader, 8);
    assertThat(reader.sequence()).isEqualTo(8);
    reader.seek(4);
    assertPolls(reader, 7);
    assertThat(reader.lostCount()).as("4 to 6").isEqualTo(3);
    reader.seek(12);
    assertThat(reader.tryPoll()).isNull();
    for (long beyond : new long[] {-1, 13}) {
      Throws.illegalArgument(
          "sequence must be in 0..12: sequence=" + beyond, () -> reader.seek(beyond));
    }
    assertThat(reader.position()).isEqualTo(12);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void seekTime_findsTheFirstThatIsNotEarlier(boolean isSingle) {
    for (int written = 0; written <= 12; written++) {
      open(5, isSingle, 1);
      for (int i = 0; i < written; i++) {
        put(producer, i / 2 * 10L); // each time twice
      }
      for (long time = -5; time <= 65; time += 5) {
        long sought = time;
        reader.seek(time, Point::wholeValue);
        long first =
            LongStream.range(Math.max(0, written - 5), written)
                .filter(i -> 10 * (i / 2) >= sought)
                .findFirst()
                .orElse(written);
        assertThat(reader.position()).as("%d of %d", time, written).isEqualTo(first);
        assertThat(reader.tryPoll() == null).isEqualTo(first == written);
      }
      assertThat(reader.lostCount()).isZero();
    }
  }

  @Test
  void seekTime_whereRecordsAreRefusedOrUnfinished_looksAtTheNextOne() {
    open(8, false, 1);
    write(producer, 0, 2);
    for (int i = 2; i < 5; i++) {
      producer.claim();
      producer.abort();
    }
    write(producer, 5, 7);
    HistoryProducer<Point> stopped = history.newProducer();
    stopped.claim();
    for (long time : new long[] {0, 1, 5, 6}) {
      reader.seek(time, Point::wholeValue);
      assertPolls(reader, time);
    }
    reader.seek(7, Point::wholeValue);
    assertThat(reader.position()).isEqualTo(7);
    assertThat(reader.tryPoll()).as("is being written").isNull();
  }

  @Test
  void seekTime_whenTheFunctionThrows_holdsNothingAndStays() {
    open(8, false, 1);
    write(producer, 0, 8);
    assertPolls(reader, 0);
    Throws.illegalState(
        "planted",
        () ->
            reader.seek(
                5,
                point -> {
                  throw new IllegalStateException("planted");
                }));
    Throws.outOfBounds(() -> reader.at(0));
    assertPolls(reader, 1);
  }

  // ---- backwards ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tryPollPrevious_fromTheEnd_readsAllThatAreKept(boolean isSingle) {
    for (int written : new int[] {0, 1, 4, 5, 6, 23}) {
      open(5, isSingle, 1);
      write(producer, 0, written);
      assertThat(reader.tryPollPrevious()).as("before the oldest").isNull();
      reader.seek(written);
      int oldest = Math.max(0, written - 5);
      for (int value = written - 1; value >= oldest; value--) {
        assertThat(reader.tryPollPrevious().wholeValue()).isEqualTo(value);
        assertThat(reader.at(0).wholeValue()).isEqualTo(value);
        assertThat(reader.sequence()).isEqualTo(value);
        assertThat(reader.position()).isEqualTo(value);
      }
      assertThat(reader.tryPollPrevious()).isNull();
      Throws.outOfBounds(() -> reader.at(0));
      assertThat(reader.position()).isEqualTo(oldest);
      assertThat(reader.readCount() + reader.lostCount()).as("counts").isZero();
      for (int value = oldest; value < written; value++) {
        assertPolls(reader, value); // forward again
      }
      assertThat(reader.tryPoll()).isNull();
    }
  }

  @Test
  void tryPollPrevious_leavesOutRefusedAndUnfinishedRecords() {
    open(8, false, 1);
    write(producer, 0, 2);
    producer.claim();
    producer.abort();
    HistoryProducer<Point> stopped = history.newProducer();
    stopped.claim();
    write(producer, 4, 5);
    history.newProducer().claim();
    reader.seek(6);
    for (long value : new long[] {4, 1, 0}) {
      assertThat(reader.tryPollPrevious().wholeValue()).isEqualTo(value);
    }
    assertThat(reader.tryPollPrevious()).isNull();
    stopped.at(0).value(3);
    assertThat(commit(stopped)).isTrue();
    reader.seek(4);
    assertThat(reader.tryPollPrevious().wholeValue()).as("committed since").isEqualTo(3);
    assertThat(reader.refusedCount() + reader.unfinishedCount()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tryPollPrevious_whenOvertaken_endsTheWalk(boolean isSingle) {
    for (int overtaking = 0; overtaking < 7; overtaking++) {
      open(5, isSingle, 1);
      write(producer, 0, 9); // 4 to 8 are kept
      reader.seek(9);
      assertThat(reader.tryPollPrevious().wholeValue()).isEqualTo(8);
      assertThat(reader.tryPollPrevious().wholeValue()).isEqualTo(7);
      write(producer, 9, 9 + overtaking);
      int oldest = 4 + overtaking;
      for (int value = 6; value >= oldest; value--) {
        assertThat(reader.tryPollPrevious().wholeValue()).isEqualTo(value);
      }
      assertThat(reader.tryPollPrevious()).as("overtaken by %d", overtaking).isNull();
      assertThat(reader.position()).isEqualTo(Math.min(oldest, 7));
      assertPolls(reader, oldest);
      assertThat(reader.lostCount()).isEqualTo(Math.max(0, oldest - 7));
    }
  }

  /** Walks while a producer writes, which overtakes it now and then. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tryPollPrevious_whileAProducerWrites_isInARowOrEnds(boolean isSingle) throws Exception {
    open(64, isSingle, 1);
    Thread writing = Thread.ofPlatform().start(() -> write(producer, 0, 300_000));
    long records = 0;
    for (boolean isLast = false; !isLast; ) {
      isLast = !writing.isAlive();
      reader.seek(history.claimedCount());
      long former = -1;
      int count = 0;
      for (Point point; (point = reader.tryPollPrevious()) != null; count++) {
        long value = point.wholeValue();
        assertThat(value).isEqualTo(former < 0 ? reader.sequence() : former - 1);
        former = value;
      }
      assertThat(count).isLessThanOrEqualTo(64);
      records = count;
    }
    writing.join();
    assertThat(records).as("of the last walk").isEqualTo(64);
  }

  // ---- refusal ----

  @Test
  void tryClaim_whenSlotIsStillBeingWritten_isRefusedAndSoIsTheLappedWriter() {
    open(3, false, 3);
    HistoryProducer<Point> slow = history.newProducer();
    assertThat(slow.tryClaim()).isNotNull(); // sequence 0
    slow.at(0).value(100);
    write(producer, 1, 3);
    assertThat(producer.tryClaim()).as("sequence 3, same slot as 0").isNull();
    write(producer, 4, 6);
    assertThat(producer.tryClaim()).as("sequence 6, same slot again").isNull();
    assertThat(commit(slow)).as("lapped").isFalse();
    write(producer, 7, 10); // sequence 9 may have the slot

    assertThat(history.claimedCount()).isEqualTo(10);
    assertThat(history.refusedCount()).isEqualTo(3);
    assertThat(latest(reader, 3)).containsExactly(7L, 8L, 9L);
    assertPolls(reader, 7);
    assertThat(reader.lostCount()).isEqualTo(7);
  }

  @Test
  void tryPoll_whenRecordWasRefused_countsItAndGoesOn() {
    open(3, false, 3);
    HistoryProducer<Point> slow = history.newProducer();
    write(producer, 0, 1);
    assertPolls(reader, 0);
    assertThat(slow.tryClaim()).isNotNull(); // sequence 1, stalls
    write(producer, 2, 4);
    assertThat(reader.tryPoll()).as("1 is being written").isNull();
    assertThat(producer.tryClaim()).as("sequence 4").isNull();
    write(producer, 5, 6);
    List<Long> values = new ArrayList<>();
    for (Point point; (point = reader.tryPoll()) != null; ) {
      values.add(point.wholeValue());
    }
    assertThat(values).containsExactly(3L, 5L);
    assertThat(reader.lostCount()).as("1 and, overwritten by 5, 2").isEqualTo(2);
    assertThat(reader.refusedCount()).as("4").isEqualTo(1);
    assertThat(commit(slow)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void abort_countsAsRefusedAndFreesTheSlot(boolean isSingle) {
    open(2, isSingle, 2);
    assertThat(producer.tryClaim()).isNotNull();
    producer.abort();
    write(producer, 1, 3);
    assertThat(history.refusedCount()).isEqualTo(1);
    assertThat(latest(reader, 2)).containsExactly(1L, 2L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void calls_outOfTurn_areRefusedBeforeAnythingChanges(boolean isSingle) {
    open(2, isSingle, 1);
    Throws.illegalState("no open claim: HistoryRing[...", producer::commit, producer::abort);
    producer.claim();
    Throws.illegalState(
        "a claim is already open, commit or abort it first: HistoryR...", producer::tryClaim);
    assertThat(history.claimedCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void claims_inAllForms_areOfOneRecord(boolean isSingle) throws Exception {
    open(8, isSingle, 8);
    producer.claim().value(0);
    producer.commit();
    producer.claim(Duration.ofDays(1)).value(1);
    producer.commit();
    assertThat(producer.tryClaim(7)).isEqualTo(1);
    producer.at(0).value(2);
    Throws.outOfBounds(() -> producer.at(1));
    producer.commit();
    assertThat(producer.claim(7)).isEqualTo(1);
    producer.at(0).value(3);
    producer.commit();
    assertThat(latest(reader, 8)).containsExactly(0L, 1L, 2L, 3L);
    Throws.illegalArgument("limit must be in 1..2147483647: limit=0", () -> producer.tryClaim(0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void view_whenNothingIsClaimed_throwsAtEachAccess(boolean isSingle) {
    open(1, isSingle, 1);
    Point kept = producer.claim();
    for (Runnable end : List.<Runnable>of(producer::commit, producer::abort, producer::close)) {
      end.run();
      Throws.outOfBounds(() -> kept.value(9), () -> producer.at(0));
      assertThat(producer.claim()).isSameAs(kept);
    }
  }

  @Test
  void view_whenTheClaimIsRefused_throwsAtEachAccess() {
    open(1, false, 1);
    HistoryProducer<Point> slow = history.newProducer();
    Point kept = producer.claim();
    producer.commit();
    assertThat(slow.tryClaim()).isNotNull();
    assertThat(producer.tryClaim()).isNull();
    Throws.outOfBounds(() -> kept.value(9));
    assertThat(producer.refusedCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closeOfAProducer_abortsAnOpenClaimAndNoMore(boolean isSingle) {
    open(2, isSingle, 2);
    producer.close();
    producer.claim();
    producer.close();
    producer.close();
    assertThat(history.refusedCount()).isEqualTo(1);
    assertThat(producer.refusedCount()).as("aborted").isZero();
    write(producer, 1, 2);
    assertPolls(reader, 1);
  }

  // ---- windows ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void latest_hasTheNewestOfThoseKept(boolean isSingle) {
    open(7, isSingle, 7);
    assertThat(latest(reader, 7)).isEmpty();
    write(producer, 0, 3);
    assertThat(latest(reader, 7)).containsExactly(0L, 1L, 2L);
    write(producer, 3, 20);
    assertThat(latest(reader, 7)).containsExactly(13L, 14L, 15L, 16L, 17L, 18L, 19L);
    assertThat(latest(reader, 2)).containsExactly(18L, 19L);
    assertThat(reader.readCount()).as("position of tryPoll()").isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 6})
  void newReaderAndLatest_whenOutOfRange_nameIt(int count) {
    open(5, false, 5);
    Throws.illegalArgument(
        "window must be in 1..5: window=" + count, () -> history.newReader(count));
    Throws.illegalArgument("limit must be in 1..5: limit=" + count, () -> reader.latest(count));
  }

  // ---- close ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void operations_whenClosed_sayThatItIs(boolean isSingle) {
    open(3, isSingle, 3);
    write(producer, 0, 1);
    assertPolls(reader, 0);
    Point read = reader.at(0);
    producer.claim();
    producer.abort();
    Point claimed = producer.claim();
    history.close();
    history.close();
    assertThat(read.wholeValue()).as("a copy").isZero();
    Throws.illegalState("...", () -> history.newReader(1));
    assertReadsFail("...");
    Throws.illegalState(
        "closed, so the record is lost: HistoryRing[capacity=3, ...", producer::commit);
    Throws.illegalState(
        "view of Point may no longer be used: its memory was freed by close() of HistoryRing[...",
        claimed::value);
    Throws.illegalState("history is closed: HistoryRing[capacity=3, ...", producer::tryClaim);
    producer.close();
    assertThat(history.claimedCount()).as("as it was").isEqualTo(3);
    assertThat(history.refusedCount()).as("as it was").isEqualTo(1);
    reader.close();
    reader.close();
    Throws.illegalState(
        "view of Point may no longer be used: its memory was freed by close() of HistoryReader of"
            + " HistoryRing[...",
        () -> reader.at(0).value());
    assertThat(reader).hasToString("HistoryReader of " + history);
  }

  @Test
  void reads_whenTheReaderIsClosed_sayThatItIs() {
    open(3, true, 3);
    write(producer, 0, 2);
    reader.close();
    assertReadsFail("reader is closed: HistoryReader of HistoryRing[capacity=3, ...");
  }

  private void assertReadsFail(String message) {
    Throws.illegalState(
        message,
        reader::tryPoll,
        reader::tryPollPrevious,
        reader::skipUnfinished,
        () -> reader.tryPoll(3),
        () -> reader.latest(3),
        () -> reader.seek(0),
        () -> reader.seek(0, Point::value));
  }

  @Test
  void closeOfAProducer_whenTheRingIsClosed_doesNothing() {
    open(3, false, 3);
    producer.claim();
    history.close();
    producer.close();
    Throws.illegalState("...", history::newProducer);
  }

  @Test
  void close_whileWritersAndReadersWork_endsThemWithAnException() throws Exception {
    for (int round = 0; round < 20; round++) {
      open(8, false, 8);
      CountDownLatch working = new CountDownLatch(2);
      List<TestCall<Boolean>> calls =
          List.of(
              TestCall.run(() -> repeat(() -> put(producer, 1), working)),
              TestCall.run(() -> repeat(() -> reader.latest(8), working)));
      working.await();
      history.close();
      for (TestCall<Boolean> call : calls) {
        assertThat(call.failure()).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  private static void repeat(Runnable step, CountDownLatch working) {
    step.run();
    working.countDown();
    while (true) {
      step.run();
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
      int capacity, int writers, int readers, boolean isSingle) throws Exception {
    long each = 20_000;
    open(capacity, isSingle, 1);
    CountDownLatch written = new CountDownLatch(writers);
    List<HistoryReader<Point>> all =
        Stream.generate(() -> history.newReader(capacity)).limit(readers).toList();
    List<TestCall<Long>> reading =
        TestCall.each(
            readers,
            i -> () -> readUntilWritten(all.get(i), capacity, writers, written, i % 2 == 1));
    List<TestCall<Long>> writing =
        TestCall.each(
            writers,
            writer ->
                () -> {
                  long committed = 0;
                  HistoryProducer<Point> own = producer(history, isSingle);
                  for (long k = 0; k < each; k++) {
                    committed += put(own, k * writers + writer) ? 1 : 0;
                  }
                  assertThat(committed + own.refusedCount()).isEqualTo(each);
                  written.countDown();
                  return committed;
                });
    long committed = TestCall.sum(writing);
    assertThat(history.claimedCount()).isEqualTo(writers * each);
    assertThat(committed + history.refusedCount()).isEqualTo(writers * each);
    for (int i = 0; i < readers; i++) {
      HistoryReader<Point> reader = all.get(i);
      long seen = reading.get(i).result();
      assertThat(reader.readCount()).isEqualTo(seen).isLessThanOrEqualTo(committed);
      assertThat(reader.refusedCount()).isLessThanOrEqualTo(history.refusedCount());
      assertThat(i % 2 == 1 ? 0 : reader.unfinishedCount()).as("never skipped").isZero();
      long passed = seen + reader.lostCount() + reader.refusedCount() + reader.unfinishedCount();
      assertThat(passed).isEqualTo(writers * each);
      reader.close();
    }
  }

  private static long readUntilWritten(
      HistoryReader<Point> reader, int window, int writers, CountDownLatch written, boolean skips) {
    long[] last = new long[writers];
    Arrays.fill(last, -1);
    long seen = 0;
    long windows = 0;
    for (boolean end = false; !end; ) {
      end = written.getCount() == 0;
      for (Point point; (point = reader.tryPoll()) != null; ) {
        seen++;
        assertRises(last, point.wholeValue());
      }
      if (skips) {
        reader.skipUnfinished();
      }
      if (windows++ % 8 == 0) {
        long[] lastInWindow = new long[writers];
        Arrays.fill(lastInWindow, -1);
        for (long value : latest(reader, window)) {
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
