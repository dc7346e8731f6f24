package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.Throws;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an opening that writes where another opening of the log still writes, however its lock was
 * lost, one that leaves a log which the next cannot open when it is killed, and a directory changed
 * by others that is read without a word.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogOpeningTest {
  private static final int SEGMENT = 1 << 16;
  private static final LogOptions OPTIONS = LogOptions.ofSegmentBytes(SEGMENT);
  private static final int OTHERS = 5; // messages

  @TempDir Path base;

  private Path directory() {
    return base.resolve("log");
  }

  /** Another process, which opens each log whose name it reads, and appends. */
  static final class Other {
    private Other() {}

    public static void main(String[] args) throws IOException {
      Scanner directories = new Scanner(System.in, StandardCharsets.UTF_8);
      while (directories.hasNextLine()) {
        System.out.println(isOpened(Path.of(directories.nextLine())));
      }
    }

    private static boolean isOpened(Path directory) {
      try {
        append(directory);
        return true;
      } catch (IOException e) {
        return false;
      }
    }

    static void append(Path directory) throws IOException {
      try (MessageLog log = MessageLog.open(directory, OPTIONS);
          LogProducer producer = log.newProducer()) {
        LogMessages.append(producer, OTHERS, 8);
        log.sync();
      }
    }
  }

  private static Process other;

  @BeforeAll
  static void startOther() throws IOException {
    other = OtherJvm.start(Other.class);
  }

  @AfterAll
  static void endOther() {
    other.destroyForcibly();
  }

  private static boolean isOpenedByOther(Path directory) throws IOException {
    Writer directories = other.outputWriter(StandardCharsets.UTF_8);
    directories.write(directory + "\n");
    directories.flush();
    return switch (other.inputReader(StandardCharsets.UTF_8).readLine()) {
      case "true" -> true;
      case "false" -> false;
      case String said -> throw new AssertionError(said);
    };
  }

  /** How the lock of a process is lost, or is not. */
  enum Loss {
    NONE,
    COPY,
    OTHER_LOADER,
    RENAME,
    RENAME_AND_COPY,
    REMOVED
  }

  private Path lose(Loss loss) throws Exception {
    switch (loss) {
      case NONE -> {}
      case COPY -> copyLock(directory());
      case REMOVED -> Files.delete(directory().resolve("lock"));
      case OTHER_LOADER ->
          assertThat(openInOtherLoader(directory()))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("log is already open for writing");
      case RENAME, RENAME_AND_COPY -> {
        Path moved = Files.move(directory(), base.resolve("moved"));
        Throws.a(
            IOException.class,
            "log is already open for writing...",
            () -> MessageLog.open(moved, OPTIONS));
        if (loss == Loss.RENAME_AND_COPY) {
          copyLock(moved);
        }
        return moved;
      }
    }
    return directory();
  }

  private void copyLock(Path from) throws IOException {
    Files.copy(from.resolve("lock"), base.resolve("copy"));
  }

  private static URLClassLoader otherLoader() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static Throwable openInOtherLoader(Path directory) throws Exception {
    try (URLClassLoader loader = otherLoader()) {
      Class<?> options = loader.loadClass("dev.millrace.queues.log.LogOptions");
      Object made = options.getMethod("ofSegmentBytes", long.class).invoke(null, (long) SEGMENT);
      loader
          .loadClass("dev.millrace.queues.log.MessageLog")
          .getMethod("open", Path.class, options)
          .invoke(null, directory, made);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }

  @ParameterizedTest
  @EnumSource
  void secondWriter_isRefused_orTheFirstFailsAndLosesNothingDurable(Loss loss) throws Exception {
    MessageLog log = MessageLog.open(directory(), OPTIONS);
    LogProducer producer = log.newProducer();
    LogMessages.append(producer, 10, 8);
    log.sync();
    LogMessages.append(producer, 10, 8); // which the other one finds, too
    LogReader ofLog = log.newReader();
    LogReader ofFiles = LogReader.open(directory());
    List<LogReader> readers = loss == Loss.RENAME_AND_COPY ? List.of() : List.of(ofLog, ofFiles);
    readers.forEach(reader -> LogMessages.take(reader, 0, 20));
    Path at = lose(loss);
    boolean isRefused = loss == Loss.NONE || loss == Loss.OTHER_LOADER || loss == Loss.RENAME;
    assertThat(isOpenedByOther(at)).isEqualTo(!isRefused);
    LogMessages.append(producer, 10, 100); // where the other one would append
    if (isRefused) {
      log.close();
      assertThat(MessageLog.verify(at).endNumber()).isEqualTo(30);
      return;
    }
    String rule = "log was opened for writing again: opening=2, of this one=1, directory=...";
    Throws.a(
        UncheckedIOException.class,
        "..." + rule,
        log::sync,
        () -> LogMessages.append(producer, 100, 1_000),
        log::close);
    assertThat(log.durableNumber()).isEqualTo(10);
    LogReport report = MessageLog.verify(at);
    assertThat(report.damages()).isEmpty();
    assertThat(report.messages()).isEqualTo(20 + OTHERS);
    for (LogReader reader : readers) {
      for (int i = 20; i < 20 + OTHERS; i++) {
        Message message = reader.poll(Duration.ofSeconds(30));
        LogMessages.check(message, i);
        assertThat(message.length()).isEqualTo(8);
        reader.release();
      }
    }
    ofLog.close();
    ofFiles.close();
    try (LogReader reader = LogReader.open(at)) {
      LogMessages.take(reader, 0, 20 + OTHERS);
      assertThat(reader.tryPoll()).isNull();
    }
  }

  /** What the earlier opening does while the later one comes. */
  enum Doing {
    SYNC,
    ROLL
  }

  /** The later one is of another class loader, since names of files not begun are of a class. */
  @ParameterizedTest
  @EnumSource
  void laterOpening_atAnyStepOfTheEarlierOne_hasAllThatIsDurable(Doing doing) throws Exception {
    int tenth = (SEGMENT - SegmentHeader.BYTES) / 10 - 50;
    boolean[] isOpened = {true};
    for (int at = 0; isOpened[0]; at++) {
      isOpened[0] = false;
      Path its = base.resolve("log" + at);
      int[] left = {Integer.MAX_VALUE};
      LogProducer[] producers = new LogProducer[1];
      MemoryFiles.Observer step =
          () -> {
            if (left[0]-- == 0) {
              Files.delete(its.resolve("lock")); // or it would be refused
              appendInOtherLoader(its);
              isOpened[0] = true;
              if (doing == Doing.SYNC) {
                LogMessages.append(producers[0], 1, 16); // which the later one knows nothing of
              }
            }
          };
      MessageLog log =
          MessageLog.open(observed(LogFiles.class, DiskFiles.make(its), step), OPTIONS);
      producers[0] = log.newProducer();
      LogMessages.append(producers[0], 9, tenth);
      LogMessages.append(producers[0], doing == Doing.ROLL ? tenth : 8);
      left[0] = at;
      Throwable failure =
          catchThrowable(
              () -> {
                if (doing == Doing.SYNC) {
                  log.sync();
                } else {
                  LogMessages.append(producers[0], tenth);
                }
              });
      left[0] = Integer.MAX_VALUE;
      if (!isOpened[0]) {
        assertThat(failure).isNull();
        assertThat(at).as("steps").isGreaterThanOrEqualTo(4);
        log.close();
        continue;
      }
      LogReport report = MessageLog.verify(its);
      assertThat(report.damages()).as("step %d", at).isEmpty();
      long end = report.endNumber();
      assertThat(log.durableNumber()).as("step %d", at).isLessThanOrEqualTo(end - OTHERS);
      try (LogReader reader = LogReader.open(its)) {
        LogMessages.take(reader, 0, end - OTHERS);
        for (long number = end - OTHERS; number < end; number++) {
          assertThat(LogMessages.take(reader, number)).as("step %d", at).isEqualTo(8);
        }
      }
      Throws.a(UncheckedIOException.class, "...was opened for writing again...", log::sync);
      assertThat(catchThrowable(log::close)).isNotNull();
    }
  }

  private static void appendInOtherLoader(Path directory) throws IOException {
    try (URLClassLoader loader = otherLoader()) {
      var append = loader.loadClass(Other.class.getName()).getDeclaredMethod("append", Path.class);
      append.setAccessible(true);
      append.invoke(null, directory);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** A directory, or a file in it, that tells each step, before it is done. */
  private static <T> T observed(Class<T> type, T real, MemoryFiles.Observer step) {
    List<String> steps = List.of("create", "rename", "delete", "force", "isInPlace");
    Object observed =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, args) -> {
              if (steps.contains(method.getName())) {
                step.reached();
              }
              try {
                Object result = method.invoke(real, args);
                return result instanceof LogFiles.Mapped mapped
                    ? observed(LogFiles.Mapped.class, mapped, step)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(observed);
  }

  @Test
  void directory_whenAnotherHasItsName_isNotWritten() throws Exception {
    MessageLog log = MessageLog.open(directory(), OPTIONS);
    LogProducer producer = log.newProducer();
    LogMessages.append(producer, 10, 8);
    Files.move(directory(), base.resolve("moved"));
    assertThat(isOpenedByOther(directory())).isTrue();
    Throws.a(
        UncheckedIOException.class,
        "...another directory has the name of this log's...",
        log::sync,
        () -> LogMessages.append(producer, 100, 1_000),
        log::close);
    assertThat(MessageLog.verify(directory()).messages()).isEqualTo(OTHERS);
  }

  // ---- names that lead nowhere ----

  private static void write(Path directory, int count, int bytes) throws IOException {
    try (MessageLog log = MessageLog.open(directory, OPTIONS);
        LogProducer producer = log.newProducer()) {
      LogMessages.append(producer, count, bytes);
    }
  }

  private static List<Path> segments(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void segment_thatCannotBeFoundUnderItsName_isAnExceptionThatNamesIt(int which)
      throws IOException {
    write(directory(), 1_200, 100);
    Path segment = segments(directory()).get(which);
    Files.delete(segment);
    for (boolean isLink : new boolean[] {true, false}) {
      if (isLink) {
        Files.createSymbolicLink(segment, base.resolve("not mounted"));
      } else {
        Files.delete(segment);
        Files.createDirectory(segment);
      }
      String rule = "..." + segment + ": " + (isLink ? "the name leads..." : "not a regular file");
      Throws.a(IOException.class, rule, () -> MessageLog.verify(directory()));
      Throws.a(IOException.class, () -> MessageLog.open(directory(), OPTIONS));
      try (LogReader reader = LogReader.open(directory())) {
        Throws.a(
            UncheckedIOException.class,
            rule,
            () -> {
              while (reader.tryPoll() != null) {
                reader.release();
              }
            });
        if (which == 2) {
          Throws.a(
              UncheckedIOException.class,
              rule,
              reader::endNumber,
              reader::seekToEnd,
              () -> reader.seekTime(Long.MAX_VALUE));
        }
      }
    }
  }

  @Test
  void segment_thatIsLongerThanItWasMade_isReadAsBefore() throws IOException {
    write(directory(), 3, 8);
    Path segment = segments(directory()).getFirst();
    try (java.io.RandomAccessFile file = new java.io.RandomAccessFile(segment.toFile(), "rw")) {
      file.setLength((1L << 31) + 5);
    }
    LogReport report = MessageLog.verify(directory());
    assertThat(report.damages()).isEmpty();
    assertThat(report.messages()).isEqualTo(3);
    write(directory(), 3, 8);
    assertThat(MessageLog.verify(directory()).messages()).isEqualTo(6);
  }

  @Test
  void otherFileSystem_isRefusedByName() throws IOException {
    try (FileSystem zip =
        FileSystems.newFileSystem(base.resolve("z.zip"), Map.of("create", "true"))) {
      Path path = zip.getPath("/log");
      Throws.illegalArgument(
          "a log needs a directory of the default file system: jar:...",
          () -> MessageLog.open(path, OPTIONS),
          () -> MessageLog.verify(path),
          () -> LogReader.open(path));
    }
  }

  // ---- segments that overlap ----

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void overlappingSegments_areReported_andReadToTheEnd(boolean isShorterCopied) throws IOException {
    Path backup = base.resolve("backup");
    write(isShorterCopied ? backup : directory(), 1_200, 100);
    write(isShorterCopied ? directory() : backup, 3_000, 140);
    for (Path file : segments(backup)) {
      Files.copy(
          file,
          directory().resolve(file.getFileName()),
          java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
    assertThat(MessageLog.verify(directory()).damages())
        .anySatisfy(damage -> assertThat(damage.reason()).contains("segments overlap"))
        .allSatisfy(damage -> assertThat(damage.count()).isNotNegative());
    try (LogReader reader = LogReader.open(directory())) {
      List<Long> numbers = LogMessages.takeAll(reader);
      assertThat(numbers.getLast()).isEqualTo(reader.endNumber() - 1);
    }
    try (MessageLog log = MessageLog.open(directory(), OPTIONS)) {
      assertThat(log.recovery().damages())
          .anySatisfy(damage -> assertThat(damage.reason()).contains("segments overlap"));
      assertThat(log.endNumber()).isEqualTo(3_000);
    }
  }

  // ---- retention ----

  private MessageLog open(MemoryFiles files, LogOptions options) throws IOException {
    return MessageLog.open(files, options);
  }

  @ParameterizedTest
  @ValueSource(longs = {-10, 0, 10, Long.MIN_VALUE, Long.MAX_VALUE})
  void retainAge_atTheEndsOfTheClock_removesNothingYounger(long time) throws IOException {
    for (long age : new long[] {1, 1_000, Long.MAX_VALUE - 1}) {
      MemoryFiles files = new MemoryFiles(4096);
      try (MessageLog log = open(files, OPTIONS.withClock(() -> time).withRetainAge(age))) {
        LogMessages.append(log.newProducer(), 1_000, 100);
        log.work();
        assertThat(log.firstNumber()).isZero();
      }
    }
  }

  @Test
  void clock_thatWasAheadOnce_showsAndDoesNotStopRetention() throws IOException {
    long[] now = {1_000_000};
    MemoryFiles files = new MemoryFiles(4096);
    LogOptions options = OPTIONS.withClock(() -> now[0]).withRetainAge(60);
    try (MessageLog log = open(files, options)) {
      LogProducer producer = log.newProducer();
      LogMessages.append(producer, 500, 100);
      now[0] += 1_000_000;
      LogMessages.append(producer, 1, 100);
      now[0] -= 1_000_000;
      LogMessages.append(producer, 1_000, 100);
      assertThat(log.metrics().get("aheadOfClock")).isEqualTo(1_000_000);
      log.work();
      assertThat(log.firstNumber()).as("nothing is older").isZero();
      now[0] += 1_000;
      LogMessages.append(producer, 1_000, 100);
      log.work();
      assertThat(log.firstNumber()).isGreaterThan(1_000);
    }
  }

  // ---- opening after a kill ----

  /** A log that is killed again and again keeps its messages, and needs one segment for them. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void openings_afterKills_goOnInOneSegment(boolean isClaimOpen) throws IOException {
    long most = 2 * (SEGMENT + SegmentIndex.bytes(SEGMENT));
    MemoryFiles files = new MemoryFiles(4096);
    for (int i = 0; i < 100; i++) {
      files = killed(files);
      MessageLog log = open(files, OPTIONS);
      assertThat(log.endNumber()).isEqualTo(i);
      LogProducer producer = log.newProducer();
      LogMessages.append(producer, 1, 100);
      log.work(); // makes a segment ahead
      if (isClaimOpen) {
        LogMessages.write(producer.claim(1, 1_000), i, 1_000);
      }
      if (i % 10 == 0) {
        log.sync();
      }
      assertThat(bytes(files)).isLessThanOrEqualTo(most);
      assertThat(files.names())
          .contains(SegmentNames.segment(0))
          .doesNotContain(SegmentNames.segment(i + 1));
    }
    try (LogReader reader = new LogReader(files, LogOptions.WAITS, null)) {
      LogMessages.take(reader, 0, 100);
    }
  }

  /** An opening that is killed at any step, or fails there, leaves all to the next one. */
  @ParameterizedTest
  @ValueSource(ints = {3, 300}) // in a segment that is nearly empty, or more than half full
  void opening_thatEndsAtAnyStep_leavesAllToTheNext(int count) throws Exception {
    MemoryFiles before = new MemoryFiles(4096);
    LogProducer producer = open(before, OPTIONS).newProducer();
    LogMessages.append(producer, count, 100);
    producer.sync();
    boolean hasFailed = true;
    for (int at = 0; hasFailed; at++) {
      MemoryFiles files = killed(before);
      LogReader reader = new LogReader(files, LogOptions.WAITS, null);
      LogMessages.take(reader, 0, count);
      int[] left = {at};
      files.observer =
          () -> {
            if (left[0]-- == 0) {
              throw new IOException("broken disk");
            }
          };
      Throwable failure = catchThrowable(() -> open(files, OPTIONS));
      hasFailed = failure != null;
      files.observer = () -> {};
      assertThat(reader.tryPoll()).isNull();
      MemoryFiles after = hasFailed ? files : killed(files);
      try (MessageLog log = open(after, OPTIONS)) {
        assertThat(log.recovery().damages()).isEmpty();
        assertThat(log.endNumber()).isEqualTo(count);
        LogMessages.append(log.newProducer(), 1, 100);
        if (hasFailed) {
          assertThat(reader.poll(Duration.ofSeconds(30))).isNotNull();
          assertThat(reader.number()).isEqualTo(count);
          reader.release();
        }
        assertThat(bytes(after)).isLessThan(4 * SEGMENT);
      }
      reader.close();
    }
  }

  private static long bytes(MemoryFiles files) throws IOException {
    long bytes = 0;
    for (String name : files.names()) {
      bytes += files.bytes(name).length;
    }
    return bytes;
  }

  /** What a killed process leaves. */
  private static MemoryFiles killed(MemoryFiles files) throws IOException {
    MemoryFiles left = new MemoryFiles(4096);
    for (String name : files.names()) {
      left.write(name, files.bytes(name));
    }
    return left;
  }

  @Test
  void fullDisk_whenAnewSegmentIsNeeded_retentionMakesRoom() throws IOException {
    MemoryFiles files = new MemoryFiles(4096);
    MessageLog killed = open(files, OPTIONS);
    LogMessages.append(killed.newProducer(), 2_000, 100);
    killed.sync();
    files.freeBytes = 0;
    Throws.a(IOException.class, "...cannot be made...", () -> openCopy(files, OPTIONS));
    LogOptions retaining = OPTIONS.withRetainBytes(3 * (SEGMENT + SegmentIndex.bytes(SEGMENT)));
    try (MessageLog log = openCopy(files, retaining)) {
      assertThat(log.firstNumber()).isPositive();
      assertThat(log.endNumber()).isEqualTo(2_000);
    }
  }

  /** Opens what a killed process has left. */
  private MessageLog openCopy(MemoryFiles files, LogOptions options) throws IOException {
    MemoryFiles left = killed(files);
    left.freeBytes = 0;
    return open(left, options);
  }
}
