package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.shared.FileOptions;
import dev.millrace.queues.internal.shared.RingSpec;
import dev.millrace.queues.internal.shared.SharedFile;
import dev.millrace.queues.messages.MessageObserver.Participant;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds an observer that shows a torn message, one twice or in another order, that consumes or
 * changes something, or that counts wrongly what it has not seen.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageObserverTest {
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  private static final QueueOptions LARGE = QueueOptions.ofCapacity(1 << 17);
  private static final int LEAST_LENGTH = 8_000;
  private static final int SEEN = 1_000; // messages under load

  @TempDir Path folder;
  private Path path;
  private MessageQueue queue;
  private MessageProducer producer;
  private MessageConsumer consumer;

  @BeforeEach
  void open() throws IOException {
    path = folder.resolve("queue");
    queue = MessageQueue.spsc(OPTIONS, path);
    producer = queue.newProducer(() -> 5);
    consumer = queue.newConsumer();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void put(int number) {
    producer.tryClaim(number, 20).putInt(16, number);
    producer.commit();
  }

  private void take() {
    assertThat(consumer.tryPoll()).isNotNull();
    consumer.release();
  }

  private static void shows(MessageObserver observer, int number, long sequence) {
    Message message = observer.tryPoll();
    assertThat(message.type()).isEqualTo(number);
    assertThat(message.length()).isEqualTo(20);
    assertThat(message.getInt(16)).isEqualTo(number);
    assertThat(message.hasTime()).isTrue();
    assertThat(message.time()).isEqualTo(5);
    assertThat(observer.sequence()).isEqualTo(sequence);
  }

  @Test
  void tryPoll_showsWhatIsNotReleased_onceEach_andConsumesNothing() throws IOException {
    put(1);
    take();
    put(2);
    put(3);
    try (MessageObserver observer = MessageObserver.open(path)) {
      assertThat(observer.sequence()).isEqualTo(-1);
      shows(observer, 2, 2);
      shows(observer, 3, 4);
      assertThat(observer.tryPoll()).isNull();
      put(4);
      shows(observer, 4, 6);
      assertThat(observer.unseenCells()).isZero();
      for (int i = 0; i < 3; i++) {
        put(5 + i);
      }
      for (int i = 0; i < 5; i++) {
        take();
      }
      shows(observer, 7, 12);
      assertThat(observer.unseenCells()).isEqualTo(4);
      assertThat(observer.tryPoll()).isNull();
    }
    byte[] before = Files.readAllBytes(path);
    try (MessageObserver observer = MessageObserver.open(path)) {
      shows(observer, 7, 12);
      assertThat(observer.participants()).hasSize(2);
      assertThat(observer.metrics()).containsEntry("size", 2L).containsEntry("consumed", 12L);
    }
    assertThat(Files.readAllBytes(path)).isEqualTo(before);
  }

  @Test
  void positions_sayWhatIsOpen() throws IOException {
    try (MessageObserver observer = MessageObserver.open(path)) {
      assertThat(observer).hasToString("MessageObserver[%s, MessageQueue.spsc]".formatted(path));
      assertThat(observer.capacity()).isEqualTo(64);
      assertThat(observer.maxLength()).isEqualTo(512);
      assertThat(observer.sizeBytes()).isEqualTo(Files.size(path));
      assertThat(observer.creator()).isEqualTo(ProcessHandle.current().pid());
      assertThat(observer.isRepeating()).isTrue();
      assertThat(observer.isInPlace()).isTrue();
      put(1);
      put(2);
      assertThat(producer.tryClaim(3, 40)).isNotNull();
      assertThat(consumer.tryPoll()).isNotNull();
      assertThat(List.of(observer.head(), observer.taken(), observer.tail()))
          .containsExactly(0L, 2L, 7L);
      assertThat(observer.openCells()).isEqualTo(3);
      shows(observer, 1, 0);
      shows(observer, 2, 2);
      assertThat(observer.tryPoll()).as("behind an open claim").isNull();
      producer.abort();
      put(4);
      shows(observer, 4, 7);
      assertThat(observer.openCells()).isZero();
      consumer.release();
      take();
      queue.complete();
      assertThat(observer.isCompleted()).isTrue();
      assertThat(observer.isDrained()).isTrue();
      assertThat(observer.head()).isEqualTo(4);
    }
  }

  @Test
  void tryPoll_ofManyProducers_waitsForAnOpenClaim_andPassesAnAbortedOne() throws IOException {
    Path file = folder.resolve("many");
    try (MessageQueue many = MessageQueue.mpsc(OPTIONS, file);
        MessageProducer one = many.newProducer(() -> 5);
        MessageProducer two = many.newProducer(() -> 5);
        MessageObserver observer = MessageObserver.open(file)) {
      assertThat(observer.kind()).isEqualTo("MessageQueue.mpsc");
      assertThat(one.tryClaim(1, 20)).isNotNull();
      two.tryClaim(2, 20).putInt(16, 2);
      two.commit();
      assertThat(observer.openCells()).isEqualTo(4);
      assertThat(observer.tryPoll()).as("behind an open claim").isNull();
      one.abort();
      shows(observer, 2, 2);
      assertThat(observer.openCells()).isZero();
      assertThat(observer.metrics()).containsEntry("aborted", 2L).containsEntry("committed", 2L);
      assertThat(observer.participants())
          .extracting(Participant::role)
          .containsExactly("producer", "producer");
      many.complete();
      assertThat(observer.isDrained()).isTrue();
    }
  }

  @Test
  void participants_areNamed_andMayLeaveAndEnterMeanwhile() throws IOException {
    try (MessageObserver observer = MessageObserver.open(path)) {
      List<Participant> both = observer.participants();
      assertThat(both).extracting(Participant::role).containsExactly("producer", "consumer");
      Participant first = both.getFirst();
      assertThat(first.entry()).isZero();
      assertThat(first.pid()).isEqualTo(ProcessHandle.current().pid());
      assertThat(first.isAlive()).isTrue();
      producer.close();
      assertThat(observer.participants()).extracting(Participant::role).containsExactly("consumer");
      producer = queue.newProducer(() -> 5);
      assertThat(observer.participants()).hasSize(2).allMatch(Participant::isAlive);
      assertThat(observer.participants().getFirst().name())
          .isEqualTo(Thread.currentThread().getName());
    }
  }

  // ---- under load ----

  /** Long messages, so that many copies are overtaken. */
  @Test
  void tryPoll_underLoad_showsNothingTorn_andMissesNothingUncounted() throws Exception {
    queue.close();
    Files.delete(path);
    queue = MessageQueue.spsc(LARGE, path);
    producer = queue.newProducer();
    consumer = queue.newConsumer();
    AtomicBoolean isOver = new AtomicBoolean();
    CompletableFuture<Void> sender = start(() -> send(isOver));
    CompletableFuture<Void> receiver = start(this::receive);
    try (MessageObserver observer = MessageObserver.open(path)) {
      long start = observer.head();
      long end = start;
      long cells = 0;
      for (int seen = 0; seen < SEEN || observer.unseenCells() == 0; ) {
        Message message = observer.tryPoll();
        if (message != null) {
          assertThat(observer.sequence()).isGreaterThanOrEqualTo(end);
          checkWhole(message);
          long its = (message.length() + 15L) / MessageQueue.CELL_BYTES;
          end = observer.sequence() + its;
          cells += its;
          seen++;
        }
        assertThat(sender).isNotDone();
        assertThat(receiver).isNotDone();
      }
      // the others are cells that were aborted at the end of the memory
      assertThat(end - start - cells - observer.unseenCells()).isBetween(0L, (end - start) / 2);
    } finally {
      isOver.set(true);
    }
    sender.get();
    receiver.get();
  }

  private static CompletableFuture<Void> start(Runnable task) {
    return CompletableFuture.runAsync(task, it -> Thread.ofPlatform().daemon().start(it));
  }

  private static int length(int number) {
    return LEAST_LENGTH + number % 29 * 800;
  }

  private void send(AtomicBoolean isOver) {
    int number = 0;
    while (!isOver.get()) {
      Message message = producer.tryClaim(number, length(number));
      if (message == null) {
        Thread.onSpinWait();
        continue;
      }
      for (int at = 0; at < length(number); at += 8) {
        message.putLong(at, number);
      }
      producer.commit();
      number++;
    }
    queue.complete();
  }

  /** Has some messages in hand for long enough to be seen. */
  private void receive() {
    for (long round = 0; !consumer.isDrained(); round++) {
      if (consumer.tryPoll() != null) {
        LockSupport.parkNanos(round % 3 * 100_000);
        consumer.release();
      }
    }
  }

  private static void checkWhole(Message message) {
    int number = message.type();
    boolean isWhole = message.length() == length(number);
    for (int at = 0; isWhole && at < message.length(); at += 8) {
      isWhole = message.getLong(at) == number;
    }
    assertThat(isWhole).as("whole: %d", number).isTrue();
  }

  @Test
  void open_whatIsNoQueue_saysWhy() throws IOException {
    Path none = folder.resolve("none");
    Throws.a(NoSuchFileException.class, none + "", () -> MessageObserver.open(none));
    Throws.a(
        IOException.class, folder + ": not a regular file", () -> MessageObserver.open(folder));
    Files.write(none, new byte[5_000]);
    Throws.a(
        IOException.class,
        none + ": still being made, or never completed: magic=0",
        () -> MessageObserver.open(none));
    Path other = folder.resolve("other");
    RingSpec spec = new RingSpec("RecordRing", new TreeMap<>(), 2, 0, 100, "slots");
    SharedFile.create(other, spec, FileOptions.defaults(), _ -> {}).close();
    Throws.a(
        IOException.class,
        other + ": not a queue of messages: kind=RecordRing",
        () -> MessageObserver.open(other));
    RingSpec odd =
        new RingSpec(
            "MessageQueue.spsc", new TreeMap<>(Map.of("capacity", 100L)), 2, 0, 100, "cells");
    Files.delete(other);
    SharedFile.create(other, odd, FileOptions.defaults(), _ -> {}).close();
    Throws.a(IOException.class, other + ": ...", () -> MessageObserver.open(other));
    Throws.nullArgument("file", () -> MessageObserver.open(null));
  }
}
