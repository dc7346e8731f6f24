package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.testkit.Throws;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a file that is overwritten although it is none of telemetry, a reader that loses its file
 * to the next run, and a use after close that reaches freed memory.
 */
class TelemetryTest {
  private static final Options SMALL = Options.defaults().withCapacity(4);

  @TempDir private Path folder;

  private static void count(Telemetry telemetry, String label, long value) {
    telemetry.counter(label).add(value);
  }

  // ---- files ----

  @Test
  void open_whileTheWriterRuns_seesItsValues() throws Exception {
    Path file = folder.resolve("service.telemetry");
    try (Telemetry telemetry = Telemetry.create(file, SMALL)) {
      Counter orders = telemetry.counter("orders");
      try (TelemetryReader reader = TelemetryReader.open(file)) {
        orders.add(5);
        assertThat(reader.counters()).containsExactly(entry("orders", 5L));
        orders.add(6);
        assertThat(reader.counters()).containsExactly(entry("orders", 11L));
        assertThat(reader.processId()).isEqualTo(ProcessHandle.current().pid());
        assertThat(reader.capacity()).isEqualTo(4);
      }
    }
  }

  @Test
  void create_whereAFormerFileIs_leavesThatToItsReaders() throws Exception {
    Path file = folder.resolve("service.telemetry");
    try (Telemetry former = Telemetry.create(file, SMALL);
        TelemetryReader formerReader = TelemetryReader.open(file)) {
      count(former, "former", 1);
      try (Telemetry later = Telemetry.create(file, SMALL);
          TelemetryReader laterReader = TelemetryReader.open(file)) {
        count(later, "later", 2);
        assertThat(formerReader.counters()).containsExactly(entry("former", 1L));
        assertThat(laterReader.counters()).containsExactly(entry("later", 2L));
      }
    }
  }

  @Test
  void create_whereAnotherFileIs_leavesItAlone() throws Exception {
    Path file = folder.resolve("letters.txt");
    Files.writeString(file, "dear reader");
    Throws.a(
        FileAlreadyExistsException.class,
        "..." + file + ": file must not exist, or be one of telemetry...",
        () -> Telemetry.create(file, SMALL));
    assertThat(Files.readString(file)).isEqualTo("dear reader");
    Throws.a(FileAlreadyExistsException.class, () -> Telemetry.create(folder, SMALL));
  }

  @Test
  void create_whereAHalfMadeFileIs_replacesIt() throws Exception {
    Path file = folder.resolve("service.telemetry");
    for (int bytes : new int[] {0, 5, 10_000}) {
      Files.write(file, new byte[bytes]);
      Telemetry.create(file, SMALL).close();
      TelemetryReader.open(file).close();
    }
  }

  // ---- the memory ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void traceLog_isReadFromTheSameMemory(boolean inFile) throws Exception {
    Options options = SMALL.withTrace(100, 64);
    Path file = folder.resolve("service.telemetry");
    try (Telemetry telemetry =
            inFile ? Telemetry.create(file, options) : Telemetry.inMemory(options);
        TelemetryReader reader = inFile ? TelemetryReader.open(file) : telemetry.newReader();
        TraceReader records = reader.newTraceReader()) {
      TraceWriter<TraceLogTest.Trade> writer =
          telemetry.newTraceWriter("w", "trade", TraceLogTest.Trade.TYPE);
      TraceLogTest.Trade view = records.newView(TraceLogTest.Trade.TYPE);
      writer.tryClaim().id(42);
      writer.commit();
      assertThat(records.tryPoll()).isTrue();
      assertThat(view.id()).isEqualTo(42);
      if (inFile) {
        long ring = 256 + 100 * 72;
        assertThat(Files.size(file)).isEqualTo(4_096 + 4 * 384 + 256 * 1_024 + ring);
      }
    }
  }

  @Test
  void timeOf_aNanoTime_isItsTimeByTheWallClock() {
    try (Telemetry telemetry = Telemetry.inMemory(SMALL)) {
      TelemetryReader reader = telemetry.newReader();
      Duration off = Duration.between(reader.timeOf(System.nanoTime()), Instant.now());
      assertThat(off.abs()).isLessThan(Duration.ofSeconds(5));
      assertThat(reader.timeOf(1_500_000_000)).isEqualTo(reader.timeOf(500_000_000).plusSeconds(1));
      assertThat(reader.startTime()).isBefore(reader.timeOf(System.nanoTime()));
    }
  }

  // ---- the end ----

  @Test
  void use_whenClosed_throws() {
    Telemetry telemetry = Telemetry.inMemory(SMALL);
    Counter counter = telemetry.counter("orders");
    TelemetryReader reader = telemetry.newReader();
    telemetry.close();

    Throws.illegalState("telemetry is closed: in memory", () -> telemetry.counter("more"));
    Throws.illegalState("...", counter::increment, reader::gauges);
    Throws.illegalState("reader is closed: in memory", reader::counters);
    Throws.illegalState("...", telemetry::sample, telemetry::newReader);
    assertThat(telemetry.toString()).isEqualTo("Telemetry[in memory, capacity=4, used=1, closed]");
  }

  @Test
  void close_again_doesNothing() throws Exception {
    Telemetry telemetry = Telemetry.create(folder.resolve("service.telemetry"), SMALL);
    Counter counter = telemetry.counter("orders");
    Gauge gauge = telemetry.gauge("depth");
    telemetry.close();
    telemetry.close();
    List.of(counter, gauge, counter, gauge).forEach(Labelled::close);
    telemetry.close();
    Throws.illegalState("counter is closed: label=orders", counter::get);
    assertThat(telemetry.toString()).endsWith("capacity=4, used=2, closed]");
  }

  @Test
  void reader_whenClosed_throws() throws Exception {
    Path file = folder.resolve("service.telemetry");
    Telemetry.create(file, SMALL).close();
    TelemetryReader reader = TelemetryReader.open(file);
    reader.close();
    reader.close();
    Throws.illegalState("reader is closed: " + file, reader::counters);
    assertThat(reader.toString()).endsWith("closed]");
  }

  // ---- options ----

  @Test
  void options_outOfRange_areRefused() {
    Throws.illegalArgument(
        "capacity must be in 1..1048576: capacity=0", () -> SMALL.withCapacity(0));
    Throws.illegalArgument(
        "traceRecords must be in 0..16777216: traceRecords=-1", () -> SMALL.withTrace(-1, 64));
    Throws.illegalArgument(
        "recordBytes must be in 17..65536: recordBytes=16", () -> SMALL.withTrace(8, 16));
    Throws.illegalArgument(
        "...samplePeriod must be in 1000000...",
        () -> SMALL.withSamplePeriod(Duration.ofNanos(999_999)));
    Throws.a(NullPointerException.class, () -> SMALL.withSamplePeriod(null));
  }
}
