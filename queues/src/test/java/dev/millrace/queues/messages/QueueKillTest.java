package dev.millrace.queues.messages;

import static dev.millrace.queues.messages.KilledPeer.BEGUN;
import static dev.millrace.queues.messages.KilledPeer.DONE;
import static dev.millrace.queues.messages.KilledPeer.GIVEN;
import static dev.millrace.queues.messages.KilledPeer.GIVING;
import static dev.millrace.queues.messages.KilledPeer.RELEASED;
import static dev.millrace.queues.messages.KilledPeer.RELEASING;
import static dev.millrace.queues.messages.KilledPeer.check;
import static dev.millrace.queues.messages.KilledPeer.length;
import static dev.millrace.queues.messages.KilledPeer.note;
import static dev.millrace.queues.messages.KilledPeer.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills producers and consumers of a queue in a file at their steps, one after the other. Finds
 * what a kill leaves that the scenarios of shared queues do not model: the kernel's locks, stores
 * of a process that has ended, and a file that is mapped again.
 *
 * <p>All tests together kill at least 96 processes; {@code -Dmillrace.queueKills=N} asks for more.
 */
@Timeout(value = 1_800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueKillTest {
  private static final int ROLES = 8;
  private static final int KILLS = Integer.getInteger("millrace.queueKills", 96) / ROLES; // of each
  private static final int PRODUCER_STRIDE = 29; // steps, so that few kills also hit open claims
  private static final int CONSUMER_STRIDE = 47; // steps, so that few kills also hit open polls
  private static final int STEPS = 200; // that a process takes, about

  private static final int OWN = 2; // the type of this process's messages

  @TempDir Path folder;

  private Process start(String role, int kill) throws IOException {
    int stride = role.contains("producer") ? PRODUCER_STRIDE : CONSUMER_STRIDE;
    return SteppingJvm.start(
        KilledPeer.class,
        role,
        folder.resolve("queue"),
        folder.resolve("notes"),
        1 + kill * stride % STEPS);
  }

  @Test
  void producer_whenKilledAtAnyStep_losesNothingThatItCommitted() throws Exception {
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = MessageQueue.spsc(KilledPeer.OPTIONS, folder.resolve("queue"))) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      MessageConsumer consumer = queue.newConsumer();
      long[] next = new long[1];
      int ended = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        Process process = start("spsc producer", kill);
        boolean hasEnded = KilledPeer.killWhenStopped(process, () -> takeAll(consumer, next));
        ended += hasEnded ? 1 : 0;
        takeAll(consumer, next);
        assertThat(next[0]).isBetween(note(notes, DONE), note(notes, BEGUN));
        next[0] = note(notes, BEGUN); // where the next one goes on
        note(notes, DONE, next[0]);
      }
      assertThat(ended).as("that were not killed").isLessThan(KILLS / 4);
      MessageProducer producer = queue.newProducer();
      for (int i = 0; i < 2 * queue.capacity(); i++) { // all cells are used again
        assertThat(producer.tryClaim(1, queue.maxLength())).isNotNull();
        producer.commit();
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
      }
      producer.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mpsc producer", "mpmc producer"})
  void producerOfMany_whenKilledAtAnyStep_holdsUpNoOther(String role) throws Exception {
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = KilledPeer.open(role, folder.resolve("queue"))) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      MessageConsumer consumer = queue.newConsumer();
      MessageProducer producer = queue.newProducer();
      long[] next = new long[1];
      long[] own = new long[2]; // sent and come
      Runnable meanwhile =
          () -> {
            if (producer.tryClaim(OWN, 40) != null) {
              producer.at(0).putLong(0, own[0]++);
              producer.commit();
            }
            takeAll(consumer, next, own);
          };
      for (int kill = 0; kill < Math.max(KILLS, 30); kill++) { // fewer may all miss an open claim
        boolean _ = KilledPeer.killWhenStopped(start(role, kill), meanwhile);
        do { // until what the dead had claimed is passed
          meanwhile.run();
        } while (own[1] < own[0]);
        assertThat(next[0]).isBetween(note(notes, DONE), note(notes, BEGUN));
        next[0] = note(notes, BEGUN); // where the next one goes on
        note(notes, DONE, next[0]);
      }
      for (int i = 0; i < 4 * queue.capacity(); i++) { // all cells are used again
        assertThat(producer.tryClaim(OWN, queue.maxLength())).isNotNull();
        producer.at(0).putLong(0, own[0]++);
        producer.commit();
        takeAll(consumer, next, own);
        assertThat(own[1]).isEqualTo(own[0]);
      }
      assertThat(queue.metrics()).containsEntry("outOfUse", 0L);
      assertThat(queue.metrics().get("stalled")).as("claims of the dead").isPositive();
      producer.close();
    }
  }

  private static void takeAll(MessageConsumer consumer, long[] next, long[] own) {
    for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
      if (message.type() == OWN) {
        assertThat(message.getLong(0)).isEqualTo(own[1]++);
      } else {
        assertThat(check(message, next[0], next[0])).isEqualTo(next[0]++);
      }
      consumer.release();
    }
  }

  private static void takeAll(MessageConsumer consumer, long[] next) {
    for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
      assertThat(check(message, next[0], next[0])).isEqualTo(next[0]++);
      consumer.release();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"spsc consumer", "mpsc consumer"})
  void consumer_whenKilledAtAnyStep_hasEachMessageReleasedOnce(String role) throws Exception {
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = KilledPeer.open(role, folder.resolve("queue"))) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      long[] sent = new long[1];
      killConsumers(queue, role, sent);
      // a release that was begun may have been done
      assertThat(note(notes, RELEASED)).isLessThanOrEqualTo(note(notes, RELEASING));
      MessageConsumer consumer = queue.newConsumer();
      long[] next = {Long.MIN_VALUE};
      for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
        long number = check(message, Math.max(next[0], note(notes, BEGUN)), note(notes, RELEASED));
        assertThat(next[0] < 0 || number == next[0]).isTrue();
        next[0] = number + 1;
        consumer.release();
      }
      assertThat(next[0] < 0 ? note(notes, BEGUN) : next[0]).isEqualTo(sent[0]);
      assertThat(queue.metrics().get("repeated")).isPositive();
      assertThat(queue.metrics().get("lost")).isZero();
    }
  }

  @Test
  void consumerWithoutRepeats_whenKilledAtAnyStep_hasEachMessageReleasedOrLost() throws Exception {
    String role = "spsc consumer lossy";
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = KilledPeer.open(role, folder.resolve("queue"))) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      long[] sent = new long[1];
      killConsumers(queue, role, sent);
      MessageConsumer consumer = queue.newConsumer();
      long rest = 0;
      for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
        long number =
            check(message, KilledPeer.expected(message, notes, true), note(notes, RELEASED));
        assertThat(message.isRepeated()).isFalse();
        assertThat(number).isGreaterThanOrEqualTo(note(notes, BEGUN));
        rest++;
        consumer.release();
      }
      long lost = queue.metrics().get("lost");
      assertThat(sent[0] - rest - lost).isBetween(note(notes, GIVEN), note(notes, GIVING));
      assertThat(lost).isPositive();
      assertThat(queue.metrics().get("repeated")).isZero();
    }
  }

  /** Meanwhile this process consumes as well, so it finds what the dead have in hand. */
  @ParameterizedTest
  @ValueSource(strings = {"mpmc consumer", "mpmc consumer lossy"})
  void consumerOfMany_whenKilledAtAnyStep_hasEachMessageReleasedOnce(String role) throws Exception {
    boolean repeats = !role.endsWith("lossy");
    try (Arena arena = Arena.ofShared();
        MessageQueue queue = KilledPeer.open(role, folder.resolve("queue"))) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      MessageProducer producer = queue.newProducer();
      MessageConsumer consumer = queue.newConsumer();
      long[] sent = new long[1];
      long[] taken = new long[1];
      Runnable takeOne =
          () -> {
            Message message = consumer.tryPoll();
            if (message != null) {
              long _ = KilledPeer.take(notes, message);
              consumer.release();
              taken[0]++;
            }
          };
      Runnable meanwhile =
          () -> {
            put(producer, sent);
            if (sent[0] % 8 == 0) {
              takeOne.run();
            }
          };
      for (int kill = 0; kill < Math.max(KILLS, 16); kill++) { // fewer may all miss an open poll
        boolean _ = KilledPeer.killWhenStopped(start(role, kill), meanwhile);
      }
      while (queue.sizeEstimate() > 0) { // until all of the dead are found
        takeOne.run();
      }
      long given = 0;
      long giving = 0;
      for (long number = 0; number < sent[0]; number++) {
        given += KilledPeer.fate(notes, number) == KilledPeer.GIVEN_BACK ? 1 : 0;
        giving += KilledPeer.fate(notes, number) == KilledPeer.GIVING_IT ? 1 : 0;
      }
      long lost = queue.metrics().get("lost");
      assertThat(sent[0] - taken[0] - lost).isBetween(given, given + giving);
      assertThat(queue.metrics().get(repeats ? "repeated" : "lost")).isPositive();
      assertThat(queue.metrics().get(repeats ? "lost" : "repeated")).isZero();
      for (int i = 0; i < 4 * queue.capacity(); i++) { // all cells are used again
        assertThat(producer.tryClaim(OWN, queue.maxLength())).isNotNull();
        producer.commit();
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
      }
      producer.close();
    }
  }

  private void killConsumers(MessageQueue queue, String role, long[] sent) throws Exception {
    try (MessageProducer producer = queue.newProducer()) {
      for (int kill = 0; kill < KILLS; kill++) {
        boolean _ = KilledPeer.killWhenStopped(start(role, kill), () -> put(producer, sent));
      }
    }
  }

  private static void put(MessageProducer producer, long[] sent) {
    Message message = producer.tryClaim(1, length(sent[0]));
    if (message != null) {
      write(message, sent[0]);
      producer.commit();
      sent[0]++;
    }
  }
}
