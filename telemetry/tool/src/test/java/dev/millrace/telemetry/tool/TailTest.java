package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TraceWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a field that is printed wrong, left out or not quoted in text, CSV or JSON, and a tail that
 * never ends while a writer is busy.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TailTest {
  private static final int RECORDS = 8;
  private static final int RECORD_BYTES = 128;
  private static final String ORDER_FIELDS =
      "price=2.5 share=0.1 count=-7 flags=300 side='b' version=-1 live=true symbol=\"A\\\"é\""
          + " levels=[{bid=1, ask=2}, {bid=3, ask=4}] route={legs=[5, 6]}";

  @TempDir private Path folder;
  private Path file;
  private Telemetry telemetry;
  private TraceWriter<Order> orders;
  private TraceWriter<Tick> ticks;

  @BeforeEach
  void create() throws IOException {
    file = folder.resolve("service.telemetry");
    telemetry = Telemetry.create(file, Options.defaults().withTrace(RECORDS, RECORD_BYTES));
    orders = telemetry.newTraceWriter("feed-1", "order", FlyweightType.of(Order::new));
    ticks = telemetry.newTraceWriter("feed 2", "tick", Tick.TYPE);
  }

  @AfterEach
  void close() {
    telemetry.close();
  }

  private void order(long id, double price, String text) {
    orders.tryClaim().fill(id, price);
    orders.text(text);
    orders.commit();
  }

  private void tick(long number) {
    ticks.tryClaim().number(number);
    ticks.commit();
  }

  private static Instant timeOf(String line) {
    return Instant.parse(line.substring(0, line.indexOf(' ')));
  }

  // ---- text ----

  @Test
  void tail_asText_hasAllFieldsOfEachRecordOnALine() {
    Instant before = Instant.now().minusSeconds(1);
    order(7, 2.5, "a \"fill\"\n\u001b[31m");
    tick(3);
    Cli cli = Cli.run("tail", file);
    assertThat(cli.lines()).hasSize(2);
    assertThat(cli.lines().get(0))
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z .*")
        .endsWith(" feed-1 order id=7 " + ORDER_FIELDS + " \"a \\\"fill\\\"\\n\\u001b[31m\"");
    assertThat(cli.lines().get(1)).endsWith(" \"feed 2\" tick number=3");
    assertThat(timeOf(cli.lines().get(0)))
        .isBetween(before, timeOf(cli.lines().get(1)))
        .isBeforeOrEqualTo(Instant.now().plusSeconds(1));
    assertThat(cli.err()).isEqualTo("2 read, 0 lost, 0 refused, 0 unfinished\n");
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.OK);
  }

  @Test
  void tail_ofWhatIsNoText_hasItInHex() {
    Order order = orders.tryClaim();
    order.fill(1, Double.NaN);
    order.spoil();
    orders.commit();
    assertThat(Cli.run("tail", file).out())
        .contains(" price=NaN ", " side=0x0007 ", " symbol=0x410042ff0000 ");
  }

  @Test
  void tail_ofAFilter_hasOnlyItsRecords() {
    order(1, 2.5, "");
    tick(2);
    order(3, 2.5, "");
    assertThat(Cli.run("tail", file, "--type", "order").lines()).hasSize(2);
    assertThat(Cli.run("tail", file, "--writer", "feed 2").lines())
        .singleElement()
        .asString()
        .endsWith("number=2");
    assertThat(Cli.run("tail", file, "--writer", "feed 2", "--type", "order").out()).isEmpty();
  }

  @Test
  void tail_ofTheLast_hasTheLastThatAreWanted() {
    order(1, 2.5, "");
    for (int i = 0; i < 5; i++) {
      tick(i);
    }
    assertThat(Cli.run("tail", file, "--last", 2).out())
        .containsSubsequence("number=3", "number=4")
        .doesNotContain("number=2");
    assertThat(Cli.run("tail", file, "-n", 2, "--type", "order").lines()).hasSize(1);
    assertThat(Cli.run("tail", file, "-n", 0).out()).isEmpty();
  }

  @Test
  void tail_afterALap_beginsWithTheOldestThatIsThere() {
    for (int i = 0; i < RECORDS + 3; i++) {
      tick(i);
    }
    assertThat(ticks.tryClaim()).isNotNull();
    ticks.abort();
    Cli cli = Cli.run("tail", file);
    assertThat(cli.lines()).hasSize(RECORDS - 1);
    assertThat(cli.lines().getFirst()).endsWith("number=4");
    assertThat(cli.err()).isEqualTo("7 read, 0 lost, 1 refused, 0 unfinished\n");
  }

  // ---- CSV and JSON ----

  @Test
  void tail_asCsvOfOneType_hasAColumnForEachField() {
    order(Long.MAX_VALUE, 2.5, "a, \"b\"\nc");
    tick(3);
    Cli cli = Cli.run("tail", file, "--format", "csv", "--type", "order");
    List<NamedCsvRecord> rows = cli.rows();
    assertThat(rows).hasSize(1);
    NamedCsvRecord row = rows.getFirst();
    assertThat(row.getHeader())
        .startsWith("time", "writer", "type", "text", "fields.id", "fields.price")
        .endsWith("fields.levels[1].ask", "fields.route.legs[0]", "fields.route.legs[1]")
        .hasSize(4 + 9 + 4 + 2);
    assertThat(row.getField("writer")).isEqualTo("feed-1");
    assertThat(row.getField("text")).isEqualTo("a, \"b\"\nc");
    assertThat(row.getField("fields.id")).isEqualTo("9223372036854775807");
    assertThat(row.getField("fields.symbol")).isEqualTo("A\"é");
    assertThat(row.getField("fields.levels[1].bid")).isEqualTo("3");
    assertThat(Instant.parse(row.getField("time"))).isBefore(Instant.now().plusSeconds(1));
  }

  @Test
  void tail_asCsvOfAllTypes_hasTheFieldsInOneColumn() {
    order(1, 2.5, "");
    tick(3);
    Cli cli = Cli.run("tail", file, "--format", "CSV");
    List<CsvRecord> rows = CsvReader.builder().ofCsvRecord(cli.out()).stream().toList();
    assertThat(rows).hasSize(3);
    assertThat(rows.get(0).getFields()).containsExactly("time", "writer", "type", "text", "fields");
    assertThat(rows.get(1).getField(4)).isEqualTo("id=1 " + ORDER_FIELDS);
    assertThat(rows.get(2).getFields()).endsWith("feed 2", "tick", "", "number=3");
  }

  @Test
  void tail_asCsvOfATypeWithTwoLayouts_isRefused() {
    TraceWriter<Tick> other = telemetry.newTraceWriter("feed-3", "order", Tick.TYPE);
    order(1, 2.5, "");
    assertThat(other.tryClaim()).isNotNull();
    other.commit();
    Cli cli = Cli.run("tail", file, "--format", "csv", "--type", "order");
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.REFUSED);
    assertThat(cli.err())
        .startsWith(
            "telemetry tail: fields of a type must be the same in CSV: type=order, writer=feed-3,"
                + " fields=[fields.number], ");
  }

  @Test
  void tail_asJson_isAnObjectALine() throws IOException {
    order(Long.MAX_VALUE, Double.NEGATIVE_INFINITY, "a \"b\"\n");
    order(-1, 0.1, "");
    tick(3);
    Cli cli = Cli.run("tail", file, "--format", "json");
    assertThat(cli.lines()).hasSize(3);
    ObjectMapper mapper = new ObjectMapper();
    JsonNode first = mapper.readTree(cli.lines().get(0));
    assertThat(first.fieldNames())
        .toIterable()
        .containsExactly("time", "writer", "type", "fields", "text");
    assertThat(first.get("text").textValue()).isEqualTo("a \"b\"\n");
    JsonNode fields = first.get("fields");
    assertThat(fields.get("id").longValue()).isEqualTo(Long.MAX_VALUE);
    assertThat(fields.get("price").textValue()).isEqualTo("-Infinity");
    assertThat(fields.get("share").numberValue().toString()).isEqualTo("0.1");
    assertThat(fields.get("count").intValue()).isEqualTo(-7);
    assertThat(fields.get("side").textValue()).isEqualTo("b");
    assertThat(fields.get("live").booleanValue()).isTrue();
    assertThat(fields.get("symbol").textValue()).isEqualTo("A\"é");
    assertThat(fields.at("/levels/1/ask").intValue()).isEqualTo(4);
    assertThat(fields.at("/route/legs/1").intValue()).isEqualTo(6);
    assertThat(mapper.readTree(cli.lines().get(1)).at("/fields/price").doubleValue())
        .isEqualTo(0.1);
  }

  // ---- unfinished records ----

  @Test
  void tail_beforeAnUnfinishedRecord_stopsAndSaysSo() {
    tick(1);
    assertThat(orders.tryClaim()).isNotNull();
    tick(2);
    Cli cli = Cli.run("tail", file);
    assertThat(cli.lines()).hasSize(1);
    assertThat(cli.err())
        .isEqualTo(
            "stopped before record 1, which is unfinished; process "
                + ProcessHandle.current().pid()
                + " is running; --skip-unfinished passes it\n"
                + "1 read, 0 lost, 0 refused, 0 unfinished\n");

    Cli skipped = Cli.run("tail", file, "--skip-unfinished");
    assertThat(skipped.lines()).hasSize(2);
    assertThat(skipped.err()).isEqualTo("2 read, 0 lost, 0 refused, 1 unfinished\n");
    orders.abort();
  }

  @Test
  void follow_beforeAnUnfinishedRecord_waitsForIt() throws Exception {
    tick(8);
    Order order = orders.tryClaim();
    tick(1);
    Stop stop = new Stop();
    StringWriter out = new StringWriter();
    CompletableFuture<Cli> following =
        CompletableFuture.supplyAsync(
            () -> Cli.run(stop, Terminal.NONE, out, "tail", file, "-f", "--interval", "1ms"));
    awaitText("number=8", out, following);
    order.fill(0, 2.5);
    orders.commit();
    tick(2);
    awaitText("number=2", out, following);
    stop.ask();
    Cli cli = following.get(30, TimeUnit.SECONDS);
    assertThat(cli.out()).containsSubsequence("number=8", "id=0", "number=1", "number=2");
    assertThat(cli.err()).isEqualTo("4 read, 0 lost, 0 refused, 0 unfinished\n");
  }

  private static void awaitText(String text, StringWriter out, CompletableFuture<Cli> following) {
    while (!out.toString().contains(text)) {
      assertThat(following).isNotDone();
      Thread.onSpinWait();
    }
  }

  @Test
  void tail_besideABusyWriter_ends() throws InterruptedException {
    Stop stop = new Stop();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (long i = 0; !stop.isAsked(); i++) {
                    tick(i);
                  }
                });
    Cli cli = Cli.run("tail", file);
    stop.ask();
    writer.join();
    assertThat(cli.exitCode()).isZero();
  }

  // ---- usage ----

  @Test
  void tail_ofABadOption_isWrongUsage() {
    assertThat(Cli.run("tail", file, "--last", -1))
        .isEqualTo(
            new Cli(
                TelemetryTool.BAD_USAGE,
                "",
                """
                telemetry tail: --last must be in 0..10000000: --last=-1
                See telemetry tail --help.
                """));
    assertThat(Cli.run("tail", file, "--interval", "0s").err())
        .contains("duration must be a number and ms, s, m or h, from 1ms to 24h: duration=0s");
    assertThat(Cli.run("tail").err()).startsWith("telemetry tail: Missing required parameter");
    assertThat(Cli.run().err()).startsWith("telemetry: command must be given, such as tail\n");
    assertThat(Cli.run("tail", "--help").out()).contains("--skip-unfinished");
  }
}
