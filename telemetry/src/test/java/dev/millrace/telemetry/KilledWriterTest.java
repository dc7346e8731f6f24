package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.telemetry.Telemetry.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a counter that a reader takes for another, or whose value goes back, while another process
 * writes and after it is killed.
 */
class KilledWriterTest {
  private static final int LOOKS = 200;

  @TempDir private Path folder;

  /** Counts in two counters by turns, and makes and frees gauges named after their values. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      Telemetry telemetry = Telemetry.create(Path.of(args[0]), Options.defaults().withCapacity(8));
      Counter first = telemetry.soleWriterCounter("first");
      Counter second = telemetry.counter("second");
      for (long i = 0; true; i++) {
        first.increment();
        second.increment();
        Gauge gauge = telemetry.gauge("is " + i % 10);
        gauge.set(i % 10);
        gauge.close();
      }
    }
  }

  /** Checks that values are those of their labels, and returns what was counted. */
  private static long look(TelemetryReader reader) {
    reader
        .gauges()
        .forEach(
            (label, value) -> {
              assertThat(label).startsWith("is ");
              assertThat(value).isIn(0L, Long.parseLong(label.substring(3)));
            });
    return reader.counters().getOrDefault("second", 0L);
  }

  @Test
  void counters_ofAProcessThatIsKilled_areReadBeforeAndAfter() throws Exception {
    Path file = folder.resolve("killed.telemetry");
    Process writer = OtherProcess.start(Writer.class, file);
    long last = 0;
    try (TelemetryReader reader = OtherProcess.open(file)) {
      assertThat(reader.processId()).isEqualTo(writer.pid());
      assertThat(reader.isProcessRunning()).isTrue();
      for (int looks = 0; looks < LOOKS || last == 0; looks++) {
        long seen = look(reader);
        assertThat(seen).isGreaterThanOrEqualTo(last);
        last = seen;
      }
    } finally {
      OtherProcess.kill(writer);
    }

    try (TelemetryReader reader = TelemetryReader.open(file)) {
      assertThat(reader.isProcessRunning()).isFalse();
      long second = look(reader);
      assertThat(second).isGreaterThanOrEqualTo(last);
      long first = reader.counters().get("first");
      assertThat(first).isBetween(second, second + 1);
      assertThat(reader.unfinishedCount()).isBetween(0, 1);
      assertThat(look(reader)).as("of the dead nothing changes").isEqualTo(second);
    }
    Files.delete(file);
  }
}
