package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.bench.Words;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds queues of several record types that mix up the types or drop a refused offer, and bytes
 * that are charged to an offer although the record brought them. {@link EnginesTest} runs them
 * under load.
 */
class DropInTest {
  private static final int SLOTS = 128;

  /** What the JVM itself allocates now and then; a link has at least 16 bytes. */
  private static final double HALF_A_BYTE = 0.5;

  private final Work work = Work.way("test", "test", 1, 1).withCapacity(SLOTS);

  @Test
  void types_areFourClassesOfTheUsualRecord() {
    assertThat(new HashSet<>(MarketRecord.TYPES)).hasSize(4);
    for (int type = 0; type < MarketRecord.TYPES.size(); type++) {
      MarketRecord record = MarketRecord.of(type, 10);
      assertThat(record).isExactlyInstanceOf(MarketRecord.TYPES.get(type));
      assertThat(record.getClass().getRecordComponents()).hasSize(Words.USUAL);
      assertThat(record.sum()).isEqualTo(Words.sum(10));
    }
  }

  @Test
  void send_takesTheQueuesInTurn_andOffersAgainWhatWasRefused() {
    List<Queue<MarketRecord>> queues = new ArrayList<>();
    Contender contender = new DropIn(type -> added(queues, new ArrayBlockingQueue<>(1)), work);
    Ends sender = contender.sender();
    for (int number = 0; number < 4; number++) {
      assertThat(sender.send(number)).isTrue();
    }
    assertThat(sender.send(4)).isFalse();
    assertThat(queues)
        .extracting(Queue::peek)
        .extracting(Object::getClass)
        .isEqualTo(MarketRecord.TYPES);
    Ends receiver = contender.receiver();
    assertThat(receiver.receive()).isEqualTo(Words.sum(0));
    assertThat(sender.send(4)).isTrue();
    assertThat(queues.getFirst().peek()).isEqualTo(MarketRecord.of(0, 4));
    for (int number = 1; number <= 4; number++) {
      assertThat(receiver.receive()).isEqualTo(Words.sum(number));
    }
    assertThat(receiver.receive()).isEqualTo(Ends.NONE);
  }

  @Test
  void receive_whenThereAreSeveralOfASide_passesOverAnEmptyQueue() {
    List<Queue<MarketRecord>> queues = new ArrayList<>();
    Work many = Work.way("test", "test", 2, 1);
    Ends receiver = new DropIn(type -> added(queues, new ArrayBlockingQueue<>(1)), many).receiver();
    queues.get(1).add(MarketRecord.of(1, 7));
    assertThat(receiver.receive()).isEqualTo(Ends.NONE);
    assertThat(receiver.receive()).isEqualTo(Words.sum(7));
  }

  private static Queue<MarketRecord> added(
      List<Queue<MarketRecord>> queues, Queue<MarketRecord> queue) {
    queues.add(queue);
    return queue;
  }

  /** Whatever the kind: one thread is enough for each of them. */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "2, 2"})
  void bytesPerOffer_ofOurs_isNone(int producers, int consumers) {
    Work usual = Work.way("test", "test", producers, consumers);
    for (Contenders ours : List.of(Contenders.MILLRACE_RECORDS, Contenders.MILLRACE_RECORDS_MPMC)) {
      try (Contender queue = ours.make(usual)) {
        assertThat(queue.bytesPerOffer()).as(ours.id()).isLessThan(HALF_A_BYTE);
      }
    }
  }

  /** A link of a list is an object of two references at least; a ring has none. */
  @ParameterizedTest
  @CsvSource({
    "ARRAY_BLOCKING_QUEUE_RECORDS, 0, 0.5",
    "CONCURRENT_LINKED_QUEUE_RECORDS, 16, 32",
    "LINKED_TRANSFER_QUEUE_RECORDS, 16, 40"
  })
  void bytesPerOffer_ofTheJdk_isTheLinkOfALinkedQueue(Contenders peer, double low, double high) {
    assertThat(peer.make(Work.way("test", "test", 1, 1)).bytesPerOffer())
        .isCloseTo((low + high) / 2, within((high - low) / 2));
  }

  @Test
  void bytesPerOffer_ofOthers_isNotAsked() {
    try (Contender queue = Contenders.MILLRACE.make(work)) {
      assertThat(queue.bytesPerOffer()).isNull();
    }
  }

  /** A queue for each type of record, of as many slots. */
  @ParameterizedTest
  @EnumSource(
      names = {"CONCURRENT_LINKED_QUEUE_RECORDS", "LINKED_TRANSFER_QUEUE_RECORDS"},
      mode = EnumSource.Mode.INCLUDE)
  void send_whenAnUnboundedQueueHoldsAsManyAsABoundedOne_fails(Contenders unbounded) {
    Contender queue = unbounded.make(work);
    Ends sender = queue.sender();
    Ends receiver = queue.receiver();
    for (int number = 0; number < 4 * SLOTS; number++) {
      assertThat(sender.send(number)).isTrue();
    }
    assertThat(sender.send(0)).isFalse();
    for (int number = 0; number < SLOTS; number++) {
      assertThat(receiver.receive()).isEqualTo(Words.sum(number));
    }
    for (int number = 0; number < SLOTS; number++) {
      assertThat(sender.send(4 * SLOTS + number)).isTrue();
    }
    assertThat(sender.send(0)).isFalse();
  }

  @Test
  void bytesPerOffer_whenAQueueIsTooSmall_saysSo() {
    Contender small = new DropIn(type -> new ArrayBlockingQueue<>(1), work);
    assertThatThrownBy(small::bytesPerOffer)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("queue must have room: size=1");
  }
}
