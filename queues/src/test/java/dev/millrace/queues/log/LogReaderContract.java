package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a reader of a log does in both directions, with a name or without. Finds a reader that
 * returns another message than the one after or before its position, at whatever place of a
 * segment, and one whose position is off after a release, a throwing handler or a move.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class LogReaderContract {
  static final int SEGMENT = 1 << 16;

  /** A length of which ten messages fit a segment. */
  static final int TENTH = (SEGMENT - SegmentHeader.BYTES - 64) / 10 - LogSegment.MESSAGE_BYTES - 8;

  @TempDir Path directory;
  MessageLog log;
  LogProducer producer;
  LogReader reader;
  private long sum; // of lengths

  /** Makes a reader; of the log or, if {@code isOfLog} is false, of the directory. */
  abstract LogReader newReader(boolean isOfLog) throws IOException;

  /**
   * Ends the reader and makes another one. Returns the number from which it continues if no message
   * was removed: the number of the message that was to be next, or the one that was released last.
   */
  abstract long startAgain(boolean isOfLog, long next, long released) throws IOException;

  void open() throws IOException {
    close();
    log = MessageLog.open(directory, LogOptions.ofSegmentBytes(SEGMENT));
    producer = log.newProducer();
    reader = newReader(true);
  }

  @AfterEach
  void close() {
    if (log != null) {
      reader.close();
      log.close();
    }
  }

  /** Polls the message before the position, checks it and releases it. */
  static void takePrevious(LogReader reader, long number) {
    Message message = reader.tryPollPrevious();
    assertThat(message).as("message %d", number).isNotNull();
    assertThat(reader.number()).isEqualTo(number);
    LogMessages.check(message, number);
    assertThat(reader.at(0)).isSameAs(message);
    reader.release();
    assertThat(reader.number()).isEqualTo(number);
  }

  // ---- both directions ----

  /** Draws what a reader does, and compares it with a model: a number, and a list of messages. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void operations_drawn_followTheOrderOfMessages(long seed) throws IOException {
    open();
    Random random = new Random(seed);
    boolean isOfLog = true;
    long next = 0; // of the reader
    long released = 0;
    for (int i = 0; i < 1_500; i++) {
      long first = log.firstNumber();
      long end = log.endNumber();
      switch (random.nextInt(14)) {
        case 0, 1, 2 -> LogMessages.append(producer, 1 + random.nextInt(4), 100);
        case 3 -> LogMessages.append(producer, LogMessages.length(random, SEGMENT / 2 - 32));
        case 4, 5, 6 -> { // forward
          int count = reader.tryPoll(1 + random.nextInt(4));
          assertThat(count > 0).as("%d of %d..%d", next, first, end).isEqualTo(next < end);
          for (int at = 0; at < count; at++) {
            LogMessages.check(reader.at(at), next + at);
          }
          if (count > 0) {
            next += count;
            reader.release();
            released = next;
          }
        }
        case 7 -> { // a handler that throws in between
          long[] handled = {next};
          int limit = 1 + random.nextInt(4);
          long failing = next + random.nextInt(4);
          try {
            reader.drain(
                message -> {
                  LogMessages.check(message, handled[0]++);
                  if (handled[0] > failing) {
                    throw new IllegalArgumentException("planned");
                  }
                },
                limit);
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessage("planned");
          }
          released = handled[0] > next ? handled[0] : released;
          next = handled[0];
        }
        case 8, 9, 10 -> { // backwards, which no name records
          for (int back = random.nextInt(12); back >= 0; back--) {
            if (next <= first) {
              assertThat(reader.tryPollPrevious()).isNull();
              break;
            }
            takePrevious(reader, --next);
          }
        }
        case 11 -> {
          next = first + random.nextInt((int) (end - first) + 1);
          reader.seek(next);
        }
        case 12 -> {
          if (random.nextInt(4) == 0) {
            int _ = log.removeBefore(first + random.nextInt((int) (end - first) + 1));
            reader.seekToEnd(); // what a reader keeps open may be removed
            next = end;
          }
        }
        default -> {
          if (random.nextInt(4) == 0) {
            isOfLog = random.nextBoolean();
            next = Math.max(startAgain(isOfLog, next, released), log.firstNumber());
          }
        }
      }
      assertThat(Math.max(reader.number(), log.firstNumber())).isEqualTo(next);
    }
    assertThat(SegmentNames.firsts(DiskFiles.of(directory).names()).length).isGreaterThan(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tryPollPrevious_fromTheEnd_isTheOrderReversed(boolean hasIndex) throws IOException {
    open();
    Random random = new Random(7);
    List<Integer> lengths = new ArrayList<>();
    while (SegmentNames.firsts(DiskFiles.of(directory).names()).length < 6) {
      int length = LogMessages.length(random, SEGMENT / 2 - 32);
      lengths.add(length);
      LogMessages.append(producer, length);
    }
    if (!hasIndex) {
      long[] firsts = SegmentNames.firsts(DiskFiles.of(directory).names());
      Files.delete(directory.resolve(SegmentNames.index(firsts[0])));
      Path index = directory.resolve(SegmentNames.index(firsts[1]));
      byte[] wrong = new byte[(int) Files.size(index)];
      Files.write(index, wrong);
      random.nextBytes(wrong);
      Files.write(directory.resolve(SegmentNames.index(firsts[2])), wrong);
    }
    reader.close();
    reader = newReader(false);
    for (int walk = 0; walk < 2; walk++) {
      reader.seekToEnd();
      for (int number = lengths.size() - 1; number >= 0; number--) {
        Message message = reader.tryPollPrevious();
        assertThat(reader.number()).isEqualTo(number);
        assertThat(message.length()).isEqualTo(lengths.get(number));
        LogMessages.check(message, number);
        reader.release();
      }
      assertThat(reader.tryPollPrevious()).isNull();
      assertThat(reader.tryPollPrevious()).isNull();
      assertThat(reader.lostCount()).isZero();
      LogMessages.take(reader, 0, lengths.size()); // and forward again
      assertThat(reader.tryPoll()).isNull();
    }
  }

  @Test
  void tryPollPrevious_whileMessagesAreAppended_isInOrderWithoutGap() throws Exception {
    open();
    int count = 4_000;
    Random random = new Random(3);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread appending =
        Thread.ofPlatform()
            .uncaughtExceptionHandler((_, e) -> failure.set(e))
            .start(
                () -> {
                  for (int i = 0; i < count; i++) {
                    LogMessages.append(producer, LogMessages.length(random, 2_000));
                  }
                });
    try (LogReader other = LogReader.open(directory)) {
      long walks = 0;
      for (boolean isLast = false; !isLast; walks++) {
        isLast = !appending.isAlive();
        other.seekToEnd();
        long end = other.number();
        for (int back = 0; back < 100 && back < end; back++) {
          takePrevious(other, end - 1 - back);
        }
        assertThat(other.tryPollPrevious() == null).isEqualTo(end <= 100);
        if (end > 100) {
          other.release();
        }
      }
      assertThat(walks).isGreaterThan(1);
      assertThat(other.endNumber()).isEqualTo(count);
    }
    appending.join();
    assertThat(failure.get()).isNull();
  }

  @Test
  void tryPollPrevious_atTheOldest_isNullAndChangesNothing() throws IOException {
    open();
    assertThat(reader.tryPollPrevious()).as("of an empty log").isNull();
    LogMessages.append(producer, 45, TENTH);
    assertThat(reader.tryPollPrevious()).isNull();
    reader.seek(25);
    assertThat(log.removeBefore(22)).isEqualTo(2);
    for (long number = 24; number >= 20; number--) {
      takePrevious(reader, number);
    }
    assertThat(reader.tryPollPrevious()).as("of removed ones").isNull();
    assertThat(reader.number()).isEqualTo(20);
    assertThat(reader.lostCount()).isZero();
    LogMessages.take(reader, 20, 45);
  }

  @Test
  void tryPollPrevious_ofADamagedMessage_saysSo_andIsPassedByASeek() throws Exception {
    open();
    LogMessages.append(producer, 25, TENTH);
    long[] firsts = SegmentNames.firsts(DiskFiles.of(directory).names());
    Path file = directory.resolve(SegmentNames.segment(firsts[1]));
    reader.close();
    log.close();
    byte[] bytes = Files.readAllBytes(file);
    int room = (int) LogSegment.room(TENTH);
    long damaged = firsts[1] + 3;
    bytes[SegmentHeader.BYTES + 3 * room + 100]++;
    Files.write(file, bytes);
    log = MessageLog.open(directory, LogOptions.ofSegmentBytes(SEGMENT));
    reader = newReader(true);
    reader.seekToEnd();
    for (long number = 24; number > damaged; number--) {
      takePrevious(reader, number);
    }
    for (int again = 0; again < 2; again++) {
      LogDamagedException e =
          catchThrowableOfType(LogDamagedException.class, reader::tryPollPrevious);
      assertThat(e.damage().number()).isEqualTo(damaged);
      assertThat(e.damage().count()).isEqualTo(1);
      assertThat(e.damage().file()).hasFileName(file.getFileName().toString());
      assertThat(reader.number()).isEqualTo(damaged + 1);
      LogMessages.take(reader, damaged + 1); // and forward it goes on
      takePrevious(reader, damaged + 1);
    }
    reader.seek(damaged);
    for (long number = damaged - 1; number >= 0; number--) {
      takePrevious(reader, number);
    }
  }

  @Test
  void tryPollPrevious_whereASegmentIsMissing_namesTheGap() throws Exception {
    open();
    LogMessages.append(producer, 35, TENTH);
    long[] firsts = SegmentNames.firsts(DiskFiles.of(directory).names());
    Files.delete(directory.resolve(SegmentNames.segment(firsts[1])));
    reader.close();
    reader = newReader(false);
    reader.seek(firsts[2] + 1);
    takePrevious(reader, firsts[2]);
    LogDamagedException e =
        catchThrowableOfType(LogDamagedException.class, reader::tryPollPrevious);
    assertThat(e.damage().number()).isEqualTo(firsts[1]);
    assertThat(e.damage().count()).isEqualTo(firsts[2] - firsts[1]);
    reader.seek(e.damage().number());
    takePrevious(reader, firsts[1] - 1);
  }

  // ---- misuse and the end ----

  @Test
  void misuse_throwsAndChangesNothing() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    Throws.illegalState("nothing to release: no open poll, ...", reader::release);
    reader.seek(2);
    assertThat(reader.tryPollPrevious()).isNotNull();
    Throws.illegalState(
        "a poll is already open, release it first: ...",
        reader::tryPoll,
        reader::tryPollPrevious,
        () -> reader.seek(0));
    Throws.outOfBounds("no such message in the open poll: index=1, ...", () -> reader.at(1));
    assertThat(reader.number()).isEqualTo(1);
    reader.release();
    Throws.illegalState("nothing to release: no open poll, ...", reader::release);
    LogMessages.take(reader, 1, 3);
    assertThat(reader.tryPollPrevious()).isNotNull();
    reader.close(); // with a message in hand
    reader.close();
    assertThat(reader.isDrained()).isTrue();
    Throws.illegalState("reader is closed: ...", reader::tryPoll, reader::tryPollPrevious);
  }

  @Test
  void isDrained_onceTheLogIsClosedAndAllIsRead() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    log.close();
    LogMessages.take(reader, 0, 3);
    assertThat(reader.isDrained()).isTrue();
    takePrevious(reader, 2);
    assertThat(reader.isDrained()).isFalse();
    LogMessages.take(reader, 2);
    assertThat(reader.isDrained()).isTrue();
  }

  @Test
  void reading_inBothDirections_allocatesNothing() throws Exception {
    open();
    LogMessages.append(producer, 100, 300);
    TestCall.Body round =
        () -> {
          for (int i = 0; i < 200; i++) {
            for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
              sum += message.length();
            }
            for (int back = 0; back < 90; back++) {
              sum += reader.tryPollPrevious().length();
              reader.release();
            }
          }
        };
    round.run();
    assertThat(Allocations.bytesIn(round)).as("of 36,000 messages").isLessThan(5_000);
    assertThat(sum).isPositive();
  }
}
