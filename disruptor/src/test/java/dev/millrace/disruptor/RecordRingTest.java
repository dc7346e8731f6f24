package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a run of records that crosses the end of the ring, a view that can be used after its claim
 * or poll, and slots that an abort or a stalled claim does not give back.
 */
@ParameterizedClass
@MethodSource("options")
class RecordRingTest {
  private static final WaitStrategy PARKS = WaitStrategy.parking();

  static List<RingOptions> options() {
    return List.of(RingOptions.singleProducer(4), RingOptions.multiProducer(4));
  }

  @Parameter RingOptions options;
  private RecordRing<Event> ring;
  private RingProducer<Event> producer;
  private RingConsumer<Event> consumer;

  @BeforeEach
  void open() {
    open(options, 0);
  }

  /** Opens a ring for a worker of a group, or a sole consumer if there are no workers. */
  private void open(RingOptions opened, int workers) {
    close();
    ring = RecordRing.of(Event.class, opened);
    producer = opened.manyProducers() ? ring.newProducer() : ring.producer();
    consumer =
        workers == 0 ? ring.newConsumer(PARKS) : ring.newSharedConsumers(workers, PARKS).getFirst();
  }

  @AfterEach
  void close() {
    if (ring != null) {
      ring.close();
    }
  }

  private static void put(RingProducer<Event> producer, long value) {
    producer.tryClaim().value(value);
    producer.commit();
  }

  private void fill() {
    for (int value = 0; value < 4; value++) {
      put(producer, value);
    }
  }

  private List<Long> values() {
    List<Long> values = new ArrayList<>();
    while (consumer.drain(event -> values.add(event.value()), 1) > 0) {
      // one by one
    }
    return values;
  }

  // ---- one by one ----

  @Test
  void records_goThroughEachConsumerInTurn() throws Exception {
    RingConsumer<Event> last = ring.newConsumer(PARKS, consumer);
    for (long value = 0; value < 20; value++) {
      Event event = value % 2 == 0 ? producer.claim() : producer.tryClaim();
      event.value(value);
      producer.commit();
      Throws.outOfBounds(() -> event.value(99));
      assertThat(last.tryPoll()).isNull();
      Event seen = consumer.poll();
      assertThat(seen.value()).isEqualTo(consumer.sequence()).isEqualTo(value);
      seen.note(value + 1);
      consumer.release();
      Throws.outOfBounds(seen::value);
      assertThat(last.poll().note()).isEqualTo(value + 1);
      last.release();
    }
  }

  @Test
  void abort_ofAClaim_isSeenByNobody() throws Exception {
    for (long value = 0; value < 20; value++) {
      int claimed = producer.tryClaim(2);
      producer.at(claimed - 1).value(99);
      producer.abort();
      put(producer, value);
      assertThat(values()).containsExactly(value);
    }
    assertThat(ring.remainingCapacity()).isEqualTo(4);
    long aborted = Counters.of(ring.sequencer).aborted();
    assertThat(aborted > 0).isEqualTo(options.manyProducers());
  }

  // ---- runs ----

  @Test
  void runs_endWithTheRing_onBothSides() throws Exception {
    RingConsumer<Event> worker = ring.newSharedConsumers(1, PARKS, consumer).getFirst();
    long next = 0;
    for (int lap = 0; lap < 10; lap++) {
      int claimed = producer.claim(3);
      assertThat(claimed).isEqualTo(Math.min(3, 4 - (int) (next % 4)));
      for (int i = 0; i < claimed; i++) {
        producer.at(i).value(next + i);
      }
      Throws.outOfBounds(() -> producer.at(claimed));
      producer.commit();
      put(producer, next + claimed);
      assertRun(consumer, next, claimed + 1);
      assertRun(worker, next, claimed + 1);
      next += claimed + 1;
    }
  }

