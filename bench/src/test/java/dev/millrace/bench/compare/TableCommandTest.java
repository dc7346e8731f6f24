package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Finds a Markdown table of JMH results with a score in the wrong column, and a rate that should
 * have been turned into nanoseconds.
 */
class TableCommandTest {
  private static final String JSON =
      """
      [{"benchmark": "a.b.Bench.read", "threads": 2, "params": {"kind": "X", "mix": "ONE"},
        "primaryMetric": {"scoreUnit": "ops/us", "rawData": [[1.0, 3.0], [2.0, 2.0]]},
        "secondaryMetrics": {"accesses": {"scoreUnit": "ops/us", "rawData": [[4000.0, 4000.0]]}}},
       {"benchmark": "a.b.Bench.read", "threads": 2, "params": {"kind": "X", "mix": "ALL"},
        "primaryMetric": {"scoreUnit": "ops/us", "rawData": [[10000.0]]},
        "secondaryMetrics": {"accesses": {"scoreUnit": "ops/us", "rawData": [[50.0]]}}}]
      """;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void table_hasColumnsOfAParameter() throws IOException {
    assertThat(table("--columns", "mix")).as(err.toString()).isZero();
    assertThat(out)
        .hasToString(
            """
            |  | ONE | ALL |
            |---|--:|--:|
            | read, X, ops/us | 2.00 (1.00..3.00) | 10,000.0 (10,000.0..10,000.0) |
            """);
  }

  @Test
  void table_hasAColumnForEachPairOfTwoParameters() throws IOException {
    assertThat(table("--columns", "kind,mix")).as(err.toString()).isZero();
    assertThat(out)
        .hasToString(
            """
            |  | X, ONE | X, ALL |
            |---|--:|--:|
            | read, ops/us | 2.00 (1.00..3.00) | 10,000.0 (10,000.0..10,000.0) |
            """);
  }

  @Test
  void table_ofASecondaryMetricInNanos_invertsIt() throws IOException {
    assertThat(table("--columns", "mix", "--metric", "accesses", "--nanos")).isZero();
    assertThat(out.toString()).contains("| read, X, ns | 0.250 (0.250..0.250) | 20.0 (20.0..20.0)");
  }

  @Test
  void table_byThreads_isTheDefault() throws IOException {
    assertThat(table()).isZero();
    assertThat(out.toString()).contains("|  | 2 |\n").contains("| read, X, ALL, ops/us | 10,000.0");
  }

  @Test
  void table_ofWhatIsNotThere_saysSo() throws IOException {
    assertThat(table("--columns", "size")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--columns and --metric must be of the benchmark: a.b.Bench.read, columns=size,");
  }

  private int table(String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("jmh.json"), JSON);
    CommandLine command = Compare.command();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    String[] all = new String[options.length + 2];
    all[0] = "table";
    System.arraycopy(options, 0, all, 1, options.length);
    all[all.length - 1] = file.toString();
    return command.execute(all);
  }
}
