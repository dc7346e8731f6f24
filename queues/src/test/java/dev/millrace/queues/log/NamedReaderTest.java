package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.Throws;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Readers with a name. Finds one that does not continue where the last of its name released, a
 * damaged file that is believed, and a second living reader of a name.
 */
class NamedReaderTest extends LogReaderContract {
  private static final String NAME = "billing";

  @Override
  LogReader newReader(boolean isOfLog) throws IOException {
    return isOfLog ? log.newReader(NAME) : LogReader.open(directory, NAME);
  }

  @Override
  long startAgain(boolean isOfLog, long next, long released) throws IOException {
    assertThat(MessageLog.releasedBy(directory, NAME)).isEqualTo(released);
    reader.close();
    reader = newReader(isOfLog);
    assertThat(reader.number()).isEqualTo(released);
    return released;
  }

  private Path file() {
    return directory.resolve("reader-billing.position");
  }

  // ---- positions ----

  @Test
  void reader_startedAgain_pollsAgainWhatWasNotReleased() throws IOException {
    open();
    LogMessages.append(producer, 10, 8);
    LogMessages.take(reader, 0, 4);
    assertThat(reader.tryPoll(3)).isEqualTo(3);
    reader.close(); // without a release
    Throws.illegalState("reader is closed: ...", reader::tryPoll);
    reader = LogReader.open(directory, NAME);
    LogMessages.take(reader, 4, 7);
    reader.seek(1);
    assertThat(MessageLog.releasedBy(directory, NAME)).as("a move is no release").isEqualTo(7);
    LogMessages.take(reader, 1);
    assertThat(MessageLog.releasedBy(directory, NAME)).isEqualTo(2);
    reader.close();
    try (LogReader other = log.newReader("audit")) { // has a position of its own
      LogMessages.take(other, 0, 10);
    }
    reader = log.newReader(NAME);
    LogMessages.take(reader, 2, 10);
    assertThat(reader.toString()).contains("name=billing, number=10");
    assertThat(MessageLog.readerNames(directory)).containsExactly("audit", "billing");
    assertThat(MessageLog.releasedBy(directory, "audit")).isEqualTo(10);
  }

  @Test
  void newName_beginsAtTheOldest_andStaysThereUntilItReleases() throws IOException {
    open();
    LogMessages.append(producer, 45, TENTH);
    int _ = log.removeBefore(12);
    assertThat(MessageLog.releasedBy(directory, "late")).isEqualTo(-1);
    log.newReader("late").close();
    assertThat(MessageLog.releasedBy(directory, "late")).isEqualTo(10);
    int _ = log.removeBefore(25);
    try (LogReader late = LogReader.open(directory, "late")) {
      LogMessages.take(late, 20);
      assertThat(late.lostCount()).isEqualTo(10);
    }
    assertThat(MessageLog.releasedBy(directory, "late")).isEqualTo(21);
  }

