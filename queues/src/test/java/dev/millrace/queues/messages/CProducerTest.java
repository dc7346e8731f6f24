package dev.millrace.queues.messages;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.CPeer;
import dev.millrace.queues.QueueOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds where the C header and the Java library disagree about a queue's file and about claims
 * among many producers: how they are announced, marked, given up and refused. Also finds damage of
 * the file that makes a producer in C hang or access anything outside of it. Skipped where there is
 * no C compiler.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CProducerTest {
  private static final String KIND = "MessageQueue.mpsc";
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  private static final int KILLS = Integer.getInteger("millrace.kills", 20);
  private static final int ROUNDS = Integer.getInteger("millrace.fuzz", 5_000);
  private static final long SEED = 55;
  private static final int MESSAGES = 5_000; // of each producer
  private static final long RANGE = 1L << 32; // of the numbers of each producer

  @TempDir Path folder;

  private final long[] next = new long[8]; // by producer

  private Path file;

  @BeforeEach
  void resolve() throws Exception {
    CPeer.compile("peer");
    file = folder.resolve("queue");
  }

  private MessageQueue open() throws IOException {
    return MessageQueue.mpsc(OPTIONS, file);
  }

  private CPeer join() throws Exception {
    CPeer peer = CPeer.start();
    peer.does("join " + file + " c-peer");
    return peer;
  }

  /** Takes all messages that are there; the numbers of each producer must follow one another. */
  private long takeAll(MessageConsumer consumer) {
    long taken = 0;
    for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
      long number = message.getLong(0);
      assertThat(message.getLong(message.length() - Long.BYTES)).isEqualTo(~number);
      assertThat(message.length()).isEqualTo((int) (16 + number % 5 * 17));
      assertThat(number % RANGE).isEqualTo(next[(int) (number / RANGE)]++);
      consumer.release();
      taken++;
    }
    return taken;
  }

  private void takeUntil(MessageConsumer consumer, BooleanSupplier isDone) {
    while (!isDone.getAsBoolean()) {
      takeAll(consumer);
      Thread.onSpinWait();
    }
  }

  /** Fills all cells twice. */
  private static void fillAll(MessageQueue queue, MessageConsumer consumer) {
    try (MessageProducer producer = queue.newProducer()) {
      for (int i = 0; i < 2 * queue.capacity(); i++) {
        Message message = producer.tryClaim(1, queue.maxLength());
        for (int tries = 0; message == null && tries < 100; tries++) {
          assertThat(consumer.tryPoll()).isNull(); // passes cells that were let go
          message = producer.tryClaim(1, queue.maxLength());
        }
        assertThat(message).isNotNull();
        producer.commit();
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
      }
    }
  }

  // ---- messages ----

  @Test
  void commit_makesTheMessageReadable_withItsTypeAndLength() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.does("claim 4000000000 11", "write hello world");
      assertThat(consumer.tryPoll()).isNull();
      peer.does("commit 5", "claim 7 0", "commit 0", "claim 8 3", "abort", "claim 9 512");
      assertThat(peer.ask("claim 9 1")).isEqualTo("-10 a claim is open: length=512");
      peer.does("commit 512");
      assertThat(peer.ask("commit 0")).startsWith("-10 no open claim: ");
      assertThat(peer.ask("abort")).startsWith("-10 no open claim: ");
      assertThat(peer.ask("claim 9 513")).isEqualTo("-10 too long: length=513");
      Message message = consumer.tryPoll();
      assertThat(message.type()).isEqualTo((int) 4_000_000_000L);
      assertThat(message.getUtf8(0)).isEqualTo("hello");
      consumer.release();
      assertThat(consumer.tryPoll().length()).isZero();
      consumer.release();
      assertThat(consumer.tryPoll().length()).isEqualTo(512);
      consumer.release();
      assertThat(consumer.tryPoll()).isNull();
      assertThat(queue.metrics()).containsEntry("aborted", 1L).containsEntry("consumed", 34L);
    }
  }

  @Test
  void send_fromManyProcesses_deliversEachMessageOnceInTheOrderOfEach() throws Exception {
    List<CPeer> peers = new ArrayList<>();
    try (MessageQueue queue = open()) {
      MessageConsumer consumer = queue.newConsumer();
      MessageProducer producer = queue.newProducer();
      for (int i = 1; i < 4; i++) {
        peers.add(join());
      }
      for (int i = 0; i < peers.size(); i++) {
        peers.get(i).tell("send " + (i + 1) * RANGE + " " + MESSAGES);
      }
      for (long number = 0; number < MESSAGES; number++) {
        while (producer.tryClaim(1, (int) (16 + number % 5 * 17)) == null) {
          takeAll(consumer);
        }
        Message message = producer.at(0);
        message.putLong(0, number).putLong(message.length() - Long.BYTES, ~number);
        producer.commit();
      }
      takeUntil(consumer, () -> next[1] + next[2] + next[3] == 3 * MESSAGES);
      for (CPeer peer : peers) {
        assertThat(peer.answer()).isEqualTo("0");
      }
      takeUntil(consumer, () -> next[0] == MESSAGES);
      queue.complete();
      assertThat(peers.get(0).ask("claim 1 1")).isEqualTo("-3");
      assertThat(queue.isDrained()).isTrue();
      assertThat(queue.metrics())
          .containsEntry("committed", queue.metrics().get("consumed"))
          .containsEntry("stalled", 0L);
    } finally {
      peers.forEach(CPeer::close);
    }
  }

  @Test
  void complete_isSeenByAll_andFullIsACode() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      peer.does("claim 1 512", "commit 512", "claim 2 512", "commit 0");
      assertThat(peer.ask("claim 3 1")).isEqualTo("-1");
      MessageConsumer consumer = queue.newConsumer();
      assertThat(consumer.tryPoll().length()).isEqualTo(512);
      consumer.release();
      assertThat(consumer.tryPoll().length()).isZero();
      consumer.release();
      peer.does("claim 3 300", "abort", "claim 4 300", "complete", "commit 3", "leave");
      assertThat(queue.isCompleted()).isTrue();
      assertThat(consumer.tryPoll().type()).isEqualTo(4);
      consumer.release();
      assertThat(queue.isDrained()).isTrue();
    }
  }

  @Test
  void claim_whenItsProcessIsKilled_isGivenUp_andItsCellsAreUsedAgain() throws Exception {
    try (MessageQueue queue = open();
        CPeer other = join()) {
      MessageConsumer consumer = queue.newConsumer();
      for (int kill = 0; kill < 40; kill++) {
        try (CPeer peer = join()) {
          peer.does("claim 2 " + kill * 37 % 300, "write torn");
          other.does("send " + kill + " 1"); // behind the claim
          assertThat(consumer.tryPoll()).isNull();
          peer.kill();
        }
        long sent = kill + 1L;
        takeUntil(consumer, () -> next[0] == sent);
      }
      other.does("leave");
      fillAll(queue, consumer);
      assertThat(queue.metrics()).containsEntry("outOfUse", 0L);
    }
  }

  @Test
  void send_whenKilledAnywhere_losesNothingThatItCommitted() throws Exception {
    Random random = new Random(SEED);
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = open();
        CPeer other = join()) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      MessageConsumer consumer = queue.newConsumer();
      other.tell("send " + RANGE + " " + Integer.MAX_VALUE);
      for (int kill = 0; kill < KILLS; kill++) {
        try (CPeer peer = join()) {
          peer.does("notes " + folder.resolve("notes"));
          peer.tell("send " + next[0] + " " + Integer.MAX_VALUE);
          long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(random.nextInt(20_000));
          takeUntil(consumer, () -> System.nanoTime() >= end);
          peer.kill();
        }
        long before = next[1];
        takeUntil(consumer, () -> next[1] > before + 200); // what came before that is passed
        assertThat(next[0])
            .isBetween(
                notes.get(JAVA_LONG_UNALIGNED, Long.BYTES), notes.get(JAVA_LONG_UNALIGNED, 0));
      }
      assertThat(next[0]).isGreaterThan(KILLS);
      other.kill();
      takeUntil(consumer, queue::isEmpty);
      fillAll(queue, consumer);
    }
  }

  @Test
  void commit_afterTheStallLimit_returnsThatTheClaimWasGivenUp() throws Exception {
    try (MessageQueue queue =
            MessageQueue.mpsc(OPTIONS.withStallLimit(Duration.ofMillis(1)), file);
        CPeer peer = join();
        CPeer other = join()) {
      MessageConsumer consumer = queue.newConsumer();
      for (int i = 0; i < 2 * queue.capacity(); i++) {
        claim(peer, i * 37 % 300, consumer);
        other.tell("send " + i + " 1");
        long sent = i + 1L;
        takeUntil(consumer, () -> next[0] == sent);
        assertThat(other.answer()).isEqualTo("0");
        for (int lap = 0; lap < i % 7; lap++) { // its cells are out of use for some laps
          claim(other, 200, consumer);
          other.does("abort");
        }
        assertThat(peer.ask(i % 3 == 0 ? "abort" : "commit 0")).startsWith("-4 given up: cells=");
      }
      peer.does("claim 3 4", "commit 4");
      assertThat(consumer.tryPoll().type()).isEqualTo(3);
      consumer.release();
      fillAll(queue, consumer);
      assertThat(queue.metrics()).containsEntry("outOfUse", 0L);
      assertThat(queue.metrics().get("refused")).isPositive();
    }
  }

  private void claim(CPeer peer, int length, MessageConsumer consumer) throws IOException {
    String answer = peer.ask("claim 2 " + length);
    for (int tries = 0; answer.equals("-1") && tries < 100; tries++) {
      takeAll(consumer); // passes what holds no message
      answer = peer.ask("claim 2 " + length);
    }
    assertThat(answer).isEqualTo("0");
  }

  @Test
  void claim_whenItsLockWasLost_isGivenUp_andItsProducerFenced() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join();
        CPeer other = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.does("claim 2 40", "unlock");
      other.does("send 0 1");
      takeUntil(consumer, () -> next[0] == 1);
      assertThat(peer.ask("commit 40")).startsWith("-4 given up: cells=");
      assertThat(peer.ask("claim 2 1")).startsWith("-5 taken for dead: ");
      peer.does("leave", "join " + file + " again", "claim 3 1", "commit 1");
      assertThat(consumer.tryPoll().type()).isEqualTo(3);
      consumer.release();
      fillAll(queue, consumer);
      assertThat(queue.metrics()).containsEntry("outOfUse", 0L);
    }
  }

  @Test
  void exampleOfTheGuide_producesAMessage() throws Exception {
    String guide = Files.readString(Path.of("..", "docs", "MESSAGES.md"));
    int start = guide.indexOf("```c\n") + 5;
    Files.writeString(
        folder.resolve("hello.c"), guide.substring(start, guide.indexOf("```", start)));
    CPeer.compile(folder.resolve("hello.c"), folder.resolve("hello"));
    file = folder.resolve("relay.queue");
    try (MessageQueue queue = open()) {
      Process hello = new ProcessBuilder("./hello").directory(folder.toFile()).start();
      assertThat(new String(hello.getInputStream().readAllBytes(), UTF_8)).isEmpty();
      assertThat(hello.waitFor()).isZero();
      assertThat(queue.newConsumer().tryPoll().getUtf8(0)).isEqualTo("hello");
    }
  }

  // ---- files ----

  @Test
  void join_whenTheFileCannotBeUsed_isRefused() throws Exception {
    open().close();
    byte[] good = Files.readAllBytes(file);
    refused(good, "not a whole ring: magic=0", header -> header.putLong(0, 0));
    refused(good, "unknown version or byte order: ", header -> header.putInt(12, 1 << 24));
    refused(good, "unknown version or byte order: version=2", header -> header.putInt(12, 2));
    refused(good, "header is damaged: checksum=", header -> header.put(20, (byte) 'X'));
    refused(good, "header is damaged: checksum=17", header -> header.putInt(4092, 17));
    refused(good, "another kind: ", header -> reseal(header.put(16, (byte) 'x')));
    refused(good, "another layout: dataBytes=", header -> reseal(header.put(640, (byte) 'x')));
    refused(good, "another layout: ", header -> reseal(header.putLong(72, good.length)));
    refused(good, "cut short: bytes=", header -> reseal(header.putLong(40, good.length + 1)));
    refused(Arrays.copyOf(good, good.length - 4096), "cut short: bytes=", _ -> {});
    refused(new byte[100], "too short for a ring: bytes=100", _ -> {});
    Files.delete(file);
    try (CPeer peer = CPeer.start()) {
      assertThat(peer.ask("join " + file + " c-peer")).isEqualTo("-7 no file: errno=2");
      assertThat(peer.ask("join " + folder + " c-peer")).startsWith("-8 cannot be opened: errno=");
      MessageQueue.spsc(OPTIONS, file).close();
      assertThat(peer.ask("join " + file + " c-peer")).startsWith("-8 another kind: ");
    }
  }

  private interface Damage {
    void to(ByteBuffer header);
  }

  private static void reseal(ByteBuffer header) {
    CRC32C checksum = new CRC32C();
    checksum.update(header.slice(8, 4092 - 8));
    header.putInt(4092, (int) checksum.getValue());
  }

  private void refused(byte[] good, String reason, Damage damage) throws Exception {
    byte[] bytes = good.clone();
    damage.to(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    Files.write(file, bytes);
    try (CPeer peer = CPeer.start()) {
      assertThat(peer.ask("join " + file + " c-peer")).startsWith("-8 " + reason);
    }
  }

  @Test
  void join_whenTheFileIsDamaged_endsAndStaysInside() throws Exception {
    Path program = CPeer.compile("fuzz", "-fsanitize=address,undefined", "-fno-sanitize-recover");
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.does("send 0 14");
      takeAll(consumer);
      peer.does("send 14 4", "claim 1 30");
      peer.kill();
    }
    Process fuzz =
        new ProcessBuilder(
                program.toString(),
                file.toString(),
                folder.resolve("copy").toString(),
                KIND,
                Long.toString(SEED),
                Integer.toString(ROUNDS))
            .redirectErrorStream(true)
            .start();
    String output = new String(fuzz.getInputStream().readAllBytes(), UTF_8);
    assertThat(fuzz.waitFor()).as(output).isZero();
    assertThat(output).doesNotContain("code 0: 0 times", "code -1: 0 times", "code -9: 0 times");
  }
}
