package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.SpscQueue;
import dev.millrace.telemetry.Telemetry.Options;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has no pipelines needs no module {@code disruptor} on the path. */
class WithoutDisruptorTest {
  @TempDir private Path folder;

  /** Counts, reports a queue, and writes a trace record. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      Options options = Options.defaults().withTrace(4, 64);
      try (Telemetry telemetry = Telemetry.create(Path.of(args[0]), options);
          SpscQueue<TraceLogTest.Trade> queue = SpscQueue.of(2, TraceLogTest.Trade::new)) {
        telemetry.counter("orders").increment();
        telemetry.report("queue", queue);
        TraceLog.Writer<TraceLogTest.Trade> writer =
            telemetry.traceLog().newWriter("w", "trade", TraceLogTest.Trade::new);
        if (writer.tryClaim()) {
          writer.commit();
        }
      }
    }
  }

  @Test
  void telemetry_withoutDisruptor_worksButForPipelines() throws Exception {
    String all = System.getProperty("java.class.path");
    String without =
        Arrays.stream(all.split(File.pathSeparator))
            .filter(entry -> !entry.contains("disruptor"))
            .collect(Collectors.joining(File.pathSeparator));
    assertThat(without).as("it was there").isNotEqualTo(all);
    Path file = folder.resolve("service.telemetry");
    Process process = OtherProcess.start(Program.class, file, without);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    try (TelemetryReader reader = TelemetryReader.open(file)) {
      assertThat(reader.counters())
          .extracting(TelemetryReader.Reading::label)
          .contains("orders", "queue.size");
      assertThat(reader.traceReading().orElseThrow().claimed()).isEqualTo(1);
    }
  }
}
