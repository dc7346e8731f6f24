package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.Telemetry.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a counter that is printed with a wrong value, and a label that breaks the table, the CSV or
 * the JSON.
 */
class CountersTest {
  @TempDir private Path folder;
  private Path file;
  private Telemetry telemetry;

  @BeforeEach
  void create() throws IOException {
    file = folder.resolve("service.telemetry");
    telemetry = Telemetry.create(file, Options.defaults().withCapacity(16).withTrace(4, 48));
    telemetry.gauge("queue.depth").set(-1_234_567);
    telemetry.counter("orders", 4).add(5);
    telemetry.counter("a \"label\", quoted\n").increment();
  }

  @AfterEach
  void close() {
    telemetry.close();
  }

  @Test
  void counters_asATable_areSortedByLabel() {
    assertThat(Cli.run("counters", file))
        .isEqualTo(
            new Cli(
                0,
                """
                label                kind          value
                a "label", quoted\\n  counter           1
                orders               counter           5
                queue.depth          gauge    -1,234,567
                """,
                ""));
    assertThat(Cli.run("counters", file, "--label", "ord").lines()).hasSize(2);
  }

  @Test
  void counters_asCsv_areReadBack() {
    List<NamedCsvRecord> rows = Cli.run("counters", file, "--format", "csv").rows();
    assertThat(rows)
        .extracting(row -> row.getField("label"))
        .containsExactly("a \"label\", quoted\n", "orders", "queue.depth");
    assertThat(rows.getLast().getField("value")).isEqualTo("-1234567");
    assertThat(rows.getLast().getField("kind")).isEqualTo("gauge");
    assertThat(rows.getLast().getFieldCount()).isEqualTo(3);
  }

  @Test
  void counters_asJson_areReadBack() throws IOException {
    List<String> lines = Cli.run("counters", file, "--format", "json").lines();
    assertThat(lines).hasSize(3);
    JsonNode first = new ObjectMapper().readTree(lines.getFirst());
    assertThat(first.get("label").textValue()).isEqualTo("a \"label\", quoted\n");
    assertThat(first.get("kind").textValue()).isEqualTo("counter");
    assertThat(first.get("value").longValue()).isEqualTo(1);
    assertThat(first.size()).isEqualTo(3);
  }

  @Test
  void info_ofAFile_tellsWhatIsInItsHeader() {
    Cli cli = Cli.run("info", file);
    assertThat(cli.lines()).hasSize(5);
    assertThat(cli.lines().get(0)).startsWith("file      " + file + ", ").endsWith(" bytes");
    assertThat(cli.lines().get(1))
        .isEqualTo("process   " + ProcessHandle.current().pid() + " is running");
    assertThat(cli.lines().get(2)).matches("started   \\d{4}-.*T.*\\.\\d{9}Z");
    assertThat(cli.lines().get(3)).isEqualTo("counters  3, and 0 unfinished, in 16 slots");
    assertThat(cli.lines().get(4))
        .isEqualTo("trace     keeps 4 records of 48 bytes; 0 claimed, 0 of them refused");
  }
}
