package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Gauge;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a rate that is off, a counter that goes on from the value of the one that had its slot
 * before, and a picture that is larger than the terminal.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopTest {
  private static final Options OPTIONS = Options.defaults().withCapacity(16).withTrace(8, 64);
  private static final TopView.Options ALL = new TopView.Options("", 2);
  private static final long SECOND_NANOS = 1_000_000_000;

  @TempDir private Path folder;
  private Path file;
  private Telemetry telemetry;
  private Counter orders;
  private Gauge depth;

  @BeforeEach
  void create() throws IOException {
    file = folder.resolve("service.telemetry");
    telemetry = Telemetry.create(file, OPTIONS);
    orders = telemetry.counter("orders");
    depth = telemetry.gauge("depth");
  }

  @AfterEach
  void close() {
    telemetry.close();
  }

  private void ticks(int count) {
    TraceWriter<Tick> writer = telemetry.newTraceWriter("feed", "tick", Tick.TYPE);
    for (int i = 0; i < count; i++) {
      writer.tryClaim().number(i);
      writer.commit();
    }
  }

  // ---- the view ----

  private List<String> look(int rows) throws IOException {
    try (TelemetryReader reader = TelemetryReader.open(file);
        TopView view = new TopView(file, reader, ALL)) {
      return view.look(rows);
    }
  }

  @Test
  void look_again_tellsTheChangePerSecond() throws IOException {
    orders.add(1_000);
    depth.set(50);
    ticks(3);
    try (TelemetryReader reader = TelemetryReader.open(file);
        TopView view = new TopView(file, reader, ALL)) {
      List<String> first = view.look(0, 0, reader.startTime().plusSeconds(93_784));
      assertThat(first.subList(0, 6))
          .containsExactly(
              file
                  + ": process "
                  + ProcessHandle.current().pid()
                  + " is running, up 1d 02:03:04; 2 counters",
              "trace: 3 claimed, 0 refused, of which the last 8 are kept",
              "",
              "label   kind     value  per second",
              "depth   gauge       50",
              "orders  counter  1,000");
      assertThat(first.subList(6, first.size()))
          .satisfiesExactly(
              line -> assertThat(line).isEmpty(),
              line -> assertThat(line).endsWith("Z feed tick number=1"),
              line -> assertThat(line).endsWith("Z feed tick number=2"));

      orders.add(5_000);
      depth.set(20);
      List<String> second = view.look(0, 2 * SECOND_NANOS, Instant.now());
      assertThat(second.subList(4, 6))
          .containsExactly(
              "depth   gauge       20       -15.0", "orders  counter  6,000       2,500");
    }
  }

  @Test
  void look_ofACounterInAnothersSlot_hasNoFormerValue() throws IOException {
    Counter first = telemetry.counter("first");
    first.add(1_000);
    try (TelemetryReader reader = TelemetryReader.open(file);
        TopView view = new TopView(file, reader, new TopView.Options("first", 0))) {
      view.look(0, 0, Instant.now());
      first.close();
      for (int i = 0; i < OPTIONS.capacity(); i++) { // places are given in turn
        Counter other = telemetry.counter("other");
        other.close();
      }
      telemetry.counter("first").add(7);
      assertThat(view.look(0, SECOND_NANOS, Instant.now()).getLast())
          .isEqualTo("first  counter      7");
    }
  }

  @Test
  void look_withAFewRows_leavesCountersOut() throws IOException {
    for (int i = 0; i < 10; i++) {
      telemetry.counter("c" + i);
    }
    ticks(3);
    List<String> lines = look(12);
    assertThat(lines).hasSize(12);
    assertThat(lines.get(3)).startsWith("label");
    assertThat(lines.get(8)).isEqualTo("and 8 more");
    assertThat(lines.getLast()).endsWith("number=2");
  }

  @Test
  void look_pastAnUnfinishedRecord_hasTheNextOnes() throws IOException {
    TraceWriter<Tick> stuck = telemetry.newTraceWriter("stuck", "tick", Tick.TYPE);
    assertThat(stuck.tryClaim()).isNotNull();
    ticks(1);
    assertThat(look(0).getLast()).endsWith("feed tick number=0");
    stuck.abort();
  }

  // ---- the command ----

  @Test
  void top_withoutATerminal_isOneTableAfterTheOther() {
    Cli cli = Cli.run("top", file, "--count", 3, "--interval", "10ms", "--label", "ord");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.out()).doesNotContain("\u001b");
    assertThat(cli.lines().stream().filter(line -> line.startsWith("label "))).hasSize(3);
    assertThat(cli.lines().stream().filter(line -> line.startsWith("orders "))).hasSize(3);
    assertThat(cli.out()).doesNotContain("depth");
    assertThat(cli.lines()).hasSize(3 * 5 + 2);
    assertThat(cli.lines().getLast()).isEqualTo("orders  counter      0           0");
  }

  @Test
  void top_onATerminal_drawsInPlaceAndWithinIt() {
    Terminal terminal = new Terminal(5, 20);
    Cli cli = Cli.run(new Stop(), terminal, "top", file, "--count", 2, "--interval", "1ms");
    String[] pictures = cli.out().split("\u001b\\[J", -1);
    assertThat(pictures).hasSize(3);
    assertThat(pictures[0]).startsWith("\u001b[H\u001b[2J");
    assertThat(pictures[1]).startsWith("\u001b[H" + file.toString().substring(0, 20));
    assertThat(pictures[1].lines()).hasSize(4);
    assertThat(pictures[2]).isEmpty();
  }

  @Test
  void top_ofAFileThatIsReplaced_goesOnWithTheNewOne() throws IOException {
    StringWriter out = new StringWriter();
    Screen screen = new Screen(out, Terminal.NONE);
    Top top = new Top(file, Duration.ofMillis(1), 4, one -> new TopView(file, one, ALL), screen);
    int[] sleeps = {0};
    top.run(
        _ -> {
          replace(sleeps[0]++);
          return false;
        });
    String[] pictures = out.toString().split("\n\n(?=[^\n]*(?:replaced|: process))", -1);
    assertThat(pictures).hasSize(4);
    assertThat(pictures[0]).contains("orders ").doesNotContain("replaced");
    assertThat(pictures[1]).as("another file, none of telemetry").contains("orders ");
    assertThat(pictures[2]).startsWith("replaced at ").contains("is running").contains("anew ");
    assertThat(pictures[3]).startsWith("replaced at ").contains("anew ");
  }

  /** First by what is no telemetry, then by what is. */
  private void replace(int step) {
    try {
      if (step == 0) {
        Files.move(file, folder.resolve("former"));
        Files.writeString(file, "MILL");
      } else if (step == 1) {
        try (Telemetry next = Telemetry.create(file, OPTIONS)) {
          next.counter("anew");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void top_ofABadOption_isWrongUsage() {
    assertThat(Cli.run("top", file, "--records", 1_001).err())
        .startsWith("telemetry top: --records must be in 0..1000: --records=1001\n");
    assertThat(Cli.run("top", file, "--count", -1).err())
        .startsWith("telemetry top: --count must not be negative: --count=-1\n");
    assertThat(Cli.run("top", file, "--interval", "25h").exitCode())
        .isEqualTo(TelemetryTool.BAD_USAGE);
  }
}
