package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.millrace.telemetry.Counter;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceWriter;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a command that waits for what a killed process has left unfinished, counts it wrong, or
 * takes a new process with the old id for the writer.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledProcessTest {
  private static final int RECORDS = 64;
  private static final int BEFORE_UNFINISHED = 20;

  @TempDir private Path folder;
  private Process writer;

  /**
   * Writes ticks, of which one is never finished, and counts them. Then, if it is told so, goes on
   * until it is killed.
   */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws Exception {
      Options options = Options.defaults().withCapacity(4).withTrace(RECORDS, 64);
      Telemetry telemetry = Telemetry.create(Path.of(args[0]), options);
      Counter count = telemetry.soleWriterCounter("ticks");
      TraceWriter<Tick> stuck = telemetry.newTraceWriter("stuck", "tick", Tick.TYPE);
      TraceWriter<Tick> ticks = telemetry.newTraceWriter("main", "tick", Tick.TYPE);
      for (long i = 0; args[1].equals("endless") || i < 2 * BEFORE_UNFINISHED; i++) {
        if (i == BEFORE_UNFINISHED && !args[1].equals("endless")) {
          Tick _ = stuck.tryClaim();
        }
        Tick tick = ticks.tryClaim();
        if (tick != null) {
          tick.number(i);
          ticks.text("tick " + i);
          ticks.commit();
        }
        count.increment();
      }
      Thread.sleep(Duration.ofMinutes(2));
    }
  }

  private Path start(String how) throws Exception {
    Path file = folder.resolve("other.telemetry");
    writer = OtherJvm.of(Writer.class, file, how).inheritIO().start();
    while (!hasCounted(file)) {
      Thread.sleep(5);
    }
    return file;
  }

  private static boolean hasCounted(Path file) {
    try (TelemetryReader reader = TelemetryReader.open(file)) {
      return reader.counters().values().stream().anyMatch(one -> one >= 2 * BEFORE_UNFINISHED);
    } catch (IOException e) { // not made yet, or half-made
      return false;
    }
  }

  @AfterEach
  void kill() throws InterruptedException {
    if (writer != null) {
      writer.destroyForcibly();
      assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void tail_ofAKilledProcess_passesWhatIsUnfinished_alsoWhenItFollows() throws Exception {
    Path file = start("stuck");
    Cli living = Cli.run("tail", file);
    assertThat(living.lines()).hasSize(BEFORE_UNFINISHED);
    assertThat(living.err())
        .startsWith("stopped before record 20, which is unfinished; process " + writer.pid())
        .endsWith("20 read, 0 lost, 0 refused, 0 unfinished\n");
    CompletableFuture<Cli> following =
        CompletableFuture.supplyAsync(() -> Cli.run("tail", file, "-f", "--interval", "5ms"));
    assertThatThrownBy(() -> following.get(100, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    kill();
    Cli followed = following.get(30, TimeUnit.SECONDS); // it ends after a last read
    assertThat(followed.lines()).hasSize(2 * BEFORE_UNFINISHED);
    assertThat(followed.lines().getLast()).endsWith(" main tick number=39 \"tick 39\"");
    assertThat(followed.err()).endsWith("40 read, 0 lost, 0 refused, 1 unfinished\n");

    Cli dead = Cli.run("tail", file, "--format", "csv", "--type", "tick");
    List<NamedCsvRecord> rows = dead.rows();
    assertThat(rows).hasSize(2 * BEFORE_UNFINISHED);
    for (int i = 0; i < rows.size(); i++) {
      assertThat(rows.get(i).getField("fields.number")).isEqualTo(String.valueOf(i));
      assertThat(rows.get(i).getField("text")).isEqualTo("tick " + i);
    }
    assertThat(dead.err())
        .isEqualTo(
            "process "
                + writer.pid()
                + " has ended: 1 record was unfinished\n"
                + "40 read, 0 lost, 0 refused, 1 unfinished\n");
    assertThat(dead.exitCode()).isZero();
  }

  @Test
  void commands_ofAProcessKilledWhileItWrites_readWhatIsThere() throws Exception {
    Path file = start("endless");
    Cli living = Cli.run("tail", file, "--skip-unfinished");
    assertThat(living.exitCode()).isZero();
    kill();

    Cli dead = Cli.run("tail", file, "--format", "json");
    assertThat(dead.exitCode()).isZero();
    assertThat(dead.lines()).hasSizeBetween(RECORDS - 2, RECORDS);
    ObjectMapper mapper = new ObjectMapper();
    for (String line : dead.lines()) {
      JsonNode record = mapper.readTree(line);
      long number = record.at("/fields/number").longValue();
      assertThat(record.get("text").textValue()).isEqualTo("tick " + number);
    }
    long last = mapper.readTree(dead.lines().getLast()).at("/fields/number").longValue();
    assertThat(dead.err()).startsWith("process " + writer.pid() + " has ended: ");

    Cli counters = Cli.run("counters", file, "--format", "json");
    assertThat(counters.err())
        .isEqualTo("process " + writer.pid() + " has ended: no counter was unfinished\n");
    long ticks = mapper.readTree(counters.out()).get("value").longValue();
    assertThat(ticks).isBetween(last, last + 1);
    assertThat(Cli.run("info", file).out()).contains("process   " + writer.pid() + " has ended\n");
  }

  @Test
  void process_whoseIdIsAnothers_hasEnded() throws IOException {
    Path file = folder.resolve("old.telemetry");
    Telemetry.create(file, Options.defaults().withTrace(4, 64)).close();
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    header.putLong(16, header.getLong(16) - Duration.ofHours(100_000).toNanos());
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 8, 44);
    header.putInt(52, (int) checksum.getValue());
    Files.write(file, bytes);
    assertThat(Cli.run("tail", file).err())
        .matches(
            "process "
                + ProcessHandle.current().pid()
                + " has ended \\(its id is that of another since \\S+Z\\):"
                + " nothing was unfinished\n0 read, .*\n");
  }
}
