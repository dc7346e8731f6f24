package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.queues.QueueOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A queue in a file whose consumers share its messages, in two queues that stand for processes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedConsumersTest {
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 12);
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final int PLACES = 63;

  @TempDir Path folder;
  private Path path;
  private MessageQueue queue;
  private MessageQueue other;
  private MessageProducer producer;

  @BeforeEach
  void open() throws IOException {
    path = folder.resolve("queue");
    queue = MessageQueue.mpmc(OPTIONS, path);
    other = MessageQueue.mpmc(OPTIONS, path);
    producer = queue.newProducer();
  }

  @AfterEach
  void close() {
    queue.close();
    other.close();
  }

  private void put(int count) {
    for (int i = 0; i < count; i++) {
      producer.tryClaim(i, 20).putInt(16, i);
      producer.commit();
    }
  }

  /** Takes messages one by one until none comes; says which came, and which of them again. */
  private static List<String> takeAll(MessageConsumer consumer) throws InterruptedException {
    List<String> come = new ArrayList<>();
    for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
      assertThat(message.getInt(16)).isEqualTo(message.type());
      come.add(message.type() + (message.isRepeated() ? " again" : ""));
      consumer.release();
    }
    return come;
  }

  @Test
  void poll_ofSeveralConsumers_takesEachMessageOnce() throws Exception {
    MessageConsumer first = queue.newConsumer();
    MessageConsumer second = other.newConsumer();
    put(5);
    assertThat(first.tryPoll(2)).isEqualTo(2);
    assertThat(second.tryPoll(2)).isEqualTo(2);
    assertThat(second.at(1).type()).isEqualTo(3);
    second.release();
    assertThat(queue.sizeEstimate()).as("until the first ones are released").isEqualTo(10);
    assertThat(second.tryPoll().type()).isEqualTo(4);
    second.release();
    assertThat(first.at(0).isRepeated()).isFalse();
    first.release();
    assertThat(queue.sizeEstimate()).isZero();
    assertThat(queue.metrics()).containsEntry("repeated", 0L).containsEntry("inHand", 0L);
  }

  @Test
  void messages_ofAConsumerThatIsGone_goToOneThatIsThere() throws Exception {
    MessageConsumer gone = other.newConsumer();
    MessageConsumer consumer = queue.newConsumer();
    put(4);
    assertThat(gone.tryPoll(3)).isEqualTo(3);
    assertThat(consumer.tryPoll().type()).isEqualTo(3);
    consumer.release();
    assertThat(consumer.poll(Duration.ofMillis(5))).as("in hand of one that is there").isNull();
    other.close();
    Message message = consumer.poll(SOON);
    assertThat(message.type()).isZero();
    assertThat(message.isRepeated()).isTrue();
    consumer.release();
    assertThat(takeAll(consumer)).containsExactly("1 again", "2 again");
    put(1);
    assertThat(takeAll(consumer)).containsExactly("0");
    assertThat(queue.metrics()).containsEntry("repeated", 3L).containsEntry("lost", 0L);
    assertThat(queue.sizeEstimate()).isZero();
  }

  @Test
  void runOfMessages_ofAConsumerThatIsGone_comesAsARun() throws Exception {
    MessageConsumer gone = other.newConsumer();
    put(4);
    assertThat(gone.tryPoll(3)).isEqualTo(3);
    other.close();
    MessageConsumer consumer = queue.newConsumer();
    assertThat(consumer.tryPoll(9)).isEqualTo(1);
    consumer.release();
    assertThat(consumer.poll(2)).isEqualTo(2);
    assertThat(consumer.at(1).type()).isEqualTo(1);
    assertThat(consumer.at(0).isRepeated()).isTrue();
    consumer.release();
    assertThat(consumer.poll(2)).isEqualTo(1);
    assertThat(consumer.at(0).type()).isEqualTo(2);
    queue.close(); // with this one in hand
    try (MessageQueue last = MessageQueue.mpmc(OPTIONS, path)) {
      assertThat(takeAll(last.newConsumer())).containsExactly("2 again");
      assertThat(last.metrics()).containsEntry("repeated", 4L);
    }
  }

  @Test
  void isDrained_whileAnotherHasMessagesInHand_isFalse() throws Exception {
    MessageConsumer consumer = queue.newConsumer();
    MessageConsumer gone = other.newConsumer();
    put(1);
    assertThat(gone.tryPoll()).isNotNull();
    queue.complete();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(consumer.isDrained()).isFalse();
    other.close();
    assertThat(consumer.isDrained()).isFalse();
    assertThat(consumer.poll().isRepeated()).isTrue();
    consumer.release();
    assertThat(consumer.poll()).isNull();
    assertThat(consumer.isDrained()).isTrue();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void newConsumer_whenThoseThatAreGoneHaveLeftNoPlace_takesOneOver() throws Exception {
    put(PLACES);
    producer.close();
    for (int i = 0; i < PLACES; i++) {
      assertThat(other.newConsumer().tryPoll()).isNotNull();
    }
    assertThatThrownBy(queue::newConsumer)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no room for another participant");
    other.close();
    MessageConsumer consumer = queue.newConsumer();
    for (int i = 0; i < PLACES; i++) {
      assertThat(consumer.poll(SOON).isRepeated()).isTrue();
      consumer.release();
    }
    assertThat(consumer.tryPoll()).isNull();
    assertThat(queue.sizeEstimate()).isZero();
    put(queue.newProducer());
    assertThat(takeAll(consumer)).containsExactly("7");
    try (MessageObserver observer = MessageObserver.open(path)) {
      assertThat(observer.participants()).hasSize(2);
    }
  }

  private static void put(MessageProducer end) {
    end.tryClaim(7, 20).putInt(16, 7);
    end.commit();
  }

  @Test
  void observer_showsWhatIsNotReleased_alsoBehindAMessageInHand() throws Exception {
    MessageConsumer first = queue.newConsumer();
    MessageConsumer second = other.newConsumer();
    put(4);
    assertThat(first.tryPoll().type()).isZero();
    assertThat(second.tryPoll().type()).isEqualTo(1);
    second.release();
    try (MessageObserver observer = MessageObserver.open(path)) {
      assertThat(observer.kind()).isEqualTo("MessageQueue.mpmc");
      List<Integer> shown = new ArrayList<>();
      for (Message message = observer.tryPoll(); message != null; message = observer.tryPoll()) {
        shown.add(message.type());
      }
      assertThat(shown).containsExactly(0, 2, 3);
      assertThat(observer.unseenCells()).isEqualTo(2);
      assertThat(List.of(observer.head(), observer.taken(), observer.tail()))
          .containsExactly(0L, 4L, 8L);
      assertThat(observer.openCells()).isZero();
      assertThat(observer.participants())
          .extracting(MessageObserver.Participant::role)
          .containsExactly("consumer", "producer", "consumer");
      assertThat(observer.metrics()).containsEntry("size", 8L).containsEntry("inHand", 4L);
    }
    first.release();
  }

  @Test
  void lostMessages_areCountedAfterTheEndAsWell() throws Exception {
    Path lossy = folder.resolve("lossy");
    MessageQueue gone = MessageQueue.mpmc(OPTIONS.withoutRepeats(), lossy);
    MessageQueue last = MessageQueue.mpmc(OPTIONS.withoutRepeats(), lossy);
    MessageConsumer consumer = gone.newConsumer();
    MessageProducer end = gone.newProducer();
    put(end);
    put(end);
    assertThat(consumer.tryPoll(2)).isEqualTo(2);
    gone.close();
    assertThat(last.newConsumer().tryPoll()).isNull();
    assertThat(last.sizeEstimate()).isZero();
    last.close();
    assertThat(last.metrics()).containsEntry("lost", 2L).containsEntry("repeated", 0L);
  }

  @Test
  void mpmcInAFile_withDropOldest_isRefused() {
    assertThatThrownBy(() -> MessageQueue.mpmc(OPTIONS.withOnFull(OnFull.DROP_OLDEST), path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("DROP_OLDEST");
  }
}
