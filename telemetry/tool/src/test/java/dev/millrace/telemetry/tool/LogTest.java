package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a damaged log that a command calls whole, a whole one that it calls damaged, and messages
 * that it leaves out or repeats while another process writes.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LogTest {
  private static final long SEGMENT_BYTES = 1 << 16;
  private static final int HEADER_BYTES = 4_096;
  private static final int LARGE = 31_000; // two of them in a segment
  private static final long NOON = 1_764_072_000_000L;

  @TempDir private Path folder;
  private Path directory;

  /** Text, bytes that are none, two large messages, of which one begins a segment. */
  @BeforeEach
  void create() throws IOException {
    directory = folder.resolve("orders");
    long[] time = {NOON};
    LogOptions options = LogOptions.ofSegmentBytes(SEGMENT_BYTES).withClock(() -> time[0]++);
    try (MessageLog log = MessageLog.open(directory, options);
        LogProducer producer = log.newProducer()) {
      append(producer, 7, "a \"fill\"\n".getBytes(StandardCharsets.UTF_8));
      append(producer, -1, new byte[] {0, 1, -1});
      append(producer, 3, new byte[LARGE]);
      append(producer, 3, "x".repeat(LARGE).getBytes(StandardCharsets.UTF_8));
      append(producer, 7, new byte[0]);
    }
  }

  private static void append(LogProducer producer, int type, byte[] bytes) {
    producer.claim(type, bytes.length).putBytes(0, bytes, 0, bytes.length);
    producer.commit();
  }

  private String segment(long first) {
    return "%020d.log".formatted(first);
  }

  /** Changes a byte of a segment. */
  private void damage(long first, long position) throws IOException {
    Path file = directory.resolve(segment(first));
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(position);
      int before = bytes.read();
      bytes.seek(position);
      bytes.write(before ^ 1);
    }
  }

  // ---- list ----

  @Test
  void list_hasASegmentALine() throws IOException {
    assertThat(Cli.run("log", "list", directory))
        .isEqualTo(
            new Cli(
                0,
                """
                segment                   first  messages  since                            bytes
                00000000000000000000.log      0         3  2025-11-25T12:00:00.001000000Z  65,536
                00000000000000000003.log      3         2  2025-11-25T12:00:00.005000000Z  65,536
                """,
                ""));
    assertThat(Cli.run("log", "list", directory, "--format", "csv", "--unit", "none").lines())
        .containsExactly(
            "segment,first,messages,since,bytes",
            segment(0) + ",0,3,1764072000001,65536",
            segment(3) + ",3,2,1764072000005,65536");
    damage(0, HEADER_BYTES + 40);
    String json = Cli.run("log", "list", directory, "--format", "json").lines().getFirst();
    JsonNode row = new ObjectMapper().readTree(json);
    assertThat(row.get("messages").longValue()).isEqualTo(3);
    assertThat(row.get("since").textValue()).isEqualTo("damaged");
  }

  // ---- readers ----

  @Test
  void readers_haveALineEach() throws IOException {
    assertThat(Cli.run("log", "readers", directory).lines())
        .containsExactly("reader  position  behind");
    for (String name : new String[] {"billing", "audit", "damaged"}) {
      try (LogReader reader = LogReader.open(directory, name)) {
        for (int i = 0; i < (name.equals("audit") ? 2 : 5); i++) {
          reader.tryPoll();
          reader.release();
        }
      }
    }
    Files.write(directory.resolve("reader-damaged.position"), new byte[512]);
    assertThat(Cli.run("log", "readers", directory))
        .isEqualTo(
            new Cli(
                0,
                """
                reader   position  behind
                audit           2       3
                billing         5       0
                damaged   damaged
                """,
                ""));
    assertThat(Cli.run("log", "readers", directory, "--format", "csv").lines())
        .containsExactly("reader,position,behind", "audit,2,3", "billing,5,0", "damaged,damaged,");
  }

  // ---- tail ----

  @Test
  void tail_hasAMessageALine() throws IOException {
    Cli cli = Cli.run("log", "tail", directory, "--limit", 2);
    assertThat(cli)
        .isEqualTo(
            new Cli(
                0,
                """
                0 2025-11-25T12:00:00.001000000Z 7 9 "a \\"fill\\"\\n"
                1 2025-11-25T12:00:00.002000000Z -1 3 0x0001ff
                """,
                "2 read, 0 lost, 0 damaged\n"));
    cli = Cli.run("log", "tail", directory, "--from", 3, "--format", "csv", "--unit", "ns");
    assertThat(cli.lines())
        .containsExactly(
            "number,time,type,length,bytes",
            "3,1970-01-01T00:29:24.072000005Z,3,31000," + "x".repeat(LARGE),
            "4,1970-01-01T00:29:24.072000006Z,7,0,");
    cli = Cli.run("log", "tail", directory, "--format", "json");
    assertThat(cli.lines()).hasSize(5);
    JsonNode second = new ObjectMapper().readTree(cli.lines().get(1));
    assertThat(second.get("number").longValue()).isEqualTo(1);
    assertThat(second.get("type").intValue()).isEqualTo(-1);
    assertThat(second.get("bytes").textValue()).isEqualTo("0x0001ff");
  }

  @Test
  void tail_ofRemovedMessages_countsThem() throws IOException {
    Files.delete(directory.resolve(segment(0)));
    Cli cli = Cli.run("log", "tail", directory, "--from", 0, "--limit", 1);
    assertThat(cli.out()).startsWith("3 ");
    assertThat(cli.err()).isEqualTo("1 read, 3 lost, 0 damaged\n");
  }

  // ---- damage ----

  @Test
  void verify_ofAWholeLog_saysSo() {
    String summary =
        "segments 2, first number 0, next number 5, whole messages 5, damaged places 0\n";
    assertThat(Cli.run("log", "verify", directory)).isEqualTo(new Cli(0, "", summary));
    assertThat(Cli.run("log", "verify", directory, "--format", "csv"))
        .isEqualTo(new Cli(0, "segment,position,number,count,reason\n", summary));
  }

  @Test
  void verify_ofADamagedLog_namesThePlaces_andTailPassesThem() throws IOException {
    int second = HEADER_BYTES + 48; // the first has 32 and 9 bytes
    damage(0, second + 33);
    damage(3, HEADER_BYTES + 5_000);
    Cli cli = Cli.run("log", "verify", directory, "--format", "csv");
    assertThat(cli.lines())
        .containsExactly(
            "segment,position,number,count,reason",
            segment(0) + "," + second + ",1,1,checksum does not match",
            segment(3) + "," + HEADER_BYTES + ",3,1,checksum does not match");
    assertThat(cli.err())
        .isEqualTo(
            "segments 2, first number 0, next number 5, whole messages 3, damaged places 2\n");
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.REFUSED);
    assertThat(Cli.run("log", "verify", directory).lines().get(1))
        .isEqualTo(segment(0) + "     4,144       1      1  checksum does not match");

    Cli tail = Cli.run("log", "tail", directory, "--format", "csv");
    assertThat(tail.rows())
        .extracting(row -> row.getField("number"))
        .containsExactly("0", "2", "4");
    assertThat(tail.err())
        .contains(segment(0) + ": checksum does not match: position=4144, number=1, count=1\n")
        .endsWith("3 read, 0 lost, 2 damaged\n");
    assertThat(tail.exitCode()).isEqualTo(TelemetryTool.REFUSED);
  }

  @Test
  void damagedHeader_isNamed() throws IOException {
    damage(3, 24);
    damage(3, SEGMENT_BYTES - 40);
    String message = segment(3) + ": header is damaged: position=0, number=3, count=0\n";
    assertThat(Cli.run("log", "list", directory).err()).endsWith(message);
    Cli verify = Cli.run("log", "verify", directory);
    assertThat(verify.out()).contains("header is damaged");
    assertThat(verify.exitCode()).isEqualTo(TelemetryTool.REFUSED);
    Cli tail = Cli.run("log", "tail", directory);
    assertThat(tail.lines()).hasSize(3);
    assertThat(tail.err()).endsWith(message + "3 read, 0 lost, 1 damaged\n");
    assertThat(tail.exitCode()).isEqualTo(TelemetryTool.REFUSED);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "3, true", "0, false", "3, false"})
  void segmentThatIsNoFile_isOneSentence(long first, boolean isLink) throws IOException {
    Path file = directory.resolve(segment(first));
    Files.delete(file);
    if (isLink) {
      Files.createSymbolicLink(file, folder.resolve("not mounted"));
    } else {
      Files.createDirectory(file);
    }
    String message = file + (isLink ? ": the name leads to no file" : ": not a regular file");
    for (String command : new String[] {"list", "tail", "verify"}) {
      Cli cli = Cli.run("log", command, directory);
      assertThat(cli.exitCode()).as(command).isEqualTo(TelemetryTool.REFUSED);
      assertThat(cli.err()).as(command).endsWith(message + "\n");
      assertThat(cli.err().lines().filter(line -> line.contains("file"))).hasSize(1);
    }
  }

  // ---- another process ----

  /** Appends until it is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws IOException {
      MessageLog log = MessageLog.open(Path.of(args[0]), LogOptions.ofSegmentBytes(SEGMENT_BYTES));
      LogProducer producer = log.newProducer();
      for (long i = 0; true; i++) {
        producer.claim(1, 20).putAscii(0, "%020d".formatted(i));
        producer.commit();
      }
    }
  }

  @Test
  void tail_follows_untilItIsStopped_andAllCommandsReadWhatAKilledProcessLeft() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    Process writer = OtherJvm.of(Writer.class, other).inheritIO().start();
    Stop stop = new Stop();
    try (LogReader reader = LogReader.open(other)) {
      assertThat(reader.poll(Duration.ofMinutes(1))).isNotNull();
      assertThat(Cli.run("log", "tail", other).exitCode()).isZero(); // it ends; the writer runs
      CompletableFuture<Cli> following =
          CompletableFuture.supplyAsync(
              () -> Cli.run(stop, Terminal.NONE, "log", "tail", other, "-f", "--interval", "5ms"));
      reader.release();
      while (reader.number() < 10_000) {
        assertThat(reader.poll(1_000)).isPositive();
        reader.release();
      }
      writer.destroyForcibly();
      assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(Cli.run("log", "verify", other).exitCode()).isZero();
      assertThat(Cli.run("log", "list", other).exitCode()).isZero();
      assertThat(following).isNotDone();
      stop.ask();
      Cli tail = following.get(60, TimeUnit.SECONDS);
      long number = 0;
      for (String line : tail.lines()) {
        assertThat(line).startsWith(number + " ").endsWith(" 1 20 \"%020d\"".formatted(number++));
      }
      assertThat(tail.err()).endsWith(", 0 lost, 0 damaged\n");
      assertThat(tail.exitCode()).isZero();
    } finally {
      stop.ask(); // else it keeps a thread that other tests need
      writer.destroyForcibly();
    }
  }

  // ---- refusals ----

  @ParameterizedTest
  @ValueSource(strings = {"list", "readers", "tail", "verify"})
  void directory_withoutALog_isRefused(String command) throws IOException {
    Path none = folder.resolve("none");
    Path file = Files.writeString(folder.resolve("file"), "");
    isRefused(command, none, "there is no such directory");
    isRefused(command, file, "must be a directory, and is none");
    isRefused(command, Files.createDirectory(none), "must have a log: it has no segment");
  }

  private static void isRefused(String command, Path path, String message) {
    assertThat(Cli.run("log", command, path))
        .isEqualTo(
            new Cli(
                TelemetryTool.REFUSED,
                "",
                "telemetry log %s: %s: %s\n".formatted(command, path, message)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "log|telemetry log: command must be given, such as list",
        "log list|telemetry log list: Missing required parameter: 'DIR'",
        "log tail DIR --from 6|telemetry log tail: --from must be in 0..5: --from=6",
        "log tail DIR --from -1|telemetry log tail: --from must be in 0..5: --from=-1",
        "log tail DIR --limit -1|telemetry log tail: --limit must not be negative: --limit=-1",
        "log tail DIR --unit h|telemetry log tail: Invalid value for option '--unit'",
        "log verify DIR --format text|telemetry log verify: Invalid value for option '--format'"
      })
  void wrongUsage_isExplained(String line, String message) {
    Cli cli = Cli.run((Object[]) line.replace("DIR", directory.toString()).split(" ", -1));
    assertThat(cli.err()).startsWith(message).hasLineCount(2);
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.BAD_USAGE);
  }
}
