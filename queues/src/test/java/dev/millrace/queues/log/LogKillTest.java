package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.messages.Message;
import dev.millrace.testkit.OtherJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds an acknowledged message that a real kill takes away, where the model of {@link
 * LogCrashTest} is wrong about the kernel. A process that appends is killed in its midst, again and
 * again, and the next one goes on behind it. {@code -Dlog.kills=100} kills more often.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogKillTest {
  private static final int KILLS = Integer.getInteger("log.kills", 8);
  private static final int SEGMENT = 1 << 16;

  @TempDir Path directory;

  /** Appends for ever, and prints which messages are committed, or durable. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws Exception {
      boolean syncs = Boolean.parseBoolean(args[1]);
      LogOptions options = LogOptions.ofSegmentBytes(SEGMENT);
      try (MessageLog log =
              MessageLog.open(Path.of(args[0]), syncs ? options.withSync(Duration.ZERO) : options);
          LogProducer producer = log.newProducer()) {
        Random random = new Random(log.endNumber());
        while (true) {
          for (int i = random.nextInt(200); i >= 0; i--) {
            LogMessages.append(producer, LogMessages.length(random, 2_000));
          }
          if (syncs && !log.awaitDurable(producer.number(), Duration.ofMinutes(1))) {
            throw new IllegalStateException("was not made durable: " + producer.number());
          }
          System.out.println(producer.number());
        }
      }
    }
  }

  @Test
  void process_killedAtAnyMoment_losesNothingThatItHasAcknowledged() throws Exception {
    Random random = new Random(1);
    long acknowledged = -1;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment target = arena.allocate(1 << 16);
      for (int kill = 0; kill < KILLS; kill++) {
        long before = acknowledged;
        Process process = start(kill % 2 == 0);
        try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
          for (int i = 1 + random.nextInt(20); i > 0; i--) {
            acknowledged = Long.parseLong(lines.readLine());
          }
          process.toHandle().destroyForcibly(); // its output can still be read
          for (String line; (line = lines.readLine()) != null; ) {
            acknowledged = Long.parseLong(line); // the last one is whole: it was written as one
          }
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(acknowledged).isGreaterThan(before);
        assertThat(readAll(target)).isGreaterThan(acknowledged);
      }
    }
    try (MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(SEGMENT))) {
      assertThat(log.endNumber()).isGreaterThan(acknowledged);
    }
    LogReport report = MessageLog.verify(directory);
    assertThat(report.damages()).isEmpty();
    assertThat(report.messages()).isEqualTo(report.endNumber());
  }

  /** Reads all messages, in this process, by a reader of its own; returns the number behind. */
  private long readAll(MemorySegment target) throws IOException {
    try (LogReader reader = LogReader.open(directory)) {
      long number = 0;
      for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
        assertThat(reader.number()).isEqualTo(number);
        LogMessages.check(message, number++);
        message.getBytes(0, target.asSlice(0, message.length()));
      }
      return number;
    }
  }

  private Process start(boolean syncs) throws IOException {
    return OtherJvm.start(Writer.class, directory, syncs);
  }
}
