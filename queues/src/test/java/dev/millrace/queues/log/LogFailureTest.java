package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a disk that is full, read-only, gone or failing and that costs a message, hangs a caller,
 * or is believed to have kept what a failed force dropped.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogFailureTest {
  private static final int SEGMENT = 1 << 16;
  private static final LogOptions OPTIONS = LogOptions.ofSegmentBytes(SEGMENT);
  private static final LogOptions LARGE = LogOptions.ofSegmentBytes(1 << 21);
  private static final long SEGMENT_BYTES = SEGMENT + SegmentIndex.bytes(SEGMENT);

  /** A length of which ten messages fit a segment. */
  private static final int TENTH = (SEGMENT - SegmentHeader.BYTES) / 10 - 50;

  @TempDir Path directory;
  private final MemoryFiles files = new MemoryFiles(4096);

  private MessageLog open() throws IOException {
    return MessageLog.open(files, OPTIONS);
  }

  @Test
  void fullDisk_isAnExceptionOfTheClaim_andNothingIsLost() throws IOException {
    files.freeBytes = 2 * SEGMENT_BYTES + 100;
    try (MessageLog log = open();
        LogProducer producer = log.newProducer();
        LogReader reader = log.newReader()) {
      log.work(); // makes the second segment ahead
      LogMessages.append(producer, 20, TENTH);
      String rule = "...spare.log: cannot be made: bytes=" + SEGMENT;
      Throws.a(UncheckedIOException.class, rule, () -> producer.claim(1, TENTH));
      LogMessages.append(producer, 1); // there is room for a short one
      LogMessages.take(reader, 0, 21);

      log.work();
      int[] done = new int[1];
      files.observer = () -> done[0]++;
      for (int i = 0; i < 100; i++) {
        log.work(); // which does not try again before it is asked
      }
      assertThat(done[0]).isZero();
      Throws.a(UncheckedIOException.class, rule, () -> producer.tryClaim(1, TENTH));
      assertThat(producer.tryClaim(1, TENTH)).as("not tried again yet").isNull();

      files.freeBytes = SEGMENT; // the index does not fit
      Throws.a(UncheckedIOException.class, "...spare.index: ...", () -> producer.claim(1, TENTH));
      assertThat(files.freeBytes).as("is given back").isEqualTo(SEGMENT);
      files.freeBytes = 3 * SEGMENT_BYTES;
      LogMessages.append(producer, 20, TENTH);
      LogMessages.take(reader, 21, 41);
    }
    files.freeBytes = 0;
    try (MessageLog log = open()) { // the last segment has room
      assertThat(log.endNumber()).isEqualTo(41);
    }
    MemoryFiles empty = new MemoryFiles(4096);
    empty.freeBytes = SEGMENT_BYTES - 1;
    Throws.a(IOException.class, "...spare.index: ...", () -> MessageLog.open(empty, OPTIONS));
    assertThat(empty.names()).isEmpty();
  }

  @Test
  void failedRename_leavesTheIndexWithItsSegment() throws IOException {
    try (MessageLog log = open();
        LogProducer producer = log.newProducer()) {
      LogMessages.append(producer, 10, TENTH);
      int[] done = new int[1];
      files.observer =
          () -> {
            if (++done[0] == 4) { // two files are made, the index is named, the segment is not
              throw new IOException("broken disk");
            }
          };
      Throws.a(UncheckedIOException.class, "...broken disk", () -> producer.claim(1, TENTH));
      LogMessages.append(producer, 1); // there is room for a short one
      LogMessages.append(producer, 2, TENTH);
      assertThat(files.names())
          .containsExactlyInAnyOrder(
              SegmentNames.segment(0),
              SegmentNames.index(0),
              SegmentNames.segment(11),
              SegmentNames.index(11));
      assertThat(MessageLog.verify(files).damages()).isEmpty();
    }
  }

  @Test
  void roll_thatFailsAtAnyStep_isAsIfItHadNotBegun() throws IOException {
    boolean hasFailed = true;
    int at = 0;
    for (; hasFailed; at++) {
      MemoryFiles disk = new MemoryFiles(4096);
      try (MessageLog log = MessageLog.open(disk, OPTIONS);
          LogProducer producer = log.newProducer();
          LogReader ofLog = log.newReader();
          LogReader ofFiles = new LogReader(disk, LogOptions.WAITS, null)) {
        List<LogReader> readers = List.of(ofLog, ofFiles);
        LogMessages.append(producer, 10, TENTH);
        readers.forEach(reader -> LogMessages.take(reader, 0, 10));
        AtomicInteger left = new AtomicInteger(at);
        disk.observer =
            () -> {
              if (left.getAndDecrement() == 0) {
                throw new IOException("broken disk");
              }
            };
        hasFailed = catchThrowable(() -> producer.claim(1, TENTH)) != null;
        disk.observer = () -> {};
        readers.forEach(reader -> assertThat(reader.tryPoll()).isNull());
        if (hasFailed) {
          LogMessages.append(producer, 1); // there is room for a short one
          readers.forEach(reader -> LogMessages.take(reader, 10));
        } else {
          producer.abort();
        }
        checkKilled(disk, log.endNumber());
        LogMessages.append(producer, 2, TENTH);
        readers.forEach(reader -> LogMessages.take(reader, reader.number(), producer.number() + 1));
        checkKilled(disk, log.endNumber());
      }
    }
    assertThat(at).as("steps").isGreaterThanOrEqualTo(4);
  }

  /** Opens what a process leaves that is killed. */
  private static void checkKilled(MemoryFiles files, long end) throws IOException {
    MemoryFiles killed = new MemoryFiles(4096);
    for (String name : files.names()) {
      killed.write(name, files.bytes(name));
    }
    try (MessageLog again = MessageLog.open(killed, OPTIONS);
        LogReader reader = again.newReader()) {
      assertThat(again.recovery().damages()).isEmpty();
      assertThat(again.endNumber()).isEqualTo(end);
      LogMessages.take(reader, 0, end);
    }
  }

  @Test
  void fullDisk_whenAnEmptySegmentIsReplaced_losesNoNumber() throws IOException {
    MessageLog log = open();
    LogProducer producer = log.newProducer();
    LogMessages.append(producer, 10, TENTH);
    producer.claim(1, TENTH); // in the next segment
    producer.abort();
    log.removeBefore(10);
    log.close();
    LogOptions larger = LogOptions.ofSegmentBytes(2 * SEGMENT);
    files.freeBytes = 0;
    Throws.a(IOException.class, "...spare.log: ...", () -> MessageLog.open(files, larger));
    files.freeBytes = Long.MAX_VALUE;
    try (MessageLog again = MessageLog.open(files, larger)) {
      assertThat(again.recovery().endNumber()).isEqualTo(10);
      assertThat(again.endNumber()).isEqualTo(10);
      assertThat(files.names())
          .containsExactlyInAnyOrder(SegmentNames.segment(10), SegmentNames.index(10));
    }
  }

  @Test
  void failedForce_isToldToAllThatWait_untilTheLogIsOpenedAgain() throws Exception {
    MessageLog log = open();
    LogProducer producer = log.newProducer();
    LogMessages.append(producer, 5, TENTH);
    log.sync();
    LogMessages.append(producer, 8, TENTH);
    TestCall<Boolean> waiting = TestCall.of(() -> log.awaitDurable(7, Duration.ofDays(1)));
    waiting.awaitResting();
    files.observer =
        () -> {
          throw new IOException("broken disk");
        };
    String rule = "...a force failed, open the log again: directory=in memory";
    Throws.a(UncheckedIOException.class, rule, log::sync);
    assertThat(waiting.failure()).isInstanceOf(UncheckedIOException.class);
    files.observer = () -> {};
    Throws.a(UncheckedIOException.class, rule, log::sync, () -> log.awaitDurable(7, Duration.ZERO));
    assertThat(log.awaitDurable(4, Duration.ZERO)).isTrue();
    assertThat(log.durableNumber()).isEqualTo(5);
    Throws.a(
        UncheckedIOException.class,
        rule,
        () -> {
          while (true) { // up to the claim that needs a segment
            LogMessages.append(producer, TENTH);
          }
        });
    Throws.a(UncheckedIOException.class, rule, log::close);
    log.close();
    try (MessageLog again = open()) {
      assertThat(again.endNumber()).isGreaterThanOrEqualTo(13);
      assertThat(again.durableNumber()).isEqualTo(10); // the rest is left to its user to sync
      again.sync();
      assertThat(again.durableNumber()).isEqualTo(again.endNumber());
    }
  }

  @Test
  void failedForce_ofALongMessageAtTheEnd_isDoneAgainInOpening() throws IOException {
    failForceOfALongMessage();
    try (MessageLog again = MessageLog.open(files, LARGE)) {
      assertThat(again.durableNumber()).isEqualTo(2);
      MemoryFiles left = files.crash(new Random(1));
      try (MessageLog after = MessageLog.open(left, LARGE)) {
        assertThat(after.endNumber()).isEqualTo(2);
      }
    }
  }

  /** Its pages are clean, and not on the disk; they are dropped right before they are dirty. */
  @Test
  void longMessage_droppedFromMemoryOnceItWasChecked_isCheckedAgain() throws IOException {
    failForceOfALongMessage();
    Thread opening = Thread.currentThread();
    files.touching =
        () -> {
          if (!Thread.currentThread().equals(opening)) { // the pages ahead, which opening waits for
            TestCall.await(() -> TestCall.isResting(opening));
            files.evictsLate = true;
          }
        };
    try (MessageLog again = MessageLog.open(files, LARGE);
        LogProducer producer = again.newProducer();
        LogReader reader = again.newReader()) {
      assertThat(files.evictsLate).isTrue();
      assertThat(again.endNumber()).isEqualTo(1);
      LogMessages.append(producer, 8);
      LogMessages.take(reader, 0, 2);
    }
  }

  /** Leaves two messages, the second of which begins within the first MiB and fills the segment. */
  private void failForceOfALongMessage() throws IOException {
    int room = (1 << 21) - SegmentHeader.BYTES - 64;
    int first = 1_045_000;
    MessageLog log = MessageLog.open(files, LARGE);
    LogProducer producer = log.newProducer();
    LogMessages.append(producer, first);
    LogMessages.append(producer, room - first - 2 * LogSegment.MESSAGE_BYTES);
    files.forcesLeft = 0;
    Throws.a(UncheckedIOException.class, "...a force failed...", log::sync, log::close);
    files.forcesLeft = Integer.MAX_VALUE;
  }

  @Test
  void manySegments_areNotMappedAtOnce() throws IOException {
    MemoryFiles killed = new MemoryFiles(4096);
    try (MessageLog log = open();
        LogProducer producer = log.newProducer()) {
      LogMessages.append(producer, 500, TENTH);
      for (String name : files.names()) {
        killed.write(name, files.bytes(name)); // no segment is complete
      }
    }
    assertThat(files.mapped).isZero();
    for (MemoryFiles left : List.of(files, killed)) {
      left.mostMapped = 0;
      try (MessageLog _ = MessageLog.open(left, OPTIONS)) {
        assertThat(MessageLog.verify(left).segments()).isGreaterThan(40);
      }
      assertThat(left.mapped).isZero();
      assertThat(left.mostMapped).isLessThanOrEqualTo(6); // of two segments, and a new index
    }
  }

  @Test
  void errorInTheLogsThreads_isTold_andEndsNone() throws Exception {
    AtomicReference<Error> clockFailure = new AtomicReference<>();
    LongSupplier clock =
        () -> {
          if (clockFailure.get() != null) {
            throw clockFailure.get();
          }
          return 0;
        };
    LogOptions options = OPTIONS.withClock(clock).withRetainAge(1);
    MessageLog log = MessageLog.open(files, options);
    LogProducer producer = log.newProducer();
    LogMessages.append(producer, 10, TENTH);
    clockFailure.set(new AssertionError("of the clock"));
    files.observer =
        () -> {
          throw new InternalError("of the system");
        };
    log.work(); // can neither make a segment nor tell ages
    Throws.a(UncheckedIOException.class, "...of the system", () -> producer.tryClaim(1, TENTH));
    String rule = "...a force failed, open the log again: directory=in memory";
    Throws.a(UncheckedIOException.class, rule, log::sync);
    files.observer = () -> {};
    log.work();
    assertThat(log.durableNumber()).isZero();
    Throws.a(
        UncheckedIOException.class, rule, log::sync, () -> producer.claim(1, TENTH), log::close);
  }

  @Test
  void directoryThatIsRemoved_isAnExceptionThatNamesIt() throws IOException {
    Path removed = directory.resolve("log");
    MessageLog log = MessageLog.open(removed, OPTIONS);
    LogProducer producer = log.newProducer();
    LogReader reader = log.newReader();
    LogMessages.append(producer, 3, TENTH);
    LogMessages.take(reader, 0);
    TestCall.await(
        () -> Files.exists(removed.resolve(SegmentNames.READY_INDEX))); // no more is made
    try (Stream<Path> all = Files.list(removed)) {
      for (Path file : all.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(removed);
    LogMessages.append(producer, 5, TENTH); // what is mapped is still there
    LogMessages.take(reader, 1, 8);
    Throws.a(
        UncheckedIOException.class,
        "..." + removed + "...",
        () -> LogMessages.append(producer, 20, TENTH),
        () -> LogMessages.append(producer, 20, TENTH),
        reader::seekToEnd,
        log::newReader);
    LogMessages.take(reader, 8, producer.number() + 1);
    assertThat(reader.tryPoll()).isNull();
    reader.close();
    log.close();
    Files.writeString(removed, "a file");
    Throws.a(IOException.class, "..." + removed + "...", () -> MessageLog.open(removed, OPTIONS));
    Throws.a(IOException.class, removed.toString(), () -> LogReader.open(removed));
  }

  /** On a file system of its own: as root on Linux, or left out. */
  @Test
  void fullOrReadOnlyFileSystem_isAnExceptionThatSaysSo() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("mount"));
    String size = "size=" + (3 * SEGMENT_BYTES + SEGMENT);
    assumeTrue(
        isDone("mount", "-t", "tmpfs", "-o", size, "tmpfs", mount.toString()),
        "no file system can be mounted here: the test of a real full disk is left out");
    try {
      long end;
      try (MessageLog log = MessageLog.open(mount, OPTIONS)) {
        LogProducer producer = log.newProducer();
        Throws.a(
            UncheckedIOException.class,
            "..." + mount + "...cannot be made: bytes=..., No space left on device",
            () -> LogMessages.append(producer, 1_000, TENTH));
        end = log.endNumber();
        assertThat(end).isGreaterThanOrEqualTo(20);
        Throws.a(UncheckedIOException.class, () -> producer.claim(1, TENTH));
        log.sync(); // the space of what is not forced yet would not be free: it is mapped
        log.removeBefore(15);
        LogMessages.append(producer, 3, TENTH);
        end = log.endNumber();
        log.sync();
      }
      assumeTrue(isDone("mount", "-o", "remount,ro", mount.toString()), "cannot be made read-only");
      Throws.a(
          IOException.class,
          "..." + mount + "...Read-only file system",
          () -> MessageLog.open(mount, OPTIONS));
      try (LogReader reader = LogReader.open(mount)) {
        List<Long> numbers = LogMessages.takeAll(reader);
        assertThat(numbers.getLast()).isEqualTo(end - 1);
      }
      assertThat(MessageLog.verify(mount).damages()).isEmpty();
    } finally {
      assertThat(isDone("umount", mount.toString())).isTrue();
    }
  }

  private static boolean isDone(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }
}
