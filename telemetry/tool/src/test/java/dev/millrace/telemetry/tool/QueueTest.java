package dev.millrace.telemetry.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a command that consumes what it shows, takes the dead for the living, or ends with a stack
 * trace because a file is no queue.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueTest {
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 12);
  private static final long PID = ProcessHandle.current().pid();
  private static final int TAIL_AT = 4_096 + 64 * 128 + 2 * (1 << 12) + 512; // of 64 participants
  private static final int HEAD_AT = 4_096 + 64 * 128 + (1 << 12) + 256;

  @TempDir private Path folder;
  private Path file;
  private MessageQueue queue;
  private MessageProducer producer;
  private MessageConsumer consumer;
  private Process other;

  @BeforeEach
  void create() throws IOException {
    file = folder.resolve("orders.queue");
    queue = MessageQueue.spsc(OPTIONS, file);
  }

  /** Three messages, the first of which is in the consumer's hands, and an open claim. */
  private void use(LongSupplier clock) {
    producer = clock == null ? queue.newProducer() : queue.newProducer(clock);
    consumer = queue.newConsumer();
    put(7, "first");
    put(-1, "a \"fill\"\n");
    producer.tryClaim(3, 20).putBytes(0, new byte[20], 0, 20);
    producer.commit();
    assertThat(consumer.tryPoll()).isNotNull();
    assertThat(producer.tryClaim(9, 40)).isNotNull();
  }

  private void put(int type, String text) {
    producer.tryClaim(type, text.length()).putAscii(0, text);
    producer.commit();
  }

  @AfterEach
  void close() throws InterruptedException {
    queue.close();
    if (other != null) {
      other.destroyForcibly();
      assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  // ---- info ----

  @Test
  void info_saysWhatIsInTheFile_whatIsOpen_andWhoTakesPart() throws IOException {
    use(null);
    byte[] before = Files.readAllBytes(file);
    Cli cli = Cli.run("queue", "info", file);
    assertThat(cli.err()).isEmpty();
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.lines().subList(0, 11))
        .satisfiesExactly(
            line -> assertThat(line).isEqualTo("file       %s, 24,576 bytes", file),
            line -> assertThat(line).matches("made       20\\S+Z by process " + PID),
            line -> assertThat(line).isEqualTo("kind       MessageQueue.spsc"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "options    capacity 4,096 bytes; what a dead consumer had in hand is"
                            + " handed out again"),
            line -> assertThat(line).isEqualTo("longest    2,048 bytes"),
            line -> assertThat(line).isEqualTo("stage      open"),
            line -> assertThat(line).isEqualTo("fill       7 of 256 cells in use (2 %)"),
            line -> assertThat(line).isEqualTo("open       claim of 3 cells, poll of 1 cell"),
            line -> assertThat(line).isEqualTo("positions  head 0, taken 1, tail 7"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "counts     0 cells consumed, 0 aborted; 0 messages lost, 0 repeated"),
            line -> assertThat(line).isEmpty());
    assertThat(cli.lines().get(11)).startsWith("entry  role      pid");
    assertThat(cli.lines().get(12)).matches("0      producer  " + PID + " .*alive  20\\S+Z  \\S.*");
    assertThat(cli.lines().get(13)).matches("1      consumer  " + PID + " .*alive  20\\S+Z  \\S.*");
    assertThat(cli.lines()).hasSize(14);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    producer.abort();
    consumer.release();
    assertThat(consumer.drain(_ -> {}, 9)).isEqualTo(2);
    queue.complete();
    assertThat(Cli.run("queue", "info", file).out())
        .contains("stage      completed, and nothing is left\n")
        .contains("open       nothing\n");
  }

  /** A record. */
  interface Trade {
    long price();

    Trade price(long value);
  }

  @Test
  void info_ofAHistory_saysWhatIsInTheFile_andWhereNamedReadersAre() throws IOException {
    Path path = folder.resolve("trades.ring");
    try (HistoryRing<Trade> ring = HistoryRing.single(Trade.class, 4, path)) {
      for (int i = 0; i < 3; i++) {
        ring.producer().claim().price(i);
        ring.producer().commit();
      }
      ring.newReader(1, "late").close();
      HistoryReader<Trade> audit = ring.newReader(2, "audit");
      assertThat(audit.tryPoll(2)).isEqualTo(2);
      audit.release();
      byte[] before = Files.readAllBytes(path);
      Cli cli = Cli.run("queue", "info", path);
      assertThat(cli.err()).isEmpty();
      assertThat(cli.exitCode()).isZero();
      assertThat(cli.lines())
          .satisfiesExactly(
              line -> assertThat(line).matches("file       %s, [0-9,]* bytes".formatted(path)),
              line -> assertThat(line).matches("made       20\\S+Z by process " + PID),
              line -> assertThat(line).isEqualTo("kind       HistoryRing.single"),
              line -> assertThat(line).isEqualTo("options    capacity 4 records of 8 bytes"),
              line -> assertThat(line).isEqualTo("counts     3 claimed, 0 refused"),
              line -> assertThat(line).isEmpty(),
              line -> assertThat(line).startsWith("entry  role      pid"),
              line -> assertThat(line).matches("0      producer  " + PID + " .*alive  20\\S+Z .*"),
              line -> assertThat(line).matches("2      reader    " + PID + " .*alive .*audit"),
              line -> assertThat(line).isEmpty(),
              line -> assertThat(line).isEqualTo("reader  position  behind"),
              line -> assertThat(line).isEqualTo("audit          2       1"),
              line -> assertThat(line).isEqualTo("late           0       3"));
      assertThat(Files.readAllBytes(path)).isEqualTo(before);
    }
    try (RandomAccessFile bytes = new RandomAccessFile(path.toFile(), "rw")) {
      bytes.seek(4_096 + 66 * 128);
      bytes.writeLong(-1);
    }
    Cli damaged = Cli.run("queue", "info", path);
    assertThat(damaged.exitCode()).isEqualTo(TelemetryTool.REFUSED);
    assertThat(damaged.err())
        .contains("history is damaged: length of name 0 is -1")
        .hasLineCount(1);
    assertThat(Cli.run("queue", "tail", path).err()).contains("not a queue of messages: kind=");
  }

  // ---- tail ----

  @Test
  void tail_hasAMessageALine_andConsumesNothing() throws IOException {
    use(null);
    byte[] before = Files.readAllBytes(file);
    String all =
        """
        0 - 7 5 "first"
        1 - -1 9 "a \\"fill\\"\\n"
        2 - 3 20 0x0000000000000000000000000000000000000000
        """;
    assertThat(Cli.run("queue", "tail", file))
        .isEqualTo(new Cli(0, all, "3 read, 0 cells passed unseen\n"));
    assertThat(Cli.run("queue", "tail", file, "--limit", 1).out()).isEqualTo("0 - 7 5 \"first\"\n");
    assertThat(Cli.run("queue", "tail", file, "--limit", 2, "--format", "csv").lines())
        .startsWith("sequence,time,type,length,bytes", "0,-,7,5,first");
    String json = Cli.run("queue", "tail", file, "--format", "json").lines().getLast();
    JsonNode third = new ObjectMapper().readTree(json);
    assertThat(third.get("sequence").longValue()).isEqualTo(2);
    assertThat(third.get("length").longValue()).isEqualTo(20);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    consumer.release();
    assertThat(consumer.tryPoll().type()).isEqualTo(-1);
  }

  @Test
  void tail_ofMessagesWithTimes_showsThem() {
    use(() -> 1_764_072_000_000L);
    assertThat(Cli.run("queue", "tail", file, "--limit", 1).out())
        .isEqualTo("0 1764072000000 7 5 \"first\"\n");
    assertThat(Cli.run("queue", "tail", file, "--limit", 1, "--unit", "ms").out())
        .isEqualTo("0 2025-11-25T12:00:00.000000000Z 7 5 \"first\"\n");
  }

  @Test
  void tail_thatFollows_endsWithTheQueue_orWithItsFile() throws Exception {
    use(null);
    CompletableFuture<Cli> tail =
        CompletableFuture.supplyAsync(() -> Cli.run("queue", "tail", file, "-f"));
    producer.commit();
    consumer.release();
    assertThat(consumer.drain(_ -> {}, 9)).isEqualTo(3);
    Thread.sleep(50);
    assertThat(tail).isNotDone();
    queue.complete();
    assertThat(tail.get(30, TimeUnit.SECONDS).exitCode()).isZero();

    Path passing = folder.resolve("passing");
    MessageQueue.spsc(OPTIONS, passing).close();
    CompletableFuture<Cli> second =
        CompletableFuture.supplyAsync(() -> Cli.run("queue", "tail", passing, "-f"));
    Thread.sleep(50);
    Files.delete(passing);
    MessageQueue.spsc(OPTIONS, passing).close();
    assertThat(second.get(30, TimeUnit.SECONDS).err()).contains("passing: removed or replaced\n");
  }

  // ---- another process ----

  /** Sends or receives until it is killed. */
  static final class Peer {
    private Peer() {}

    public static void main(String[] args) throws Exception {
      MessageQueue queue = MessageQueue.spsc(OPTIONS, Path.of(args[1]));
      if (args[0].equals("receive")) {
        queue.newConsumer().forEach(_ -> {});
      }
      MessageProducer producer = queue.newProducer();
      for (long i = 0; true; i++) {
        producer.claim(1, 20).putAscii(0, "%020d".formatted(i));
        producer.commit();
        Thread.sleep(Duration.ofNanos(100_000));
      }
    }
  }

  private void start(String how) throws IOException {
    other = OtherJvm.of(Peer.class, how, file).inheritIO().start();
  }

  private void killAndAwait() throws InterruptedException {
    other.destroyForcibly();
    assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void tail_followsAnotherProcess_andAllCommandsReadWhatItLeftWhenItWasKilled() throws Exception {
    start("send");
    consumer = queue.newConsumer();
    assertThat(consumer.poll(Duration.ofMinutes(1))).isNotNull();
    Stop stop = new Stop();
    StringWriter out = new StringWriter();
    CompletableFuture<Cli> following =
        CompletableFuture.supplyAsync(
            () -> Cli.run(stop, Terminal.NONE, out, "queue", "tail", file, "--follow"));
    try {
      consumer.release();
      long[] taken = {1};
      while (taken[0] < 3_000) {
        taken[0] += consumer.drain(_ -> {}, 10);
        Thread.sleep(Duration.ofNanos(500_000)); // as a consumer that parks does
      }
      assertThat(Cli.run("queue", "info", file).lines().get(12))
          .matches("0      producer  " + other.pid() + " .*alive .* main");
      killAndAwait();
      Cli info = Cli.run("queue", "info", file);
      assertThat(info.exitCode()).isZero();
      assertThat(info.lines().get(12))
          .matches("0      producer  " + other.pid() + " .*dead .* main");
      assertThat(info.lines().get(13)).matches("1      consumer  " + PID + " .*alive .*");
      assertThat(following).isNotDone();
      stop.ask();
      Cli tail = following.get(60, TimeUnit.SECONDS);
      long last = -1;
      for (String line : tail.lines()) {
        String[] words = line.split(" ", -1);
        long sequence = Long.parseLong(words[0]); // of cells: two for each message
        assertThat(sequence).isGreaterThan(last);
        assertThat(line).isEqualTo("%d - 1 20 \"%020d\"", sequence, sequence / 2);
        last = sequence;
      }
      assertThat(tail.lines()).as(tail.err()).hasSizeGreaterThan(300);
      assertThat(tail.exitCode()).isZero();
    } finally {
      stop.ask();
    }
    while (consumer.drain(_ -> {}, 10) > 0) {
      // what it had committed
    }
    try (MessageProducer next = queue.newProducer()) { // observers are not in the way
      next.tryClaim(1, 4).putAscii(0, "next");
      next.commit();
    }
    assertThat(Cli.run("queue", "tail", file).out()).endsWith(" - 1 4 \"next\"\n");
  }

  @Test
  void info_ofAKilledConsumer_saysSo() throws Exception {
    start("receive");
    try (MessageObserver observer = MessageObserver.open(file)) {
      while (observer.participants().isEmpty()) {
        Thread.sleep(5);
      }
    }
    assertThat(Cli.run("queue", "info", file).lines().getLast())
        .matches("1      consumer  " + other.pid() + " .*alive .* main");
    killAndAwait();
    assertThat(Cli.run("queue", "info", file).lines().getLast())
        .matches("1      consumer  " + other.pid() + " .*dead .* main");
  }

  // ---- top ----

  @Test
  void top_hasPositionsRatesAndParticipants() throws IOException {
    use(null);
    producer.commit();
    try (MessageObserver observer = MessageObserver.open(file)) {
      QueueView view = new QueueView(file, observer);
      List<String> first = view.look(0, 0);
      assertThat(first.getFirst())
          .isEqualTo(
              file
                  + ": MessageQueue.spsc, open; 7 of 256 cells in use (2 %); open: poll of 1 cell");
      assertThat(first).contains("tail       counter      7").noneMatch(it -> it.contains("drop"));
      put(1, "x");
      put(1, "x");
      List<String> second = view.look(0, 2_000_000_000L);
      assertThat(second).contains("tail       counter      9         1.0");
      assertThat(second).contains("head       counter      0           0");
      assertThat(second.get(second.size() - 2)).startsWith("0      producer  " + PID);
      assertThat(second.getLast()).startsWith("1      consumer  " + PID);
    }
    Cli cli = Cli.run("queue", "top", file, "--count", 2, "--interval", "1ms");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.lines().stream().filter(line -> line.startsWith("tail "))).hasSize(2);
  }

  @Test
  void top_ofAFileThatIsReplaced_goesOnWithTheNewOne() throws IOException {
    StringWriter out = new StringWriter();
    Top top =
        new Top(
            file,
            Duration.ofMillis(1),
            3,
            () -> new QueueView(file, MessageObserver.open(file)),
            new Screen(out, Terminal.NONE));
    int[] sleeps = {0};
    top.run(
        _ -> {
          replace(sleeps[0]++);
          return false;
        });
    assertThat(out.toString().lines().filter(line -> line.startsWith("replaced at "))).hasSize(1);
    assertThat(out.toString()).contains("32 cells in use");
  }

  /** First by what is no queue, then by what is. */
  private void replace(int step) {
    try {
      if (step == 0) {
        Files.move(file, folder.resolve("former"));
        Files.writeString(file, "MILL");
      } else if (step == 1) {
        Files.delete(file);
        MessageQueue.spsc(OPTIONS.withCapacity(512), file).close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- refusals ----

  private static void isRefused(String command, Path path, String message) {
    Cli cli = Cli.run("queue", command, path);
    assertThat(cli.err()).startsWith("telemetry queue %s: %s".formatted(command, message));
    assertThat(cli.err().lines()).hasSize(1);
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.REFUSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"info", "tail", "top"})
  void command_ofAFileThatIsNoQueue_hasTheLibrarysSentence(String command) throws IOException {
    Path none = folder.resolve("none");
    isRefused(command, none, none + ": there is no such file");
    isRefused(command, folder, folder + ": not a regular file");
    Files.writeString(none, "text");
    isRefused(command, none, none + ": too short for a ring: bytes=4");
    Files.delete(none);
    Telemetry.create(none, Telemetry.Options.defaults()).close();
    isRefused(command, none, none + ": not a ring of this library: magic=\"");
    Path cut = Files.copy(file, folder.resolve("cut"));
    try (RandomAccessFile bytes = new RandomAccessFile(cut.toFile(), "rw")) {
      bytes.setLength(8_192);
    }
    isRefused(command, cut, cut + ": cut short: bytes=8192, made with 24576");
  }

  private Path changed(int at, long word) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(at, word);
    return Files.write(folder.resolve("changed"), bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"info", "tail", "top"})
  void command_ofADamagedFile_hasTheLibrarysSentence(String command) throws IOException {
    use(null);
    Path damaged = changed(HEAD_AT, -5);
    isRefused(command, damaged, "queue is damaged: head is -5, not in 0..4611686018427387903, ");
  }

  @Test
  void info_ofATailThatCannotBe_isWithinTheQueue() throws IOException {
    use(null);
    assertThat(Cli.run("queue", "info", changed(TAIL_AT, Long.MAX_VALUE)).out())
        .contains("positions  head 0, taken 1, tail 256\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"info", "top"})
  void command_ofADamagedTable_hasTheLibrarysSentence(String command) throws IOException {
    Path damaged = changed(4_096, 0x77);
    isRefused(command, damaged, damaged + ": participant 0 is damaged: state=0x77");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "queue|telemetry queue: command must be given, such as info",
        "queue info|telemetry queue info: Missing required parameter: 'FILE'",
        "queue tail FILE --limit -1|telemetry queue tail: --limit must not be negative: --limit=-1",
        "queue top FILE --count -1|telemetry queue top: --count must not be negative: --count=-1",
        "queue tail FILE --unit h|telemetry queue tail: Invalid value for option '--unit'"
      })
  void wrongUsage_isExplained(String line, String message) {
    Cli cli = Cli.run((Object[]) line.replace("FILE", file.toString()).split(" ", -1));
    assertThat(cli.err()).startsWith(message).hasLineCount(2);
    assertThat(cli.exitCode()).isEqualTo(TelemetryTool.BAD_USAGE);
  }
}