  private static void assertRun(RingConsumer<Event> consumer, long from, int count) {
    long next = from;
    while (next < from + count) {
      int polled = consumer.tryPoll(8);
      assertThat(polled).isEqualTo((int) Math.min(from + count - next, 4 - next % 4));
      for (int i = 0; i < polled; i++) {
        assertThat(consumer.at(i).value()).isEqualTo(next + i);
      }
      Throws.outOfBounds(() -> consumer.at(polled));
      consumer.release();
      next += polled;
    }
    assertThat(consumer.tryPoll(8)).isZero();
  }

  @Test
  void drain_whenTheHandlerThrows_consumesThatRecordOnly() {
    for (int workers = 0; workers < 3; workers++) {
      open(options, workers);
      fill();
      Throws.illegalArgument(
          "...",
          () ->
              consumer.drain(
                  event -> {
                    assertThatThrownBy(consumer::release).isInstanceOf(IllegalStateException.class);
                    assertThat(event.value()).isZero();
                    throw new IllegalArgumentException();
                  },
                  4));
      assertThat(values()).containsExactly(1L, 2L, 3L);
    }
  }

  // ---- full ----

  @Test
  void claim_whenFull_doesWhatTheOptionsSay() throws Exception {
    for (OnFull policy : List.of(OnFull.WAIT, OnFull.DROP_NEWEST, OnFull.SIGNAL)) {
      open(options.withOnFull(policy), 0);

      fill();
      assertThat(producer.tryClaim()).isNull();
      assertThat(producer.tryClaim(2)).isZero();
      assertThat(producer.claim(Duration.ofMillis(1))).isNull();
      assertThat(ring.metrics())
          .as("a try only tells so")
          .containsEntry("dropped", 0L)
          .containsEntry("signalled", 0L);
      if (policy != OnFull.WAIT) {
        assertThat(producer.claim()).isNull();
        assertThat(producer.claim(3)).isZero();
        String counter = policy == OnFull.SIGNAL ? "signalled" : "dropped";
        assertThat(ring.metrics()).containsEntry(counter, 4L);
      }
      assertThat(ring.isCongested()).isEqualTo(policy == OnFull.SIGNAL);
      TestCall<Event> waits = TestCall.of(() -> producer.claim(Duration.ofDays(1)));
      waits.awaitResting();
      assertThat(consumer.tryPoll()).isNotNull();
      consumer.release();
      assertThat(waits.result()).isNotNull();
      producer.abort();
    }
  }

  // ---- misuse ----

  @Test
  void ends_whenMisused_refuse() {
    try (RecordRing<Event> other = RecordRing.of(Event.class, options)) {
      Throws.illegalArgument("...", () -> other.newConsumer(PARKS, consumer));
      Throws.illegalState(
          "this ring has ...",
          () -> (options.manyProducers() ? ring.producer() : ring.newProducer()).at(0));
      for (int i = 0; i < 2; i++) { // at first, and after a claim
        Throws.illegalState("no open claim: ...", producer::commit);
        Throws.illegalState("...", producer::abort);
        Throws.illegalState("nothing to release: no open poll, ...", consumer::release);
        Throws.illegalArgument("...", () -> producer.tryClaim(0));
        producer.tryClaim().value(i);
        Throws.illegalState("...", producer::claim);
        producer.commit();
        assertThat(consumer.tryPoll().value()).isEqualTo(i);
        Throws.illegalState("...", consumer::tryPoll);
        consumer.release();
      }
    }
  }

  // ---- the end ----

  @Test
  void complete_letsConsumersFinish() throws Exception {
    RingConsumer<Event> behind = ring.newConsumer(PARKS, consumer);
    put(producer, 7);
    producer.close();
    ring.complete();
    Throws.illegalState("ring takes no more events: ...", producer::tryClaim);
    assertThat(consumer.isDrained()).isFalse();
    assertThat(ring.awaitDrained(Duration.ZERO)).isFalse();
    List<Long> seen = new ArrayList<>();
    consumer.forEach(event -> seen.add(event.value()));
    assertThat(consumer.isDrained()).isTrue();
    assertThat(ring.isDrained()).isFalse();
    behind.forEach(event -> seen.add(event.value()));
    assertThat(seen).containsExactly(7L, 7L);
    assertThat(ring.awaitDrained(Duration.ofDays(1))).isTrue();
    assertThat(consumer.poll()).isNull();
  }

