package dev.millrace.queues.log;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.OtherJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a message that a reader in another process misses, gets twice or sees half written while
 * this one appends and removes segments. Number, type, length, time and bytes of each message
 * follow from its number, so that the reader can check them all; its last line says how many it
 * got, and one line each which were removed before it came.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogTailTest {
  private static final int SEGMENT = 1 << 16;
  private static final int MESSAGES = 20_000; // in about a hundred segments
  private static final int LAST = LogMessages.type(-1); // the type of no other
  private static final int LIMIT_SECONDS = 60;
  private static final String OPEN = "open";
  private static final String FIRST = "has read the first";
  private static final String GONE = "gone ";
  private static final String READ = "read ";

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong();

  private static int length(long number) {
    return LogMessages.length(new Random(number * 0x9E37_79B9_7F4A_7C15L), 2_000);
  }

  private static long time(long number) {
    return 1_000 + 3 * number;
  }

  /** Reads up to the message of the last type; waits behind the first one until it is told. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] args) throws Exception {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      try (LogReader reader = LogReader.open(Path.of(args[0]))) {
        System.out.println(OPEN);
        long lost = 0;
        for (long next = 0; ; next++) {
          Message message = reader.poll(Duration.ofSeconds(LIMIT_SECONDS / 2));
          if (message == null) {
            throw new AssertionError("no message for too long: " + reader);
          }
          if (reader.lostCount() > lost) {
            System.out.println(GONE + next + " " + (next + reader.lostCount() - lost));
            next += reader.lostCount() - lost;
            lost = reader.lostCount();
          }
          if (reader.number() != next) {
            throw new AssertionError("number must be " + next + ": " + reader);
          }
          if (message.type() == LAST) {
            System.out.println(READ + (next - lost));
            return;
          }
          LogMessages.check(message, next);
          if (message.length() != length(next) || message.time() != time(next)) {
            throw new AssertionError("length or time of " + next + ": " + message);
          }
          reader.release();
          if (next == 0) {
            System.out.println(FIRST);
            String _ = in.readLine();
          }
        }
      }
    }
  }

  /** Numbers that the reader was told are gone. */
  private record Gone(long from, long to) {}

  private interface Ahead {
    void append(MessageLog log, LogProducer producer) throws Exception;
  }

  /**
   * Starts the reader in a directory without a log, opens the log, appends ahead of the reader, and
   * then while it reads. Returns what it was told; it has checked the rest.
   */
  private List<Gone> tail(LogOptions options, Ahead ahead) throws Exception {
    Process process = OtherJvm.of(Reader.class, directory).redirectErrorStream(true).start();
    CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS)
        .execute(process::destroyForcibly); // which ends its output
    try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII);
        Writer words = process.outputWriter(StandardCharsets.US_ASCII)) {
      says(OPEN, lines);
      try (MessageLog log = MessageLog.open(directory, options.withClock(clock::get));
          LogProducer producer = log.newProducer()) {
        append(producer);
        says(FIRST, lines);
        ahead.append(log, producer);
        words.write("go on\n");
        words.flush();
        for (int i = 0; i < MESSAGES; i++) {
          append(producer);
        }
        producer.claim(LAST, 0);
        producer.commit();
        List<Gone> gone = new ArrayList<>();
        String line = lines.readLine();
        for (; line != null && line.startsWith(GONE); line = lines.readLine()) {
          Scanner numbers = new Scanner(line.substring(GONE.length()));
          gone.add(new Gone(numbers.nextLong(), numbers.nextLong()));
        }
        long lost = gone.stream().mapToLong(numbers -> numbers.to - numbers.from).sum();
        says(READ + (producer.number() - lost), line, lines);
        assertThat(process.waitFor()).isZero();
        return gone;
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static void says(String expected, BufferedReader lines) throws IOException {
    says(expected, lines.readLine(), lines);
  }

  private static void says(String expected, String line, BufferedReader lines) {
    if (!expected.equals(line)) {
      String rest = lines.lines().collect(joining("\n"));
      throw new AssertionError("reader must say: " + expected + ", says: " + line + "\n" + rest);
    }
  }

  /** Appends the next message; before some there is a claim that is given up or cut short. */
  private void append(LogProducer producer) {
    long number = producer.number() + 1;
    int length = length(number);
    clock.set(time(number));
    if (number % 4 == 0) {
      LogMessages.appendShortened(producer, length, length + 50);
      return;
    }
    if (number % 4 == 1) {
      LogMessages.abort(producer, length + 50);
    }
    LogMessages.append(producer, length);
  }

  @Test
  void readerInAnotherProcess_startedFirst_getsEachMessage() throws Exception {
    LogOptions options = LogOptions.ofSegmentBytes(SEGMENT);
    assertThat(tail(options, (_, _) -> {})).isEmpty();
    assertThat(segments()).hasSizeGreaterThan(80);
    assertThat(MessageLog.verify(directory).messages()).isEqualTo(MESSAGES + 2);
  }

  @Test
  void readerInAnotherProcess_overtakenByRetention_isToldWhatIsGone() throws Exception {
    long bytes = SEGMENT + SegmentIndex.bytes(SEGMENT);
    long[] ends = new long[2]; // of its first segment; of what is removed while it waits
    List<Gone> gone =
        tail(
            LogOptions.ofSegmentBytes(SEGMENT).withRetainBytes(4 * bytes),
            (log, producer) -> {
              while (segments().length == 1) {
                append(producer);
              }
              ends[0] = segments()[1];
              while (log.firstNumber() <= ends[0]) {
                append(producer);
              }
              ends[1] = log.firstNumber();
            });
    assertThat(gone.getFirst().from).isEqualTo(ends[0]);
    assertThat(gone.getFirst().to).isGreaterThanOrEqualTo(ends[1]);
  }

  private long[] segments() throws IOException {
    return SegmentNames.firsts(DiskFiles.of(directory).names());
  }
}
