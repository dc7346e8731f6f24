package dev.millrace.queues.messages;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.CPeer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Finds where the C header and the Java library disagree about claims among many producers: how
 * they are announced, marked, given up and refused. Skipped where there is no C compiler.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CProducersTest extends CQueueContract {
  private static final String KIND = "MessageQueue.mpsc";
  private static final int MESSAGES = 5_000; // of each producer
  private static final long RANGE = 1L << 32; // of the numbers of each producer

  private final long[] next = new long[8]; // by producer

  CProducersTest() {
    super(KIND);
  }

  @Override
  MessageQueue open() throws IOException {
    return MessageQueue.mpsc(OPTIONS, file);
  }

  @Override
  void takeFirst(MessageConsumer consumer) {
    takeAll(consumer);
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
        assertThat(peer.answer()).isEqualTo("0 done: ");
      }
      takeUntil(consumer, () -> next[0] == MESSAGES);
      queue.complete();
      assertThat(peers.get(0).ask("claim 1 1"))
          .isEqualTo("-3 queue is completed, it takes no more messages: ");
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
      assertThat(peer.ask("claim 3 1")).isEqualTo("-1 queue is full: ");
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
        assertThat(other.answer()).isEqualTo("0 done: ");
        for (int lap = 0; lap < i % 7; lap++) { // its cells are out of use for some laps
          claim(other, 200, consumer);
          other.does("abort");
        }
        assertThat(peer.ask(i % 3 == 0 ? "abort" : "commit 0"))
            .isEqualTo(
                "-4 claim was given up, so its message is lost: claim was given up, because it was"
                    + " open for longer than the stall limit, or another process took this one for"
                    + " dead: "
                    + file);
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
    for (int tries = 0; answer.startsWith("-1 ") && tries < 100; tries++) {
      takeAll(consumer); // passes what holds no message
      answer = peer.ask("claim 2 " + length);
    }
    assertThat(answer).isEqualTo("0 done: ");
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
      assertThat(queue.metrics()).containsEntry("outOfUse", 3L);
      assertThat(peer.ask("commit 40")).startsWith("-4 claim was given up");
      assertThat(peer.ask("claim 2 1")).startsWith("-5 taken for dead by another process: ");
      peer.does("leave", "join " + file + " " + KIND + " again", "claim 3 1", "commit 1");
      assertThat(consumer.tryPoll().type()).isEqualTo(3);
      consumer.release();
      fillAll(queue, consumer);
      assertThat(queue.metrics()).containsEntry("outOfUse", 0L);
    }
  }
}
