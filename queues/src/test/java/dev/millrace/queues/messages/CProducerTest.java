package dev.millrace.queues.messages;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.queues.CPeer;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Finds where the C header and the Java library disagree about a queue's file, and where a producer
 * that the library's own code did not write breaks the queue: when it is killed, when it is taken
 * for dead, and when the file is damaged. Skipped where there is no C compiler.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CProducerTest extends CQueueContract {
  private static final String KIND = "MessageQueue.spsc";
  private static final int MESSAGES = 20_000;

  CProducerTest() {
    super(KIND);
  }

  @Override
  MessageQueue open() throws IOException {
    return MessageQueue.spsc(OPTIONS, file);
  }

  @Override
  void takeFirst(MessageConsumer consumer) {
    takeAll(consumer, 0);
  }

  /** Takes all messages that are there, which must have the numbers that follow. */
  private static long takeAll(MessageConsumer consumer, long first) {
    long next = first;
    for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
      assertThat(message.getLong(0)).isEqualTo(next);
      assertThat(message.length()).isEqualTo((int) (16 + next % 5 * 17));
      assertThat(message.getLong(message.length() - Long.BYTES)).isEqualTo(~next);
      consumer.release();
      next++;
    }
    return next;
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
      assertThat(peer.ask("claim 9 1"))
          .isEqualTo(
              "-10 argument out of range, no open claim, or a claim is already open: a claim is"
                  + " already open, commit or abort it first: "
                  + file);
      peer.does("commit 512");
      assertThat(peer.ask("commit 0")).endsWith("no open claim: " + file);
      assertThat(peer.ask("claim 9 513")).endsWith("length must be in 0..512: length=513");
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
  void claim_whenFull_returnsFull_untilTheConsumerReleases() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.does("claim 1 512", "commit 512", "claim 2 500", "commit 500");
      assertThat(peer.ask("claim 3 1")).isEqualTo("-1 queue is full: ");
      assertThat(consumer.tryPoll().type()).isEqualTo(1);
      assertThat(peer.ask("claim 3 1")).isEqualTo("-1 queue is full: ");
      consumer.release();
      peer.does("claim 3 1", "commit 1");
      assertThat(consumer.tryPoll().type()).isEqualTo(2);
      consumer.release();
      assertThat(consumer.tryPoll().type()).isEqualTo(3);
    }
  }

  @Test
  void send_manyLaps_deliversEachMessageOnceInOrder() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.tell("send 0 " + MESSAGES);
      long next = 0;
      while (!peer.hasAnswered()) {
        next = takeAll(consumer, next);
      }
      assertThat(peer.answer()).isEqualTo("0 done: ");
      assertThat(takeAll(consumer, next)).isEqualTo(MESSAGES);
      peer.does("complete");
      assertThat(peer.ask("claim 1 1"))
          .isEqualTo("-3 queue is completed, it takes no more messages: ");
      assertThat(queue.isDrained()).isTrue();
      assertThat(queue.metrics()).containsEntry("committed", queue.metrics().get("consumed"));
    }
  }

  @Test
  void complete_whileAClaimIsOpen_letsItBeCommitted() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.does("claim 1 4", "complete");
      assertThat(queue.isDrained()).isFalse();
      peer.does("commit 4", "leave");
      assertThat(consumer.tryPoll()).isNotNull();
      consumer.release();
      assertThat(queue.isDrained()).isTrue();
      Throws.illegalState("queue is completed...", () -> queue.newProducer().tryClaim(1, 1));
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
      assertThat(new String(hello.getInputStream().readAllBytes(), UTF_8)).isEqualTo("done: \n");
      assertThat(hello.waitFor()).isZero();
      assertThat(queue.newConsumer().tryPoll().getUtf8(0)).isEqualTo("hello");
    }
  }

  // ---- places ----

  @Test
  void join_whileAnotherLives_isRefused_onBothSides() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = CPeer.start()) {
      MessageProducer producer = queue.newProducer();
      assertThat(peer.ask("join " + file + " " + KIND + " c-peer"))
          .isEqualTo(
              "-6 no place for another producer: there is a producer already: pid=%d, %s"
                  .formatted(ProcessHandle.current().pid(), file));
      producer.tryClaim(1, 4).putInt(0, 17);
      producer.commit();
      producer.close();
      peer.does("join " + file + " " + KIND + " c-peer");
      Throws.illegalState(
          "there is a producer already: pid=%d, name=\"c-peer\", started=2..."
              .formatted(peer.pid()),
          queue::newProducer);
      peer.does("claim 2 4", "commit 4", "claim 3 4", "leave");
      MessageConsumer consumer = queue.newConsumer();
      assertThat(consumer.tryPoll().getInt(0)).isEqualTo(17);
      consumer.release();
      assertThat(consumer.tryPoll().type()).isEqualTo(2);
      consumer.release();
      MessageProducer next = queue.newProducer();
      assertThat(next.tryClaim(4, 4)).isNotNull();
      next.commit();
      assertThat(consumer.tryPoll().type()).isEqualTo(4); // the claim left open was aborted
    }
  }

  @Test
  void claim_whenItsLockWasLost_isFenced_andItsPlaceIsKeptUntilItLeaves() throws Exception {
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      peer.does("claim 1 4", "unlock");
      Throws.illegalState(
          "there is a producer already: ..., dead, but its process runs...", queue::newProducer);
      peer.does("commit 4");
      assertThat(peer.ask("claim 1 4"))
          .isEqualTo(
              "-5 taken for dead by another process: taken for dead by another process, since its"
                  + " lock was lost: participant 0, "
                  + file);
      peer.does("leave", "join " + file + " " + KIND + " again", "claim 2 4", "commit 4");
      MessageConsumer consumer = queue.newConsumer();
      assertThat(consumer.tryPoll().type()).isEqualTo(1);
      consumer.release();
      assertThat(consumer.tryPoll().type()).isEqualTo(2);
    }
  }

  // ---- kills ----

  @Test
  void join_whenTheLastOneWasKilledInAClaim_takesItsPlaceAtOnce() throws Exception {
    try (MessageQueue queue = open()) {
      MessageConsumer consumer = queue.newConsumer();
      long next = 0;
      for (int number = 0; number < 3 * queue.capacity(); number++) {
        try (CPeer peer = join()) {
          peer.does("send " + number + " 1", "claim 2 " + number * 37 % 300, "write torn");
          peer.kill();
        }
        if (number % 3 == 0) { // else the next one also finds the last one's messages
          next = takeAll(consumer, next);
          assertThat(next).isEqualTo(number + 1);
        }
      }
      takeAll(consumer, next);
      MessageProducer producer = queue.newProducer();
      for (int i = 0; i < 2 * queue.capacity(); i++) { // all cells can be used again
        assertThat(producer.tryClaim(1, queue.maxLength())).isNotNull();
        producer.commit();
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
      }
    }
  }

  @Test
  void send_whenKilledAnywhere_losesNothingThatItCommitted() throws Exception {
    Random random = new Random(SEED);
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = open()) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      MessageConsumer consumer = queue.newConsumer();
      long next = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        try (CPeer peer = join()) {
          peer.does("notes " + folder.resolve("notes"));
          peer.tell("send " + next + " " + Integer.MAX_VALUE);
          long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(random.nextInt(20_000));
          while (System.nanoTime() < end) {
            next = takeAll(consumer, next);
          }
          peer.kill();
        }
        next = takeAll(consumer, next);
        long begun = notes.get(JAVA_LONG_UNALIGNED, 0);
        long committed = notes.get(JAVA_LONG_UNALIGNED, Long.BYTES);
        assertThat(next).isBetween(committed, begun);
      }
      assertThat(next).isGreaterThan(KILLS);
    }
  }

  @Test
  void join_whenAJvmWasKilledAtAnyStep_goesOnBehindWhatItCommitted() throws Exception {
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = MessageQueue.spsc(KilledPeer.OPTIONS, file)) {
      Path path = folder.resolve("notes");
      MemorySegment notes = KilledPeer.notes(path, arena);
      MessageConsumer consumer = queue.newConsumer();
      for (int step = 20; step < 200; step += 37) {
        Process jvm = SteppingJvm.start(KilledPeer.class, "spsc producer", file, path, step);
        while (!jvm.inputReader().ready() && jvm.isAlive()) {
          takeJava(consumer);
          LockSupport.parkNanos(100_000);
        }
        assertThat(jvm.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
        takeJava(consumer);
        try (CPeer peer = join()) {
          peer.does("send 0 10", "leave");
          assertThat(takeAll(consumer, 0)).isEqualTo(10);
        }
      }
      assertThat(KilledPeer.note(notes, KilledPeer.DONE)).isPositive();
    }
  }

  private static void takeJava(MessageConsumer consumer) {
    for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
      assertThat(message.getLong(message.length() - Long.BYTES)).isEqualTo(-message.getLong(0));
      consumer.release();
    }
  }

  // ---- files ----

  @Test
  void join_whenTheFileCannotBeUsed_saysWhatTheLibrarySays() throws Exception {
    open().close();
    byte[] good = Files.readAllBytes(file);
    refused(good, header -> header.putLong(0, 0));
    refused(good, header -> header.putInt(8, 0x04030201));
    refused(good, header -> header.putInt(12, 2));
    refused(good, header -> header.put(20, (byte) 'X'));
    refused(good, header -> header.putInt(4092, 17));
    refused(good, header -> reseal(header.put(33, (byte) 'x')));
    refused(good, header -> reseal(header.putLong(40, good.length + 4096)));
    Files.write(file, Arrays.copyOf(good, good.length - 4096));
    refused();
    Files.write(file, new byte[100]);
    refused();
    Files.delete(file);
    try (CPeer peer = CPeer.start()) {
      assertThat(peer.ask("join " + file + " " + KIND + " c-peer"))
          .isEqualTo("-7 no such file: " + file + ": no such file");
      assertThat(peer.ask("join " + folder + " " + KIND + " c-peer")).startsWith("-8 ");
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

  private void refused(byte[] good, Damage damage) throws Exception {
    byte[] bytes = good.clone();
    damage.to(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()));
    Files.write(file, bytes);
    refused();
  }

  private void refused() throws Exception {
    String expected = catchThrowableOfType(IOException.class, this::open).getMessage();
    try (CPeer peer = CPeer.start()) {
      String answer = peer.ask("join " + file + " " + KIND + " c-peer");
      assertThat(answer).startsWith("-8 file cannot be used: ");
      assertThat(expected).startsWith(answer.substring("-8 file cannot be used: ".length()));
    }
  }
}