  @Test
  void remove_forgetsThePosition_unlessAReaderLives() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    LogMessages.take(reader, 0, 3);
    Throws.illegalState(
        "a living reader has this name: name=billing, directory=" + directory,
        () -> MessageLog.removeReader(directory, NAME));
    reader.close();
    assertThat(MessageLog.removeReader(directory, NAME)).isTrue();
    assertThat(MessageLog.removeReader(directory, NAME)).isFalse();
    assertThat(MessageLog.readerNames(directory)).isEmpty();
    reader = log.newReader(NAME);
    LogMessages.take(reader, 0, 3);
  }

  @Test
  void release_ofAReaderWhoseNameWasTaken_isRefused() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    LogMessages.take(reader, 0);
    assertThat(reader.tryPoll()).isNotNull();
    byte[] bytes = Files.readAllBytes(file()); // and with that the lock may be lost
    bytes[192]++; // as the next holder does
    Files.write(file(), bytes);
    for (int again = 0; again < 2; again++) {
      Throws.illegalState(
          "another reader has taken this name, because the lock of its file was lost: ...",
          reader::release);
    }
    reader.close();
    assertThat(MessageLog.releasedBy(directory, NAME)).isEqualTo(1);
  }

  // ---- names ----

  @Test
  void names_thatAreNone_areRefused() throws IOException {
    open();
    String longest = "x".repeat(112);
    log.newReader(longest).close();
    log.newReader("A-z_0.9").close();
    assertThat(MessageLog.readerNames(directory)).containsExactly("A-z_0.9", "billing", longest);
    for (String name : List.of("", longest + "x", "a b", "a/b", "../a", "\u00e4", "a\n")) {
      Throws.illegalArgument(
          "name must have 1..112 of the characters A-Z, a-z, 0-9, '.', '_' and '-': length="
              + name.length()
              + ", name=...",
          () -> log.newReader(name),
          () -> LogReader.open(directory, name),
          () -> MessageLog.releasedBy(directory, name),
          () -> MessageLog.removeReader(directory, name));
    }
    Throws.readably(() -> log.newReader(Throws.FLOOD));
    Throws.nullArgument("name", () -> log.newReader(null));
    Throws.a(
        NotDirectoryException.class,
        () -> LogReader.open(directory.resolve("none"), NAME),
        () -> MessageLog.readerNames(directory.resolve("none")));
    assertThat(MessageLog.readerNames(directory)).hasSize(3);
    log.close();
    Throws.illegalState("log is closed: ...", () -> log.newReader("other"));
  }

  // ---- the file ----

  @Test
  void file_withAnyByteChanged_isRefused_orGivesAPositionThatWasReleased() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    LogMessages.take(reader, 0, 3);
    reader.close();
    byte[] whole = Files.readAllBytes(file());
    assertThat(whole).hasSize(ReaderFile.BYTES);
    int refused = 0;
    for (int at = 0; at < whole.length; at += at % 128 < 48 ? 1 : 8) { // the rest is unused
      byte[] changed = whole.clone();
      changed[at] ^= (byte) (1 << at % 8);
      Files.write(file(), changed);
      try (LogReader read = log.newReader(NAME)) {
        assertThat(read.number()).isIn(2L, 3L);
      } catch (LogDamagedException e) {
        assertThat(e.damage().file()).isEqualTo(file());
        refused++;
      }
    }
    assertThat(refused).as("bytes of the header").isEqualTo(16 + 8 + NAME.length());
    Files.write(file(), whole);
  }

  @Test
  void file_ofAnotherSizeOrWithoutAPosition_isRefused() throws IOException {
    open();
    reader.close();
    byte[] whole = Files.readAllBytes(file());
    for (int size : new int[] {1, 100, ReaderFile.BYTES - 1, ReaderFile.BYTES + 1}) {
      Files.write(file(), Arrays.copyOf(whole, size));
      Throws.a(LogDamagedException.class, "...size must be 512 bytes: ...", () -> newReader(true));
    }
    byte[] zeros = whole.clone();
    Arrays.fill(zeros, 256, zeros.length, (byte) 0);
    Files.write(file(), zeros);
    Throws.a(
        LogDamagedException.class,
        file() + ": no position in it is whole: ...",
        () -> newReader(true),
        () -> newReader(false),
        () -> MessageLog.releasedBy(directory, NAME));
    Files.write(file(), whole);
    Files.move(file(), directory.resolve("reader-Billing.position"));
    Throws.a(
        LogDamagedException.class,
        "...: it belongs to another reader: name=billing: ...",
        () -> log.newReader("Billing"));
    Files.createDirectory(file());
    Throws.a(IOException.class, "...: not a regular file", () -> newReader(false));
    Files.delete(file());
    Files.createFile(file()); // a process was killed before it wrote the first position
    assertThat(MessageLog.releasedBy(directory, NAME)).isEqualTo(-1);
    LogMessages.append(producer, 1, 8);
    reader = newReader(true);
    LogMessages.take(reader, 0);
  }

  // ---- the log is shorter than what was released ----

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void reader_ofALogThatWasCutBack_isToldOnce_andMissesNoNewMessage(boolean isOpenedFirst)
      throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    LogOptions options = LogOptions.ofSegmentBytes(SEGMENT);
    MessageLog before = MessageLog.open(files, options);
    LogProducer its = before.newProducer();
    LogMessages.append(its, 10, 8);
    before.sync();
    LogMessages.append(its, 10, 8); // not durable
    try (LogReader read = LogReader.named(files, LogOptions.WAITS, null, NAME)) {
      LogMessages.take(read, 0, 20);
    } // durable
    MemoryFiles left = files.crash(new Random(1), 0);
    if (isOpenedFirst) {
      try (LogReader read = LogReader.named(left, LogOptions.WAITS, null, NAME)) {
        assertCutBack(read);
      }
      assertThat(MessageLog.releasedBy(left, NAME)).isEqualTo(10);
    }
    try (MessageLog after = MessageLog.open(left, options)) {
      assertThat(after.endNumber()).isEqualTo(10);
      assertThat(MessageLog.releasedBy(left, NAME)).isEqualTo(10);
      LogMessages.append(after.newProducer(), 15, 8);
    }
    try (MessageLog after = MessageLog.open(left, options); // which need not cut back again
        LogReader read = LogReader.named(left, LogOptions.WAITS, null, NAME)) {
      assertCutBack(read);
      assertThat(read.skipDamaged()).isEqualTo(10);
      assertThat(read.skipDamaged()).isZero();
      LogMessages.take(read, 10, 25);
      assertThat(after.endNumber()).isEqualTo(25);
    }
    try (LogReader read = LogReader.named(left, LogOptions.WAITS, null, NAME)) {
      assertThat(read.number()).isEqualTo(25);
      assertThat(read.tryPoll()).isNull();
    }
  }

  private static void assertCutBack(LogReader read) {
    assertThat(read.number()).isEqualTo(10);
    assertThat(read.isDrained()).isFalse();
    for (int again = 0; again < 2; again++) {
      LogDamagedException e = catchThrowableOfType(LogDamagedException.class, read::tryPoll);
      assertThat(e.damage().number()).isEqualTo(10);
      assertThat(e.damage().count()).isEqualTo(10);
      assertThat(e).hasMessageContaining("log has lost messages that reader billing has released");
    }
    Throws.a(LogDamagedException.class, read::tryPollPrevious);
  }

  // ---- one living reader of a name ----

  /** Holds a name until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      try (LogReader reader = LogReader.open(Path.of(args[0]), NAME)) {
        Message message = reader.tryPoll();
        System.out.println("polled " + message.length());
        Thread.sleep(Long.MAX_VALUE);
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  private Process start() throws IOException {
    return OtherJvm.start(Holder.class, directory);
  }

  @Test
  void secondReader_ofAName_isRefusedWhileTheFirstLives() throws Exception {
    open();
    LogMessages.append(producer, 3, 8);
    String refusal = "a living reader has this name: name=billing, directory=" + directory;
    for (int again = 0; again < 2; again++) {
      Throws.illegalState(refusal, () -> newReader(true), () -> newReader(false));
      // to read the file must not drop the lock
      assertThat(MessageLog.releasedBy(directory, NAME)).isZero();
      assertThat(MessageLog.readerNames(directory)).containsExactly(NAME);
    }
    Process refused = start();
    try (BufferedReader said = refused.inputReader()) {
      assertThat(said.readLine()).isEqualTo(refusal);
    }
    assertThat(refused.waitFor(30, TimeUnit.SECONDS)).isTrue();
    reader.close();
    Process holder = start();
    try (BufferedReader said = holder.inputReader()) {
      assertThat(said.readLine()).isEqualTo("polled 8");
      Throws.illegalState(refusal, () -> newReader(true), () -> newReader(false));
      Throws.illegalState(refusal, () -> MessageLog.removeReader(directory, NAME));
      assertThat(MessageLog.releasedBy(directory, NAME)).isZero();
    } finally {
      holder.destroyForcibly();
    }
    assertThat(holder.waitFor(30, TimeUnit.SECONDS)).isTrue();
    reader = newReader(true); // the kernel has dropped the lock
    LogMessages.take(reader, 0, 3);
  }

  @Test
  void interrupted_readersAreMadeAndClosedNevertheless() throws IOException {
    open();
    LogMessages.append(producer, 3, 8);
    Thread.currentThread().interrupt();
    try (LogReader other = log.newReader("other")) {
      LogMessages.take(other, 0, 3);
      assertThat(MessageLog.releasedBy(directory, "other")).isEqualTo(3);
      Throws.illegalState("a living reader has this name: ...", () -> log.newReader("other"));
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
