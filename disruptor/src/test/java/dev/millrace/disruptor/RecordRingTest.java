package dev.millrace.disruptor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.RecordEvent;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The ring of records by itself: claims through flyweights, their misuse, and its memory. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecordRingTest {
  static List<RingOptions> options() {
    return List.of(RingOptions.singleProducer(4), RingOptions.multiProducer(4));
  }

  private static List<Long> poll(RecordRing<RecordEvent> ring, Barrier consumer) {
    List<Long> values = new ArrayList<>();
    for (int count = consumer.tryPoll(4); count > 0; count = consumer.tryPoll(4)) {
      for (int i = 0; i < count; i++) {
        long offset = ring.offset(consumer.sequence() + i);
        values.add(ring.memory().get(JAVA_LONG, offset)); // the first field
      }
      consumer.release();
    }
    return values;
  }

  // ---- claims ----

  @ParameterizedTest
  @MethodSource("options")
  void claim_movesOntoTheSlot_publishOffIt(RingOptions options) throws Exception {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      Barrier consumer = ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      for (long value = 0; value < 20; value++) {
        assertThat(value % 2 == 0 ? ring.claim(event) : ring.tryClaim(event)).isTrue();
        assertThat(event.offset()).isEqualTo(ring.offset(value));
        event.value(value);
        assertThat(ring.publish(event)).isTrue();
        assertThatThrownBy(() -> event.value(99)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(poll(ring, consumer)).containsExactly(value);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void claim_ofARun_isWalkedByNext(RingOptions options) throws Exception {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      Barrier consumer = ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      for (int lap = 0; lap < 5; lap++) { // wraps
        assertThat(lap % 2 == 0 ? ring.claim(event, 3) : ring.tryClaim(event, 3)).isTrue();
        for (int i = 0; i < 3; i++, event.next()) {
          event.value(10 * lap + i);
        }
        assertThat(poll(ring, consumer)).isEmpty();
        assertThat(ring.publish(event)).isTrue();
        assertThat(poll(ring, consumer)).containsExactly(10L * lap, 10L * lap + 1, 10L * lap + 2);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void claim_whenFull_leavesTheFlyweightNowhere(RingOptions options) throws Exception {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      Barrier consumer = ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      assertThat(ring.claim(event, 3)).isTrue();
      ring.publish(event);
      RecordEvent fresh = ring.newFlyweight();
      assertThatThrownBy(() -> fresh.value(99)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(ring.tryClaim(fresh, 2)).isFalse();
      assertThatThrownBy(() -> fresh.value(99)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(ring.claim(event, 2, 1, TimeUnit.MILLISECONDS)).isFalse();
      assertThatThrownBy(() -> ring.publish(event)).isInstanceOf(IllegalStateException.class);
      assertThat(ring.tryClaim(event)).isTrue();
      ring.publish(event);
      assertThat(poll(ring, consumer)).hasSize(4);
      assertThat(ring.claim(event, 4, 1, TimeUnit.MILLISECONDS)).isTrue();
      ring.abort(event);
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void abort_ofAClaim_isSeenByNobody(RingOptions options) throws Exception {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      Barrier consumer = ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      for (long value = 0; value < 20; value++) {
        ring.claim(event, 2);
        event.value(99);
        ring.abort(event);
        ring.claim(event);
        event.value(value);
        ring.publish(event);
        assertThat(poll(ring, consumer)).containsExactly(value);
      }
      assertThat(ring.sequencer().remainingCapacity()).isEqualTo(4);
    }
  }

  // ---- misuse ----

  @ParameterizedTest
  @MethodSource("options")
  void claim_whileOneIsOpen_isRefused(RingOptions options) throws Exception {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      Barrier consumer = ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      ring.claim(event);
      event.value(5);
      assertThatThrownBy(() -> ring.claim(event))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("claim must be published or aborted before the next: ");
      assertThatThrownBy(() -> ring.tryClaim(event)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> ring.claim(event, 1, 1, TimeUnit.SECONDS))
          .isInstanceOf(IllegalStateException.class);
      ring.publish(event);
      assertThat(poll(ring, consumer)).containsExactly(5L);
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void publishAndAbort_withoutAClaim_areRefused(RingOptions options) throws Exception {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      for (int i = 0; i < 2; i++) { // at first, and after a claim
        assertThatThrownBy(() -> ring.publish(event))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("claim must be open: none is, ");
        assertThatThrownBy(() -> ring.abort(event))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("claim must be open: none is, ");
        ring.claim(event);
        ring.publish(event);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void flyweight_ofAnotherRing_isRefused(RingOptions options) {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new);
        RecordRing<RecordEvent> other = RecordRing.of(options, RecordEvent::new)) {
      ring.sequencer().newBarrier(WaitStrategy.parking());
      for (RecordEvent foreign :
          List.of(
              other.newFlyweight(),
              new RecordEvent(MemorySegment.NULL),
              new RecordEvent(ring.memory().asSlice(0)))) {
        String message =
            "flyweight must be made by newFlyweight() of the same: flyweight=" + foreign;
        assertThatThrownBy(() -> ring.claim(foreign))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(message);
        assertThatThrownBy(() -> ring.tryClaim(foreign)).hasMessage(message);
        assertThatThrownBy(() -> ring.publish(foreign)).hasMessage(message);
        assertThatThrownBy(() -> ring.abort(foreign)).hasMessage(message);
      }
      assertThat(ring.sequencer().claimedEnd()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void claim_ofTooMany_isRefused(RingOptions options) {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      ring.sequencer().newBarrier(WaitStrategy.parking());
      RecordEvent event = ring.newFlyweight();
      for (int count : new int[] {-1, 0, 5}) {
        assertThatThrownBy(() -> ring.claim(event, count))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("count must be in 1..4: count=" + count);
      }
      assertThat(ring.tryClaim(event, 4)).isTrue();
    }
  }

  // ---- memory ----

  @ParameterizedTest
  @MethodSource("options")
  void offset_isThatOfTheSlot(RingOptions options) {
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      long stamp = options.manyProducers() ? 8 : 0;
      long slot = RecordEvent.LAYOUT.sizeBytes() + stamp;
      assertThat(ring.memory().byteSize()).isEqualTo(4 * slot);
      for (long sequence = 0; sequence < 10; sequence++) {
        assertThat(ring.offset(sequence)).isEqualTo(sequence % 4 * slot + stamp);
      }
      assertThat(ring.toString()).startsWith("RecordRing[slotBytes=" + slot + ", Sequencer[");
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void close_freesTheMemory_andMayBeRepeated(RingOptions options) throws Exception {
    RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new);
    ring.sequencer().newBarrier(WaitStrategy.parking());
    RecordEvent event = ring.newFlyweight();
    ring.claim(event);
    ring.close();
    ring.close();
    assertThat(ring.memory().scope().isAlive()).isFalse();
    assertThatThrownBy(() -> event.value(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(ring::newFlyweight)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("memory must be open: closed");
  }

  @Test
  void of_whenStallsAreLimitedForOneProducer_isRefused() {
    RingOptions options = RingOptions.singleProducer(4).withStallLimit(Duration.ofMillis(5));
    assertThatThrownBy(() -> RecordRing.of(options, RecordEvent::new))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stallNanos must be FOREVER where one producer publishes: stallNanos=5000000");
  }

  // ---- stalled producers ----

  @Test
  void publish_whenTheClaimWasGivenUp_isRefused_andFreesTheSlots() throws Exception {
    RingOptions options = RingOptions.multiProducer(4).withStallLimit(Duration.ofMillis(5));
    try (RecordRing<RecordEvent> ring = RecordRing.of(options, RecordEvent::new)) {
      try (Pipeline<RecordEvent> pipeline =
          Pipeline.on(ring)
              .stage("a", stage -> stage.handledBy(batch -> {}).waiting(WaitStrategy.parking()))
              .build()
              .start()) {
        RecordEvent stalled = ring.newFlyweight();
        RecordEvent other = ring.newFlyweight();
        ring.claim(stalled, 2);
        ring.claim(other);
        ring.publish(other);
        // the stage waits behind the first claim, and goes on by itself
        TestCall.await(() -> pipeline.snapshot().stages().getFirst().processed() == 1);
        assertThat(ring.sequencer().counters().stalled()).isEqualTo(2);
        assertThat(ring.sequencer().counters().outOfUse()).isEqualTo(2);
        stalled.value(5); // may still write
        assertThat(ring.publish(stalled)).isFalse();
        assertThat(ring.sequencer().counters().refused()).isEqualTo(2);
        for (int i = 0; i < 20; i++) {
          ring.claim(other);
          ring.publish(other);
        }
        assertThat(pipeline.drain(TestCall.LONG)).isTrue();
        assertThat(pipeline.snapshot().stages().getFirst().processed()).isEqualTo(21);
        assertThat(ring.sequencer().counters().outOfUse()).isZero();
      }
    }
  }
}
