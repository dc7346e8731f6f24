package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.Point;
import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a message that is read back with another number, length, time or byte at some place of its
 * segment, a retention limit that is off by one, a seek that misses its message, and a force that
 * leaves somebody waiting.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageLogTest {
  private static final int SEGMENT = 1 << 16;
  private static final int ROOM = SEGMENT - SegmentHeader.BYTES - 64;
  private static final int LONGEST = SEGMENT / 2 - LogSegment.MESSAGE_BYTES;

  /** A length of which ten messages fit a segment. */
  private static final int TENTH = ROOM / 10 - LogSegment.MESSAGE_BYTES - 8;

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000);
  private MessageLog log;
  private LogProducer producer;
  private LogReader reader;
  private final Semaphore first = new Semaphore(0); // gates; open when a test is over
  private final Semaphore second = new Semaphore(0);

  private LogOptions options() {
    return LogOptions.ofSegmentBytes(SEGMENT).withClock(clock::get);
  }

  private void open(LogOptions options) throws IOException {
    close();
    log = MessageLog.open(directory, options);
    producer = log.newProducer();
    reader = log.newReader();
  }

  private void open() throws IOException {
    open(options());
  }

  @AfterEach
  void close() {
    first.release();
    second.release();
    if (log != null) {
      reader.close();
      log.close();
    }
  }

  /** Waits until a gate is open. */
  private static void pass(Semaphore gate) {
    gate.acquireUninterruptibly();
    gate.release();
  }

  private long segments() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().matches(".*\\d{20}\\.log")).count();
    }
  }

  // ---- appending and reading ----

  @Test
  void append_everyLengthAtEveryPlaceOfRollOver_isReadBack() throws IOException {
    open();
    long number = 0;
    for (int gap = 0; gap <= 144; gap += 8) { // what is left of the segment before the last message
      for (int length : new int[] {0, 1, 7, 8, 9, gap, 100, LONGEST}) {
        long first = number;
        int fill = ROOM - LONGEST - LogSegment.MESSAGE_BYTES; // to the middle
        LogMessages.append(producer, LONGEST);
        LogMessages.append(producer, fill - 2 * LogSegment.MESSAGE_BYTES - gap);
        LogMessages.append(producer, length);
        LogMessages.append(producer, 0);
        number += 4;
        assertThat(LogMessages.take(reader, first)).isEqualTo(LONGEST);
        LogMessages.take(reader, first + 1);
        assertThat(LogMessages.take(reader, first + 2)).isEqualTo(length);
        assertThat(LogMessages.take(reader, first + 3)).isZero();
        assertThat(reader.tryPoll()).isNull();
        log.removeBefore(number);
      }
    }
  }

  @Test
  void append_manyOfRandomLengths_isReadBackInRunsAndAfterReopening() throws IOException {
    open();
    Random random = new Random(1);
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      int length = LogMessages.length(random, LONGEST);
      int longer = Math.min(LONGEST, length + random.nextInt(50));
      switch (random.nextInt(4)) {
        case 0 -> {
          LogMessages.appendShortened(producer, length, longer);
          lengths.add(length);
        }
        case 1 -> LogMessages.abort(producer, longer);
        default -> {
          LogMessages.append(producer, length);
          lengths.add(length);
        }
      }
      if (random.nextInt(50) == 0) {
        open(options());
        assertThat(log.recovery().damages()).isEmpty();
        assertThat(log.endNumber()).isEqualTo(lengths.size());
        assertThat(log.durableNumber()).isEqualTo(lengths.size());
      }
    }
    reader.seekToStart();
    int next = 0;
    for (int count; (count = reader.tryPoll(1 + random.nextInt(50))) > 0; reader.release()) {
      for (int i : random.ints(20, 0, count).toArray()) {
        Message message = reader.at(i);
        assertThat(reader.number()).isEqualTo(next + i);
        assertThat(message.length()).isEqualTo(lengths.get(next + i));
        LogMessages.check(message, next + i);
      }
      next += count;
    }
    assertThat(next).isEqualTo(lengths.size());
    assertThat(segments()).isGreaterThan(30);
    LogReport report = MessageLog.verify(directory);
    assertThat(report).isEqualTo(new LogReport((int) segments(), 0, next, next, List.of()));
  }

  @Test
  void append_ofRuns_isAsOfSingleMessages() throws IOException {
    open();
    Random random = new Random(1);
    List<Long> times = new ArrayList<>();
    List<Integer> lengths = new ArrayList<>();
    while (segments() < 10) {
      clock.set(1_000 + times.size());
      int length = LogMessages.length(random, LONGEST);
      int limit = 1 + random.nextInt(40);
      int claimed = producer.claim(LogMessages.type(0), length, limit);
      assertThat(claimed).isBetween(1, limit);
      boolean isAborted = random.nextInt(4) == 0;
      for (int i = claimed - 1; i >= 0; i--) {
        LogMessages.write(producer.at(i), times.size() + i, length);
      }
      if (isAborted) {
        producer.abort();
      } else {
        times.addAll(Collections.nCopies(claimed, clock.get()));
        lengths.addAll(Collections.nCopies(claimed, length));
        producer.commit();
      }
      assertThat(producer.number()).isEqualTo(log.endNumber() - 1).isEqualTo(times.size() - 1);
    }
    open();
    assertThat(log.recovery().damages()).isEmpty();
    assertThat(log.endNumber()).isEqualTo(times.size());
    for (int number = 0; number < times.size(); number++) {
      Message message = reader.tryPoll();
      assertThat(message.time()).isEqualTo(times.get(number));
      assertThat(message.length()).isEqualTo(lengths.get(number));
      LogMessages.checkBytes(message, number);
      reader.release();
    }
  }

  @Test
  void claim_ofARun_endsWithTheSegment() throws IOException {
    open();
    int each = ROOM / 10 - LogSegment.MESSAGE_BYTES & -8;
    assertThat(producer.tryClaim(1, each, 4)).isEqualTo(4);
    Throws.outOfBounds("no such message in the open claim: index=4, ...", () -> producer.at(4));
    Throws.outOfBounds(() -> producer.at(-1));
    Throws.illegalState(
        "only a claim of one message can be shortened: count=4, ...", () -> producer.commit(1));
    producer.commit();
    Throws.outOfBounds(() -> producer.at(0));
    assertThat(producer.claim(1, each, Integer.MAX_VALUE)).isEqualTo(6);
    producer.commit();
    assertThat(producer.claim(1, each, 1)).isEqualTo(1);
    producer.commit(0);
    assertThat(log.endNumber()).isEqualTo(11);
    assertThat(segments()).isEqualTo(2);
  }

  @Test
  void append_gathered_isOneMessage() throws IOException {
    open();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment first = arena.allocateFrom("first");
      MemorySegment second = arena.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3);
      assertThat(producer.append(5, first, second)).isZero();
      assertThat(producer.append(6, second)).isEqualTo(1);
      assertThat(producer.append(7)).isEqualTo(2);
      Message message = reader.tryPoll();
      assertThat(message.type()).isEqualTo(5);
      assertThat(message.getUtf8(0, 5)).isEqualTo("first");
      assertThat(message.getInt(6 + 8)).isEqualTo(3);
      MemorySegment target = arena.allocate(message.length());
      message.getBytes(0, target);
      assertThat(target.getString(0)).isEqualTo("first");
      reader.release();
      assertThat(reader.tryPoll().length()).isEqualTo(12);
      reader.release();
      assertThat(reader.tryPoll().length()).isZero();
    }
  }

  @Test
  void append_ofBytesThatCannotBeRead_leavesNoClaim() throws IOException {
    open();
    MemorySegment bytes = MemorySegment.ofArray(new byte[] {1, 2, 3});
    MemorySegment closed;
    try (Arena arena = Arena.ofConfined()) {
      closed = arena.allocate(8);
    }
    Throws.illegalState(
        "Already closed",
        () -> producer.append(1, closed),
        () -> producer.append(1, bytes, closed));
    assertThat(producer.append(1, bytes)).isZero();
    assertThat(producer.append(1, bytes, bytes)).isEqualTo(1);
    assertThat(reader.tryPoll(3)).isEqualTo(2);
    assertThat(reader.at(0).length()).isEqualTo(3);
  }

  @Test
  void claim_showsZeros_alsoWhereOneWasGivenUp() throws IOException {
    open();
    LogMessages.write(producer.claim(1, 100), 1, 100);
    producer.abort();
    LogMessages.write(producer.claim(1, 100), 1, 100);
    producer.commit(10);
    Message message = producer.claim(2, 100);
    for (int i = 0; i < 100; i++) {
      assertThat(message.getByte(i)).isZero();
    }
    assertThat(reader.tryPoll().length()).isEqualTo(10);
    reader.release();
    assertThat(reader.tryPoll()).isNull();
  }

  /** Otherwise the next opening would take what is there for a torn message. */
  @Test
  void claim_givenUpOrCutShort_leavesZeros() throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    try (MessageLog opened = MessageLog.open(files, options())) {
      LogProducer its = opened.newProducer();
      for (int length : new int[] {0, 1, 7, 8, 9, 4_000}) {
        for (int limit : new int[] {1, 2, 7}) {
          writeRun(its, length, limit);
          its.abort();
          LogMessages.checkZerosBehind(files, opened);
          writeRun(its, length, limit);
          its.close();
          LogMessages.checkZerosBehind(files, opened);
          its = opened.newProducer();
          LogMessages.append(its, 5);
        }
        LogMessages.appendShortened(its, length / 2, length);
        LogMessages.checkZerosBehind(files, opened);
      }
      MemorySegment bytes = MemorySegment.ofArray(new byte[] {1, 2, 3});
      MemorySegment closed;
      try (Arena arena = Arena.ofConfined()) {
        closed = arena.allocate(8);
      }
      LogProducer last = its;
      Throws.illegalState("Already closed", () -> last.append(1, bytes, closed));
      LogMessages.checkZerosBehind(files, opened);
      writeRun(its, LONGEST, 5); // in the next segment
      its.abort();
      LogMessages.checkZerosBehind(files, opened);
    }
    try (MessageLog again = MessageLog.open(files, options())) {
      assertThat(again.recovery().damages()).isEmpty();
    }
  }

  private static void writeRun(LogProducer producer, int length, int limit) {
    int count = producer.claim(1, length, limit);
    for (int i = 0; i < count; i++) {
      LogMessages.write(producer.at(i), 1, length);
    }
  }

  @Test
  void message_asRecord_isOfTheSegmentThatItIsIn() throws IOException {
    open();
    FlyweightType<Point> points = FlyweightType.of(Point::new);
    int size = (int) points.layout().sizeBytes();
    for (int i = 0; i < 3_000; i++) {
      producer.claim(1, size).as(points).value(i);
      producer.commit();
    }
    assertThat(segments()).isGreaterThan(2);
    for (int i = 0; i < 3_000; i++) {
      assertThat(reader.tryPoll().as(points).value()).isEqualTo(i);
      reader.release();
    }
  }

  @Test
  void time_isTheClocks_butNeverGoesBack() throws IOException {
    open();
    for (long now : new long[] {999, 1_005, 900, 1_010}) { // 1,000 when it was opened
      clock.set(now);
      LogMessages.append(producer, 8);
    }
    clock.set(0);
    open();
    LogMessages.append(producer, 8);
    List<Long> times = new ArrayList<>();
    for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
      times.add(message.time());
    }
    assertThat(times).containsExactly(1_000L, 1_005L, 1_005L, 1_010L, 1_010L);
  }

  @Test
  void appendAndRead_allocateNothing() throws Exception {
    open(LogOptions.ofSegmentBytes(1 << 24));
    for (int length : new int[] {16, 300}) {
      TestCall.Body round =
          () -> {
            for (int i = 0; i < 10_000; i++) {
              producer.claim(1, length).putLong(0, i).putLong(8, i);
              producer.commit();
              if (reader.tryPoll(4) != 1 || reader.at(0).getLong(0) != i) {
                throw new AssertionError("message " + i);
              }
              reader.release();
            }
          };
      round.run();
      assertThat(Allocations.bytesIn(round)).as("of 10,000 messages").isLessThan(5_000);
    }
  }

  // ---- misuse ----

  @Test
  void misuse_throwsAndChangesNothing() throws IOException {
    open();
    Throws.illegalArgument(
        "segmentBytes must be a power of two in 65536..1073741824: segmentBytes=65535",
        () -> LogOptions.ofSegmentBytes(65_535));
    Throws.illegalArgument(
        "syncNanos must be in ...", () -> options().withSync(Duration.ofNanos(-1)));
    Throws.illegalArgument(
        "length must be in 0.." + LONGEST + ": length=" + (LONGEST + 1),
        () -> producer.claim(1, LONGEST + 1),
        () -> producer.claim(1, LONGEST + 1, 2),
        () -> producer.append(1, MemorySegment.ofArray(new byte[LONGEST + 1])));
    Throws.illegalArgument("limit must be in ...", () -> producer.tryClaim(1, 1, 0));
    Throws.illegalState(
        "no open claim: ...", producer::commit, () -> producer.commit(0), producer::abort);
    Message message = producer.claim(1, 10);
    Throws.outOfBounds(() -> message.putByte(10, (byte) 1));
    Throws.illegalState(
        "a claim is already open, commit or abort it first: ...", () -> producer.claim(1, 1));
    Throws.illegalArgument("length must be in 0..10: length=11", () -> producer.commit(11));
  }

  @Test
  void misuseOfReaders_throwsAndChangesNothing() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    Throws.illegalArgument(
        "limit must be in ...", () -> reader.tryPoll(0), () -> reader.drain(_ -> {}, 0));
    Throws.illegalState("nothing to release: no open poll, ...", reader::release);
    Throws.outOfBounds("no such message in the open poll: index=0, ...", () -> reader.at(0));
    Throws.illegalArgument("number must be in 0..3: number=4", () -> reader.seek(4));
    Throws.illegalArgument("number must be in 0..3: number=-1", () -> reader.seek(-1));
    assertThat(reader.tryPoll(2)).isEqualTo(2);
    Throws.illegalState(
        "a poll is already open, release it first: ...",
        reader::tryPoll,
        () -> reader.seek(0),
        reader::seekToEnd,
        () -> reader.drain(_ -> {}, 1));
    Throws.outOfBounds(() -> reader.at(2), () -> reader.at(-1));
    Message message = reader.at(1);
    Throws.a(RuntimeException.class, () -> message.putByte(0, (byte) 1)); // it is read-only
    reader.release();
    Throws.outOfBounds(message::length);
    LogMessages.take(reader, 2);
    reader.close();
    Throws.illegalState("reader is closed: ...", reader::tryPoll, reader::seekToStart);
  }

  @Test
  void callsThatOverlap_areAnError_alsoWhereOneDoesNothing() throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    try (MessageLog opened = MessageLog.open(files, options());
        LogReader tail = new LogReader(files, LogOptions.WAITS, null)) {
      LogProducer its = opened.newProducer();
      LogMessages.append(its, 10, TENTH);
      Runnable refused = () -> assertThat(its.tryClaim(1, TENTH)).isNull(); // no segment is ahead
      overlap(files, refused, "LogProducer", () -> its.tryClaim(1, TENTH));
      overlap(files, refused, "LogProducer", () -> its.tryClaim(1, TENTH, 5));
      overlap(files, refused, "LogProducer", () -> its.claim(1, TENTH));
      overlap(files, tail::seekToStart, "LogReader", tail::seekToEnd);
      overlap(files, tail::seekToStart, "LogReader", () -> tail.seekTime(0));
      overlap(files, () -> tail.seek(10), "LogReader", tail::skipDamaged);
      tail.seek(10);
      overlap(files, () -> tail.seek(10), "LogReader", tail::tryPoll);
    }
  }

  /** Calls an end while it checks its directory, or maps a segment. */
  private static void overlap(
      MemoryFiles files, Runnable inner, String end, ThrowingCallable outer) {
    MemoryFiles.Observer meanwhile =
        () -> {
          files.checking = () -> {};
          files.mapping = () -> {};
          inner.run();
        };
    files.checking = meanwhile;
    files.mapping = meanwhile;
    Throws.a(AssertionError.class, end + " allows one thread at a time: ...", outer);
  }

  @Test
  void open_whileOpen_isRefused() throws IOException {
    open();
    Throws.a(
        IOException.class,
        "log is already open for writing: directory=" + directory,
        () -> MessageLog.open(directory, options()));
    Throws.illegalState("this log already has its one producer: ...", log::newProducer);
    LogMessages.append(producer, 8);
    producer.claim(1, 100).putLong(0, -1);
    producer.close();
    Throws.illegalState("producer is closed: ...", () -> producer.claim(1, 1));
    producer = log.newProducer();
    LogMessages.append(producer, 8);
    LogMessages.take(reader, 0, 2);
    open(); // after a close
  }

  @Test
  void close_endsEverything() throws Exception {
    open(options().withSync(Duration.ofDays(1)));
    LogMessages.append(producer, 8);
    TestCall<Boolean> waiting = TestCall.of(() -> log.awaitDurable(5, Duration.ofDays(1)));
    waiting.awaitResting();
    TestCall<Boolean> reading =
        TestCall.run(
            () -> {
              try (LogReader tail = log.newReader()) {
                tail.forEach(_ -> {});
                assertThat(tail.number()).isEqualTo(1);
                assertThat(tail.isDrained()).isTrue();
              }
            });
    reading.awaitResting();
    assertThat(reader.isDrained()).isFalse();
    log.close();
    log.close();
    assertThat(waiting.failure()).isInstanceOf(IllegalStateException.class);
    reading.result();
    Throws.illegalState(
        "log is closed: MessageLog[" + directory + "]",
        () -> producer.claim(1, 1),
        log::sync,
        log::newReader,
        log::newProducer,
        () -> log.removeBefore(0));
    assertThat(reader.isDrained()).isFalse();
    LogMessages.take(reader, 0);
    assertThat(reader.isDrained()).isTrue();
    assertThat(reader.poll()).isNull();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("lock", SegmentNames.segment(0), SegmentNames.index(0));
    }
  }

  // ---- reading ----

  @Test
  void readers_ofTheDirectory_seeWhatTheWriterCommits() throws Exception {
    open();
    try (LogReader other = LogReader.open(directory, WaitStrategy.yielding())) {
      TestCall<Boolean> tailing =
          TestCall.run(
              () -> {
                for (long number = 0; number < 2_000; number++) {
                  LogMessages.check(other.poll(), number);
                  other.release();
                }
              });
      for (int i = 0; i < 2_000; i++) {
        LogMessages.append(producer, 100 + i % 50);
      }
      tailing.result();
      assertThat(other.poll(Duration.ZERO)).isNull();
      assertThat(other.isDrained()).isFalse();
    }
  }

  @Test
  void readers_ofTheLog_shareItsMappings() throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    log = MessageLog.open(files, options());
    producer = log.newProducer();
    LogMessages.append(producer, 25, TENTH); // 20 of them in two full segments
    files.mapping =
        () -> {
          throw new IOException("mapped by a reader");
        };
    for (int i = 0; i < 2; i++) {
      reader = log.newReader();
      LogMessages.take(reader, 0, 25);
      assertThat(reader.endNumber()).isEqualTo(25);
      reader.close();
      log.sync(); // the second one reads what is complete
    }
    assertThat(files.mapped).isEqualTo(6);
    files.mapping = () -> {};
    reader = log.newReader();
    LogMessages.take(reader, 0, 5);
    assertThat(log.removeBefore(20)).isEqualTo(2);
    assertThat(files.mapped).isEqualTo(4); // the reader is still in the first segment
    LogMessages.take(reader, 5, 10);
    LogMessages.take(reader, 20, 22);
    assertThat(files.mapped).isEqualTo(2);
    log.close();
    LogMessages.take(reader, 22, 25);
    assertThat(files.mapped).isEqualTo(2);
    reader.close();
    assertThat(files.mapped).isZero();
  }

  @Test
  void fullSegments_stayMapped_upTo64MiB() throws IOException {
    MemoryFiles files = new MemoryFiles(1 << 20);
    LogOptions large = LogOptions.ofSegmentBytes(1 << 25);
    try (MessageLog opened = MessageLog.open(files, large);
        LogProducer appending = opened.newProducer()) {
      for (int i = 0; i < 9; i++) { // two to a segment
        appending.claim(1, (1 << 24) - (1 << 13));
        appending.commit();
      }
      assertThat(files.mapped).isEqualTo(10);
      opened.sync();
      assertThat(files.mapped).isEqualTo(6); // of two that are full, and the last
    }
    assertThat(files.mapped).isZero();
  }

  @Test
  void drain_whoseHandlerThrows_hasConsumedThatMessage() throws Exception {
    open();
    LogMessages.append(producer, 5, 8);
    List<Long> seen = new ArrayList<>();
    Throws.a(
        ArithmeticException.class,
        () ->
            reader.drain(
                _ -> {
                  seen.add(reader.number());
                  if (seen.size() == 2) {
                    throw new ArithmeticException();
                  }
                },
                4));
    assertThat(reader.number()).isEqualTo(2);
    assertThat(reader.drain(_ -> seen.add(reader.number()), 2)).isEqualTo(2);
    log.close();
    reader.forEach(_ -> seen.add(reader.number()));
    assertThat(seen).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(reader.drain(_ -> {}, 1)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void seek_toEachNumberAndTime_findsIt(boolean hasIndex) throws IOException {
    open();
    for (int i = 0; i < 300; i++) { // of three messages each time
      clock.set(1_000 + i / 3 * 10);
      LogMessages.append(producer, 700);
    }
    assertThat(segments()).isGreaterThan(3);
    if (!hasIndex) {
      long[] firsts = SegmentNames.firsts(DiskFiles.of(directory).names());
      Files.delete(directory.resolve(SegmentNames.index(firsts[0])));
      Path index = directory.resolve(SegmentNames.index(firsts[1]));
      Files.write(index, new byte[(int) Files.size(index)]);
      Files.write(directory.resolve(SegmentNames.index(firsts[2])), new byte[10]);
      byte[] wrong = Files.readAllBytes(directory.resolve(SegmentNames.index(firsts[3])));
      new Random(1).nextBytes(wrong);
      Files.write(directory.resolve(SegmentNames.index(firsts[3])), wrong);
    }
    try (LogReader other = LogReader.open(directory)) {
      for (LogReader each : List.of(reader, other)) {
        for (long number = 299; number >= 0; number--) {
          each.seek(number);
          assertThat(each.number()).isEqualTo(number);
          LogMessages.take(each, number);
          each.seek(299 - number);
          LogMessages.take(each, 299 - number);
        }
        each.seek(300);
        assertThat(each.tryPoll()).isNull();
        for (int i = 0; i < 100; i++) {
          for (int before = 0; before < 10; before += 9) {
            each.seekTime(1_000 + i * 10 - before);
            LogMessages.take(each, 3L * i);
          }
        }
        each.seekTime(Long.MIN_VALUE);
        LogMessages.take(each, 0);
        each.seekTime(2_000);
        assertThat(each.number()).isEqualTo(300);
        each.seekToStart();
        LogMessages.take(each, 0);
        each.seekToEnd();
        assertThat(each.endNumber()).isEqualTo(300);
        assertThat(each.number()).isEqualTo(300);
      }
      LogMessages.append(producer, 8);
      LogMessages.take(reader, 300);
      LogMessages.take(other, 300);
    }
    close();
    open();
    assertThat(log.recovery().isWhole()).isTrue();
  }

  @Test
  void reader_ofADirectoryWithoutALog_waitsForOne() throws IOException {
    Throws.a(
        IOException.class,
        directory.resolve("none").toString(),
        () -> LogReader.open(directory.resolve("none")),
        () -> MessageLog.verify(directory.resolve("none")));
    try (LogReader early = LogReader.open(directory)) {
      assertThat(early.tryPoll()).isNull();
      assertThat(early.endNumber()).isZero();
      early.seekToEnd();
      early.seekTime(5);
      open();
      LogMessages.append(producer, 8);
      LogMessages.take(early, 0);
    }
  }

  // ---- retention ----

  @Test
  void removeBefore_removesWholeSegments_andReadersAreTold() throws IOException {
    open();
    LogMessages.append(producer, 45, TENTH);
    assertThat(segments()).isEqualTo(5);
    LogMessages.take(reader, 0, 3);
    assertThat(log.removeBefore(9)).isZero();
    assertThat(log.removeBefore(25)).isEqualTo(2);
    assertThat(log.firstNumber()).isEqualTo(20);
    try (LogReader other = LogReader.open(directory)) {
      assertThat(other.number()).isEqualTo(20);
      other.seek(7);
      assertThat(other.lostCount()).isZero();
      LogMessages.take(other, 20);
      assertThat(other.lostCount()).isEqualTo(13);
    }
    LogMessages.take(reader, 3, 10); // its segment is still there for it
    assertThat(reader.lostCount()).isZero();
    LogMessages.take(reader, 20, 45);
    assertThat(reader.lostCount()).isEqualTo(10);
    assertThat(log.removeBefore(1_000)).isEqualTo(2);
    assertThat(log.firstNumber()).isEqualTo(40);
    assertThat(reader.tryPoll()).isNull();
    LogMessages.append(producer, 8);
    LogMessages.take(reader, 45);
    open();
    assertThat(log.firstNumber()).isEqualTo(40);
    assertThat(log.endNumber()).isEqualTo(46);
    assertThat(log.recovery().isWhole()).isTrue();
  }

  /** Otherwise nothing on the disk might say at which number the log goes on. */
  @Test
  void removeBefore_makesDurableWhatIsFull() throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    try (MessageLog opened = MessageLog.open(files, options())) {
      LogMessages.append(opened.newProducer(), 25, TENTH);
      assertThat(opened.durableNumber()).isZero();
      assertThat(opened.removeBefore(10)).isEqualTo(1);
      assertThat(opened.durableNumber()).isEqualTo(20);
    }
  }

  @Test
  void removeBefore_duringClose_isEndedFirst_orRefused() throws Exception {
    MemoryFiles files = new MemoryFiles(4096);
    log = MessageLog.open(files, options());
    producer = log.newProducer();
    reader = log.newReader();
    LogMessages.append(producer, 25, TENTH);
    log.sync();
    List<TestCall<?>> calls = new ArrayList<>();
    files.observer =
        () -> {
          files.observer = () -> {};
          calls.add(TestCall.of(() -> log.removeBefore(20)).awaitResting());
          calls.add(TestCall.run(log::close).awaitResting());
        };
    assertThat(log.removeBefore(10)).isEqualTo(1);
    assertThat(calls.getFirst().failure()).isInstanceOf(IllegalStateException.class);
    assertThat(calls.getLast().result()).isEqualTo(true);
  }

  @Test
  void seeks_amongSegments_keepTheLastOnes() throws IOException {
    open();
    LogMessages.append(producer, 105, TENTH);
    for (int i = 0; i < 4; i++) {
      for (long number = i; number < 105; number += 10) {
        reader.seek(number);
        LogMessages.take(reader, number, number + 1);
      }
    }
    assertThat(log.removeBefore(45)).isEqualTo(4);
    reader.seek(35); // of a segment that it still has, the last one but seven
    LogMessages.take(reader, 35, 40);
    reader.seek(7);
    LogMessages.take(reader, 40);
    assertThat(reader.lostCount()).isEqualTo(33);
  }

  @Test
  void retention_byBytesAndByAge_isTheKeepers() throws IOException {
    long bytes = SEGMENT + SegmentIndex.bytes(SEGMENT);
    open(options().withRetainBytes(3 * bytes));
    LogMessages.append(producer, 95, TENTH);
    TestCall.await(() -> log.firstNumber() == 70);
    open(options().withRetainBytes(2 * bytes));
    TestCall.await(() -> log.firstNumber() == 80); // at once, not when a segment is full
    open(options().withRetainAge(100));
    clock.set(1_100);
    LogMessages.append(producer, 10, TENTH); // in the segment from 100 on, which began at 1100
    TestCall.await(() -> log.endNumber() == 105);
    assertThat(log.firstNumber()).isEqualTo(80);
    clock.set(1_201);
    TestCall.await(() -> log.firstNumber() == 100);
  }

  /** Each limit by itself, on either side of it: with the log's work done by the test. */
  @Test
  void retention_atItsLimits_removesWhatIsBeyondThem() throws IOException {
    long bytes = SEGMENT + SegmentIndex.bytes(SEGMENT);
    for (int more = -1; more <= 1; more++) {
      MemoryFiles files = threeSegments(1_000); // of 0, 10, 20; begun at 1000, 1010, 1020
      assertThat(firstAfterWork(files, options().withRetainBytes(2 * bytes + more)))
          .isEqualTo(more < 0 ? 20 : 10);
      files = threeSegments(1_000);
      clock.set(1_110 + more); // the second segment, and so the last message before it, is of 1010
      assertThat(firstAfterWork(files, options().withRetainAge(100))).isEqualTo(more > 0 ? 10 : 0);
      clock.set(1_120 + more);
      assertThat(firstAfterWork(files, options().withRetainAge(100))).isEqualTo(more > 0 ? 20 : 10);
      clock.set(1_000_000);
      assertThat(firstAfterWork(files, options().withRetainAge(1))).as("the last").isEqualTo(20);
      files = threeSegments(1_000);
      try (MessageLog opened = MessageLog.open(files, options())) {
        assertThat(opened.removeBefore(10 + more)).isEqualTo(more < 0 ? 0 : 1);
        assertThat(opened.removeBefore(20 + more)).isEqualTo(1);
        assertThat(opened.firstNumber()).isEqualTo(more < 0 ? 10 : 20);
      }
    }
    MemoryFiles files = threeSegments(1_000);
    LogOptions both = options().withRetainAge(100).withRetainBytes(2 * bytes);
    clock.set(0);
    assertThat(firstAfterWork(files, both)).as("by bytes").isEqualTo(10);
    assertThat(firstAfterWork(files, options())).as("no limit").isEqualTo(10);
  }

  /** A log whose segments have ten messages, the n-th message of a time of its own. */
  private MemoryFiles threeSegments(long begin) throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    clock.set(begin);
    try (MessageLog made = MessageLog.open(files, options());
        LogProducer its = made.newProducer()) {
      for (int i = 0; i < 25; i++) {
        clock.set(begin + i);
        LogMessages.append(its, TENTH);
      }
    }
    return files;
  }

  private static long firstAfterWork(MemoryFiles files, LogOptions options) throws IOException {
    try (MessageLog opened = MessageLog.open(files, options)) {
      opened.work();
      try (LogReader kept = opened.newReader()) {
        LogMessages.take(kept, opened.firstNumber(), 25);
      }
      return opened.firstNumber();
    }
  }

  // ---- sync ----

  @Test
  void sync_makesAllDurable() throws Exception {
    open();
    assertThat(log.durableNumber()).isZero();
    LogMessages.append(producer, 25, TENTH);
    assertThat(log.awaitDurable(24, Duration.ZERO)).isFalse();
    producer.sync();
    assertThat(log.durableNumber()).isEqualTo(25);
    assertThat(log.awaitDurable(24, Duration.ZERO)).isTrue();
    assertThat(log.awaitDurable(25, Duration.ofMillis(1))).isFalse();
    LogMessages.append(producer, 10, TENTH);
    TestCall.await(() -> log.durableNumber() == 30); // a segment that is sealed is forced anyway
  }

  @Test
  void withSync_makesItDurableByItself() throws Exception {
    for (Duration interval : List.of(Duration.ofMillis(2), Duration.ZERO)) {
      open(options().withSync(interval));
      long begin = log.endNumber();
      List<TestCall<Boolean>> waiting =
          TestCall.each(3, i -> () -> log.awaitDurable(begin + 10L * i, TestCall.LONG));
      LogMessages.append(producer, 30, 500);
      assertThat(TestCall.results(waiting)).containsOnly(true);
      TestCall.await(() -> log.durableNumber() == begin + 30);
      assertThat(log.awaitDurable(begin + 29, Duration.ZERO)).isTrue();
    }
  }

  @Test
  void force_servesAllThatWait_andTheNextOneHoldsUpNone() throws Exception {
    MemoryFiles files = new MemoryFiles(4096);
    LogOptions options = options().withSync(Duration.ZERO);
    log = MessageLog.open(files, options);
    producer = log.newProducer();
    reader = log.newReader();
    AtomicReference<Semaphore> gate = new AtomicReference<>(first);
    Set<Thread> forcing = ConcurrentHashMap.newKeySet();
    files.observer =
        () -> {
          forcing.add(Thread.currentThread());
          pass(gate.get());
        };
    LogMessages.append(producer, 8);
    assertThat(log.awaitDurable(0, Duration.ZERO)).isFalse();
    assertThat(forcing).as("no time to force").isEmpty();

    TestCall<Boolean> syncing =
        TestCall.run(
            () -> {
              log.sync();
              gate.set(second);
              LogMessages.append(producer, 8);
              log.sync();
            });
    TestCall.await(first::hasQueuedThreads);
    TestCall<Boolean> waiting = TestCall.of(() -> log.awaitDurable(0, TestCall.LONG));
    waiting.awaitResting();
    first.release();
    assertThat(waiting.result()).as("during the second force").isTrue();
    TestCall.await(second::hasQueuedThreads);

    LogMessages.append(producer, 3, 8); // which that force is too early for
    List<TestCall<Boolean>> later =
        TestCall.each(3, i -> () -> log.awaitDurable(2 + i, TestCall.LONG));
    later.forEach(TestCall::awaitResting);
    assertThat(forcing).hasSize(1);
    second.release();
    assertThat(TestCall.results(later)).containsOnly(true);
    syncing.result();
    assertThat(forcing).hasSize(2);
  }

  @Test
  void sync_atAnInterval_waitsForNoSpareSegment() throws Exception {
    MemoryFiles files = new MemoryFiles(4096);
    LogOptions options = options().withSync(Duration.ofMillis(2));
    log = MessageLog.open(files, options);
    producer = log.newProducer();
    reader = log.newReader();
    files.observer =
        () -> {
          if (Thread.currentThread().getName().startsWith("millrace-log-spare ")) {
            pass(first);
          }
        };
    log.start();
    TestCall.await(first::hasQueuedThreads);
    for (int i = 0; i < 3; i++) {
      long number = LogMessages.append(producer, 8);
      assertThat(log.awaitDurable(number, TestCall.LONG)).isTrue();
    }
  }

  @Test
  void tryClaim_whileTheNextSegmentIsMade_isNull() throws IOException {
    open();
    long made = 0;
    for (int i = 0; i < 200; i++) {
      Message message = producer.tryClaim(LogMessages.type(made), TENTH);
      while (message == null) { // the keeper is at it
        Thread.onSpinWait();
        message = producer.tryClaim(LogMessages.type(made), TENTH);
      }
      LogMessages.write(message, made++, TENTH);
      producer.commit();
    }
    LogMessages.take(reader, 0, 200);
  }

  @Test
  void interrupt_endsNothingButAWait() throws Exception {
    Thread.currentThread().interrupt();
    open(); // forces the directory
    LogMessages.append(producer, 30, TENTH);
    log.sync();
    for (long number = 0; number < 30; number++) {
      LogMessages.check(reader.poll(), number);
      reader.release();
    }
    log.removeBefore(15);
    reader.seek(25);
    reader.seekTime(0);
    assertThat(MessageLog.verify(directory).damages()).isEmpty();
    reader.seekToEnd();
    Throws.a(InterruptedException.class, reader::poll);
    Thread.currentThread().interrupt();
    log.close();
    assertThat(Thread.interrupted()).as("is kept").isTrue();
  }

  @Test
  void awaitDurable_inAPoolThatStops_isInterrupted() throws Exception {
    open();
    AtomicReference<Thread> worker = new AtomicReference<>();
    CountDownLatch interrupted = new CountDownLatch(1);
    ForkJoinPool pool = new ForkJoinPool(1);
    var _ =
        pool.submit(
            () -> {
              worker.set(Thread.currentThread());
              Throws.a(InterruptedException.class, () -> log.awaitDurable(0, TestCall.LONG));
              interrupted.countDown();
            });
    TestCall.await(
        () -> worker.get() != null && worker.get().getState() == Thread.State.TIMED_WAITING);
    boolean _ = pool.shutdownNow().isEmpty();
    interrupted.await();
  }

  // ---- metrics ----

  @Test
  void metrics_areOfTheFilesAndSinceOpening() throws Exception {
    MemoryFiles files = new MemoryFiles(4096);
    long bytes = SEGMENT + SegmentIndex.bytes(SEGMENT);
    MessageLog first = MessageLog.open(files, options());
    LogMessages.append(first.newProducer(), 45, TENTH); // without a keeper nothing else is done
    assertThat(first.counters()).containsExactly("committed", "forces", "removedSegments");
    assertThat(first.gauges())
        .containsExactly(
            "firstNumber", "endNumber", "durableNumber", "segments", "bytes", "aheadOfClock");
    assertThat(first.metrics().values())
        .containsExactly(45L, 1L, 0L, 0L, 45L, 0L, 5L, 5 * bytes, 0L);
    first.sync();
    first.sync(); // nothing is left
    assertThat(first.metrics().values())
        .containsExactly(45L, 2L, 0L, 0L, 45L, 45L, 5L, 5 * bytes, 0L);
    assertThat(first.removeBefore(25)).isEqualTo(2);
    List<Long> last = List.of(45L, 2L, 2L, 20L, 45L, 45L, 3L, 3 * bytes, 0L);
    assertThat(first.metrics().values()).containsExactlyElementsOf(last);
    first.close();
    assertThat(first.metrics().values()).containsExactlyElementsOf(last);
    try (MessageLog again = MessageLog.open(files, options())) {
      long[] values = new long[9];
      again.readMetrics(values);
      assertThat(values).containsExactly(0, 1, 0, 20, 45, 45, 3, 3 * bytes, 0);
      assertThat(Allocations.leastBytesIn(4, () -> again.readMetrics(values))).isZero();
      Throws.outOfBounds(() -> again.readMetrics(new long[8]));
    }
  }

  // ---- opening ----

  @Test
  void open_withAnotherSegmentSize_goesOn() throws IOException {
    open();
    LogMessages.append(producer, 5, 1_000);
    open(LogOptions.ofSegmentBytes(1 << 18));
    LogMessages.append(producer, 1 << 16);
    open(LogOptions.ofSegmentBytes(1 << 20)); // the last segment has messages
    LogMessages.append(producer, 1 << 18);
    open(LogOptions.ofSegmentBytes(SEGMENT));
    LogMessages.append(producer, 100, 1_000);
    LogMessages.take(reader, 0, 107);
    close();
    Path empty = directory.resolve("empty");
    MessageLog.open(empty, options()).close();
    try (MessageLog other = MessageLog.open(empty, LogOptions.ofSegmentBytes(1 << 20));
        LogProducer its = other.newProducer();
        LogReader from = other.newReader()) {
      LogMessages.append(its, 1 << 18);
      LogMessages.take(from, 0);
    }
  }

  @Test
  void open_withAFullLastSegment_isNoDamage() throws IOException {
    open();
    LogMessages.append(producer, LONGEST);
    LogMessages.append(producer, ROOM - LONGEST - 3 * LogSegment.MESSAGE_BYTES + 8);
    open(); // there is no room for any message
    assertThat(log.recovery().damages()).isEmpty();
    LogMessages.append(producer, 0);
    LogMessages.take(reader, 0, 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {SEGMENT, 1 << 18})
  void open_thatReplacesAnEmptySegment_isSeenByReadersInIt(int segmentBytes) throws Exception {
    open();
    LogMessages.append(producer, 10, TENTH);
    LogMessages.write(producer.claim(1, TENTH), 1, TENTH); // in the next segment
    if (segmentBytes != SEGMENT) {
      producer.abort(); // or it is lost, and the segment is set aside
    }
    try (LogReader tail = LogReader.open(directory)) {
      LogMessages.take(tail, 0, 10);
      assertThat(tail.tryPoll()).isNull();
      open(LogOptions.ofSegmentBytes(segmentBytes));
      LogMessages.append(producer, 8);
      LogMessages.check(tail.poll(Duration.ofSeconds(60)), 10);
      assertThat(tail.number()).isEqualTo(10);
    }
  }

  @Test
  void open_withAnUnfinishedSegment_removesIt() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    close();
    Files.write(directory.resolve("0123456789abcdef.ready.log"), new byte[100]);
    Files.write(directory.resolve("0123456789abcdef.spare.index"), new byte[0]);
    Files.write(directory.resolve(SegmentNames.index(77)), new byte[100]);
    Files.write(directory.resolve("of somebody else"), new byte[1]);
    open();
    assertThat(directory.resolve(SegmentNames.index(77))).doesNotExist();
    assertThat(directory.resolve("0123456789abcdef.ready.log")).doesNotExist();
    assertThat(directory.resolve("0123456789abcdef.spare.index")).doesNotExist();
    assertThat(directory.resolve("of somebody else")).exists();
    LogMessages.append(producer, 30, TENTH);
    LogMessages.take(reader, 0, 33);
  }

  @Test
  void open_whereASpareSegmentWasLeft_takesItIfItIsZeros() throws IOException {
    String left = "0123456789abcdef.ready."; // by another process
    for (int bad = -1; bad < 2; bad++) { // what is not zeros: nothing, the segment, its index
      MemoryFiles files = new MemoryFiles(4096);
      files.write(left + "log", new byte[SEGMENT]);
      files.write(left + "index", new byte[(int) SegmentIndex.bytes(SEGMENT)]);
      if (bad >= 0) {
        String name = left + (bad == 0 ? "log" : "index");
        byte[] bytes = files.bytes(name);
        bytes[bytes.length - 1] = 1;
        files.write(name, bytes);
      }
      long[] sizes = {SEGMENT, SegmentIndex.bytes(SEGMENT)};
      long made = bad < 0 ? 0 : sizes[bad];
      files.freeBytes = 1 << 20;
      try (MessageLog opened = MessageLog.open(files, options())) {
        assertThat(files.freeBytes).isEqualTo((1 << 20) - made);
        LogMessages.append(opened.newProducer(), 8);
      }
      assertThat(MessageLog.verify(files).isWhole()).isTrue();
    }
  }

  @Test
  void open_ofAnotherVersionOrByteOrder_saysSo() throws IOException {
    open();
    close();
    Path file = directory.resolve(SegmentNames.segment(0));
    byte[] bytes = Files.readAllBytes(file);
    for (boolean isVersion : new boolean[] {true, false}) {
      byte[] changed = bytes.clone();
      for (int at : new int[] {0, SEGMENT - 64}) {
        MemorySegment header = MemorySegment.ofArray(changed);
        if (isVersion) {
          header.set(ValueLayout.JAVA_INT_UNALIGNED, at + 12, 9);
        } else {
          for (int i = 8; i < 52; ) {
            int size = i < 16 || i == 48 ? 4 : 8;
            reverse(changed, at + i, size);
            i += size;
          }
        }
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(changed, at, 52);
        header.set(ValueLayout.JAVA_INT_UNALIGNED, at + 52, (int) crc.getValue());
        if (!isVersion) {
          reverse(changed, at + 52, 4);
        }
      }
      Files.write(file, changed);
      Throws.a(
          IOException.class,
          file
              + (isVersion
                  ? ": unknown version: version=9, ..."
                  : ": written in another byte order..."),
          () -> MessageLog.open(directory, options()).close());
    }
    assertThat(Files.readAllBytes(file)).hasSize(SEGMENT);
  }

  private static void reverse(byte[] bytes, int from, int count) {
    for (int i = 0; i < count / 2; i++) {
      byte moved = bytes[from + i];
      bytes[from + i] = bytes[from + count - 1 - i];
      bytes[from + count - 1 - i] = moved;
    }
  }
}
