package dev.millrace.ohlcv.programs;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ResourceLock(Resources.SYSTEM_OUT)
class ProgramsTest {
  private interface Program {
    void run(String[] arguments) throws Exception;
  }

  @Test
  void queue_makesCandlesOfADay() throws Exception {
    assertThat(lines(QueueProgram::main))
        .hasSize(7)
        .startsWith("2013-11-25T00:00:00Z 800.01 838.20 770.10 817.88 23042.1")
        .endsWith("2013-12-01T00:00:00Z 1119.52 1123.11 955.23 999.00 20938.6");
  }

  @Test
  void pipeline_valuesAllTrades() throws Exception {
    assertThat(lines(PipelineProgram::main))
        .contains("largest 938.51, turnover 168628892.99")
        .anyMatch(line -> line.endsWith("turnover, lag 0, processed 100000"));
  }

  @Test
  void history_endsWithTheLatestTrades() throws Exception {
    assertThat(lines(HistoryProgram::main)).endsWith("1000 trades, average price 1000.32");
  }

  @Test
  void telemetry_tellsOfTheLargeTrades() throws Exception {
    assertThat(lines(TelemetryProgram::main))
        .containsExactly(
            "trades 100000",
            "last price in cents 99900",
            "large: 500.0 at 800.82",
            "large: 500.0 at 845.00",
            "large: 788.9 at 1000.00",
            "large: 938.5 at 1000.00");
  }

  @Test
  void log_writesEachThreadsLinesInOrder(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("lines");
    assertThat(lines(program -> LogProgram.main(new String[] {file.toString()})))
        .containsExactly("40000 lines");
    Map<String, List<String>> byThread =
        Files.readAllLines(file).stream().collect(groupingBy(line -> line.substring(0, 8)));
    assertThat(byThread).hasSize(4);
    byThread.forEach(
        (name, lines) ->
            assertThat(lines)
                .isEqualTo(
                    IntStream.range(0, 10_000)
                        .mapToObj(i -> name + " has come to its step " + i)
                        .toList()));
  }

  @ParameterizedTest
  @CsvSource({
    "LogProgram,'',LogProgram takes FILE",
    "LogProgram,one two,LogProgram takes FILE: one two",
    "LogProgram,/no/such/file,LogProgram: FILE must be a file that can be written: /no/such/file",
    "QueueProgram,one,QueueProgram takes no arguments: one"
  })
  void program_withWrongArguments_saysSoAndExitsWith2(String program, String line, String said)
      throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder = new ProcessBuilder(java, getClass().getPackageName() + "." + program);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.command().addAll(line.isEmpty() ? List.of() : List.of(line.split(" ", -1)));
    Process run = builder.redirectErrorStream(true).start();
    assertThat(run.inputReader().lines()).containsExactly(said);
    assertThat(run.waitFor()).isEqualTo(2);
  }

  private static List<String> lines(Program program) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      program.run(new String[0]);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
