package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.telemetry.Telemetry.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a committed record that a kill of its process takes from the readers, and one that was cut
 * off and is read as if it were whole. Another process writes a trace log by several threads and is
 * killed at random moments.
 *
 * <p>Twice; {@code -Dmillrace.kills=100} asks for more.
 */
class KilledTraceTest {
  private static final int KILLS = Integer.getInteger("millrace.kills", 2);
  private static final int WRITERS = 3;
  private static final int RECORDS = 1 << 16;
  private static final int MOST_MILLIS = 300;

  @TempDir private Path folder;

  /** Its threads commit rising numbers, and count in a counter what they have committed. */
  static final class Writers {
    private Writers() {}

    public static void main(String[] args) throws IOException {
      Options options = Options.defaults().withTrace(RECORDS, 64);
      Telemetry telemetry = Telemetry.create(Path.of(args[0]), options);
      for (int i = 0; i < WRITERS; i++) {
        Counter committed = telemetry.soleWriterCounter(Integer.toString(i));
        TraceWriter<TraceLogTest.Trade> writer =
            telemetry.newTraceWriter(committed.label(), "trade", TraceLogTest.Trade.TYPE);
        Thread.ofPlatform().start(() -> write(writer, committed));
      }
    }

    private static void write(TraceWriter<TraceLogTest.Trade> writer, Counter committed) {
      for (long next = 1; true; ) {
        TraceLogTest.Trade trade = writer.tryClaim();
        if (trade != null) {
          trade.id(next).price(next / 4.0);
          writer.text("trade " + next);
          long refused = writer.refusedCount();
          writer.commit();
          if (writer.refusedCount() == refused) {
            committed.increment();
            next++;
          }
        }
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> records_ofAProcessThatIsKilled_areAllRead() {
    Random random = new Random();
    return IntStream.rangeClosed(1, KILLS)
        .mapToObj(i -> random.nextInt(MOST_MILLIS))
        .map(millis -> DynamicTest.dynamicTest("after " + millis + " ms", () -> killAfter(millis)));
  }

  private void killAfter(int millis) throws Exception {
    Path file = folder.resolve("killed.telemetry");
    Process process = OtherProcess.start(Writers.class, file);
    try (TelemetryReader reader = OtherProcess.open(file)) {
      Thread.sleep(millis);
      assertThat(reader.processId()).isEqualTo(process.pid());
    } finally {
      OtherProcess.kill(process);
    }
    try (TelemetryReader reader = TelemetryReader.open(file);
        TraceReader records = reader.newTraceReader()) {
      Map<String, Long> committed = reader.counters();
      long[] last = readAll(records);
      for (int i = 0; i < WRITERS; i++) {
        long counted = committed.getOrDefault(Integer.toString(i), 0L);
        if (last[i] != 0) { // or the others have overwritten all of it
          assertThat(last[i]).as("the last of writer " + i).isBetween(counted, counted + 1);
        }
      }
      assertThat(records.lostCount()).as("once it is dead").isZero();
      assertThat(records.unfinishedCount()).as("cut off").isBetween(0L, (long) WRITERS);
      long passed = records.readCount() + records.refusedCount() + records.unfinishedCount();
      long written = committed.values().stream().mapToLong(Long::longValue).sum();
      assertThat(passed).isBetween(Math.min(written, RECORDS), (long) RECORDS);
    }
    Files.delete(file);
  }

  /** Reads to the end, past what is unfinished; returns the last number of each writer. */
  private static long[] readAll(TraceReader records) {
    TraceLogTest.Trade trade = records.newView(TraceLogTest.Trade.TYPE);
    long[] last = new long[WRITERS];
    do {
      while (records.tryPoll()) {
        int writer = Integer.parseInt(records.writer());
        long id = trade.id();
        assertThat(trade.price()).isEqualTo(id / 4.0);
        assertThat(records.text()).isEqualTo("trade " + id);
        if (last[writer] != 0) {
          assertThat(id).as("none is missing").isEqualTo(last[writer] + 1);
        }
        last[writer] = id;
      }
    } while (records.skipUnfinished() > 0);
    return last;
  }
}