  @Test
  void close_freesTheMemory_andMayBeRepeated() throws Exception {
    Event event = producer.claim();
    TestCall<Event> waits = TestCall.of(consumer::poll);
    waits.awaitResting();
    ring.close();
    ring.close();
    assertThat(waits.result()).isNull();
    assertThat(ring.isDrained()).isTrue();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(((Flyweight) event).memory().scope().isAlive()).isFalse();
    Throws.illegalState(
        "view of Event may no longer be used: its memory was freed by close() of RecordRing[...",
        () -> event.value(1));
    assertThat(ring.metrics()).containsEntry("claimed", 1L);
  }

  @Test
  void polls_afterClose_findNothing_thoughMoreWasSeen() throws Exception {
    fill();
    assertThat(consumer.tryPoll(2)).isEqualTo(2);
    Batch<Event> batch = ring.newBatch();
    assertThat(batch.begin(0, 2)).isEqualTo(2);
    assertThat(batch.at(1).value()).isOne();
    ring.close();
    String freed =
        "view of Event may no longer be used: its memory was freed by close() of RecordRing[";
    Throws.illegalState(
        freed + "...",
        () -> consumer.at(0).value(),
        () -> batch.at(1).value(),
        () -> batch.at(0).value(1));
    Throws.outOfBounds(() -> batch.at(2));
    assertThat(batch.at(0).toString()).contains(freed);
    consumer.release();
    for (int i = 0; i < 2; i++) {
      assertThat(consumer.tryPoll()).isNull();
      assertThat(consumer.tryPoll(2)).isZero();
      assertThat(consumer.poll()).isNull();
      assertThat(consumer.poll(Duration.ofDays(1))).isNull();
      assertThat(consumer.drain(_ -> {}, 2)).isZero();
      consumer.forEach(_ -> {});
    }
  }

  @Test
  void slots_ofOneProducer_haveNoStamps() {
    long slot =
        FlyweightType.of(Event.class).layout().sizeBytes() + (options.manyProducers() ? 8 : 0);
    assertThat(ring.toString()).startsWith("RecordRing[slotBytes=" + slot + ", Sequencer[");
    long first = ring.ring.memory().address() + ring.ring.recordOffset(0);
    assertThat(first % 64).isEqualTo(options.manyProducers() ? 8 : 0);
  }

  // ---- stalled producers ----

  @Test
  void commit_whenTheClaimWasGivenUp_throws_andFreesTheSlots() throws Exception {
    open(RingOptions.multiProducer(4).withStallLimit(Duration.ofMillis(5)), 0);

    RingProducer<Event> stalled = ring.newProducer();
    RingProducer<Event> other = ring.newProducer();
    assertThat(stalled.tryClaim(2)).isEqualTo(2);
    put(other, 1);
    assertThat(consumer.poll().value()).isOne(); // goes on by itself
    consumer.release();
    assertThat(Counters.of(ring.sequencer).stalled()).isEqualTo(2);
    assertThat(Counters.of(ring.sequencer).outOfUse()).isEqualTo(2);
    stalled.at(0).value(5); // may still write
    Throws.illegalState(
        "claim was given up, because it was open for longer than the stall limit: ...",
        stalled::commit);
    Throws.illegalState("no open claim: ...", stalled::commit);
    assertThat(Counters.of(ring.sequencer).refused()).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      put(other, i);
      assertThat(values()).containsExactly((long) i);
    }
    assertThat(Counters.of(ring.sequencer).outOfUse()).isZero();
  }
}
