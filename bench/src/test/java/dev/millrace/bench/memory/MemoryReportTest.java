package dev.millrace.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class MemoryReportTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private final ArrayNode entries = JSON.createArrayNode();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** A pass over 32 KiB in a microsecond is 1000 / 4096 ns for a long. */
  @Test
  void tables_giveNanosPerAccessAndRatiosToTheArray() throws IOException {
    add("sharedWrite", "ARRAY", "LONG", "EXCLUSIVE", 1, 1);
    add("sharedWrite", "ARRAY", "LONG", "MIXED", 0.1, 0.1);
    add("sharedWrite", "MILLRACE", "LONG", "EXCLUSIVE", 2, 2);
    add("sharedWrite", "MILLRACE", "LONG", "TWO", 1, 1);
    add("sharedWrite", "MILLRACE", "LONG", "MIXED", 0.025, 0.05);
    add("ownRead", "MILLRACE", "BLOCK", "MIXED", 0.5, 0.5);
    assertThat(report(entries.toString())).as(err.toString()).isZero();
    assertThat(folder.resolve("memory.md"))
        .content()
        .contains("### Longs written to 32 KiB\n")
        .contains(
            "| array on the heap | shared | 0.244 (0.244..0.244) | - | 2.44 (2.44..2.44) | - |")
        .contains("| 10.00 | 1.00 | 1.00 |\n")
        .contains("by flyweights | shared | 0.122 (0.122..0.122) | 0.244 (0.244..0.244) |")
        .contains("| 7.32 (4.88..9.77) | 2.00 | 60.00 | 2.00 | 0.33 |\n")
        .contains("### Arrays of 1024 bytes read from 32 KiB\n")
        .contains("by flyweights | own | - | - | 62.5 (62.5..62.5) | - | - | - | - |\n")
        .contains("| options | -Xmx3g -Dx=y |\n")
        .contains("| measured | 3 of 300 ms |\n");
    assertThat(folder.resolve("index.html"))
        .content()
        .contains("<h2 id=\"t1\">Longs written to 32 KiB</h2>")
        .contains("7.32 (4.88..9.77)");
  }

  @Test
  void report_ofWhatACommandWrote_tellsTheMachine() throws IOException {
    add("sharedRead", "ARRAY", "BYTE", "MIXED", 1, 1);
    entries.forEach(entry -> ((ObjectNode) entry).put("jvm", "/where/it/is/java"));
    Path jmh = Files.writeString(folder.resolve("jmh.json"), entries.toString());
    Path file = folder.resolve("memory.json");
    MemoryResults.wrap(jmh, "2026-01-02T03:04:05Z", "bench/memory quick", file);
    assertThat(file).content().doesNotContain("/where/it/is");
    MemoryResults results = MemoryResults.read(file);
    assertThat(results.cells()).hasSize(1);
    assertThat(results.facts())
        .containsEntry("started", "2026-01-02T03:04:05Z")
        .containsEntry("command", "bench/memory quick")
        .containsKeys("processor", "JVM", "JDK", "forks");
  }

  @Test
  void report_ofOtherBenchmarksToo_passesOverThem() throws IOException {
    add("sharedRead", "ARRAY", "BYTE", "MIXED", 1, 1);
    entries.addObject().put("benchmark", "dev.millrace.bench.onethread.OneThreadBenchmark.move");
    assertThat(report(entries.toString())).as(err.toString()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "size=x | size must be a number of bytes: size=x",
        "kind=ROPE | kind must be one of [MILLRACE, ARRAY,",
        "unit=ns/op | scoreUnit must be ops/us: scoreUnit=ns/op, benchmark=dev.millrace",
        "twice= | results must be of one run: twice Key[work=Work[access=BYTE, isWrite=false,",
      })
  void report_ofWhatDoesNotFit_saysWhy(String fault, String message) throws IOException {
    ObjectNode entry = add("sharedRead", "ARRAY", "BYTE", "MIXED", 1, 1);
    String value = fault.substring(fault.indexOf('=') + 1);
    switch (fault.substring(0, fault.indexOf('='))) {
      case "unit" -> entry.withObject("/primaryMetric").put("scoreUnit", value);
      case "twice" -> add("sharedRead", "ARRAY", "BYTE", "MIXED", 1, 1);
      default -> entry.withObject("/params").put(fault.substring(0, fault.indexOf('=')), value);
    }
    assertThat(report(entries.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("memory: " + message);
  }

  @Test
  void report_ofNoResults_saysSo() throws IOException {
    assertThat(report("[]")).isEqualTo(1);
    assertThat(err.toString()).contains("file must hold results of MemoryBenchmark: file=");
    assertThat(execute("report", folder.resolve("none").toString())).isEqualTo(1);
    assertThat(err.toString()).contains("file must be readable: file=");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "quick --size 1000 | --size must be a multiple of 1024: size=1000",
        "quick --kind rope | expected one of [MILLRACE, ARRAY,",
        "quack | Unmatched argument at index 0: 'quack'",
      })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertThat(execute(arguments.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }

  private int report(String json) throws IOException {
    Path file = Files.writeString(folder.resolve("results.json"), json);
    return execute("report", file.toString(), "--output", folder.toString());
  }

  private int execute(String... arguments) {
    CommandLine line = MemoryCommand.newCommandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  /** An entry as JMH writes it. */
  private ObjectNode add(
      String method, String kind, String access, String mix, double least, double most) {
    ObjectNode entry = entries.addObject();
    entry.put("benchmark", MemoryBenchmark.class.getName() + "." + method);
    entry.put("jdkVersion", "25").put("jmhVersion", "1.37").put("forks", 1);
    entry.put("warmupIterations", 2).put("warmupTime", "300 ms");
    entry.put("measurementIterations", 3).put("measurementTime", "300 ms");
    entry.putArray("jvmArgs").add("-Xmx3g").add("-Dx=y");
    entry
        .putObject("params")
        .put("kind", kind)
        .put("access", access)
        .put("mix", mix)
        .put("size", "32768");
    ObjectNode metric = entry.putObject("primaryMetric").put("scoreUnit", "ops/us");
    metric.putArray("rawData").addArray().add(least).add(most);
    return entry;
  }
}
