package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a bad file that ends a command with a stack trace or exit code 0. Whatever is wrong with it
 * is one sentence, and exit code 1.
 */
class RefusalTest {
  private static final int COUNTERS = 4;
  private static final int COUNTER_OFFSET = 4_096;

  @TempDir private Path folder;
  private Path file;
  private byte[] bytes;

  @BeforeEach
  void create() throws IOException {
    file = folder.resolve("service.telemetry");
    Options options = Options.defaults().withCapacity(COUNTERS).withTrace(4, 48);
    try (Telemetry telemetry = Telemetry.create(file, options)) {
      telemetry.counter("orders").add(3);
      TraceWriter<Tick> ticks = telemetry.newTraceWriter("feed", "tick", Tick.TYPE);
      ticks.tryClaim().number(5);
      ticks.text("text");
      ticks.commit();
    }
    bytes = Files.readAllBytes(file);
  }

  private ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  private void isRefused(String command, String message) throws IOException {
    Files.write(file, bytes);
    isSentence(command, file, message);
  }

  private static void isSentence(String command, Path file, String message) {
    Cli cli = Cli.run(command, file);
    assertThat(cli.out()).isEmpty();
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.err()).startsWith("telemetry " + command + ": " + file + ": " + message);
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.REFUSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tail", "counters", "top", "info"})
  void command_ofAFileThatIsNone_isRefused(String command) throws IOException {
    isSentence(command, folder.resolve("none"), "there is no such file\n");
    isSentence(command, folder, "must be a regular file, and is none\n");
    bytes = Arrays.copyOf(bytes, 100);
    isRefused(command, "size must be at least 4096: size=100\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tail", "counters", "top", "info"})
  void command_ofADamagedCounter_isRefused(String command) throws IOException {
    buffer().putLong(COUNTER_OFFSET + 8, 7);
    isRefused(command, "info of slot 0 must be of a counter: info=0x7\n");
  }

  @Test
  void tail_ofADamagedRecord_isRefused() throws IOException {
    int record = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("text") - 24;
    buffer().putLong(record + 8, buffer().getLong(record + 8) + 9);
    String rule = "writer of a record must be one of the log: ";
    isRefused("tail", rule + "entry=9, generation=1\n");
  }

  @Test
  void tail_withoutATraceLog_isRefused() throws IOException {
    Telemetry.create(file, Options.defaults()).close();
    isSentence("tail", file, "must have a trace log: it was made without one\n");
    assertThat(Cli.run("info", file).out()).contains("trace     none\n");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void command_ofADevice_isRefused() {
    isSentence("counters", Path.of("/dev/zero"), "must be a regular file, and is none\n");
  }
}
