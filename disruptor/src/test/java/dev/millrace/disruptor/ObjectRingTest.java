package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.ObjectEvent;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The ring of objects by itself: claims, writers, and what a closed one says. */
@ParameterizedClass
@MethodSource("options")
class ObjectRingTest {
  private final IllegalStateException ofWriter = new IllegalStateException("writer");

  @Parameter RingOptions options;
  private ObjectRing<ObjectEvent> ring;
  private SequenceConsumer consumer;

  @BeforeEach
  void open() {
    open(options);
  }

  private void open(RingOptions opened) {
    close();
    ring = ObjectRing.of(opened, ObjectEvent::new);
    consumer = ring.sequencer().newConsumer(WaitStrategy.parking());
  }

  @AfterEach
  void close() {
    if (ring != null) {
      ring.close();
    }
  }

  /** A writer that fails. */
  private void fail(ObjectEvent event, Object argument) {
    event.note((long) argument);
    throw ofWriter;
  }

  static List<RingOptions> options() {
    return List.of(RingOptions.singleProducer(4), RingOptions.multiProducer(4));
  }

  private List<Long> poll() {
    List<Long> values = new ArrayList<>();
    for (int count = consumer.tryPoll(4); count > 0; count = consumer.tryPoll(4)) {
      for (int i = 0; i < count; i++) {
        values.add(ring.get(consumer.sequence() + i).value());
      }
      consumer.release();
    }
    return values;
  }

  @Test
  void of_makesEachObjectOnce() {
    Set<ObjectEvent> made = Collections.newSetFromMap(new IdentityHashMap<>());
    try (ObjectRing<ObjectEvent> ring =
        ObjectRing.of(
            options,
            () -> {
              ObjectEvent event = new ObjectEvent();
              made.add(event);
              return event;
            })) {
      assertThat(made).hasSize(4);
      assertThat(ring.capacity()).isEqualTo(4);
      assertThat(ring).hasToString("ObjectRing[" + ring.sequencer() + "]");
      for (long sequence = 0; sequence < 4; sequence++) {
        assertThat(made.remove(ring.get(sequence))).isTrue();
        assertThat(ring.get(sequence + 4)).isSameAs(ring.get(sequence));
        assertThat(ring.get(sequence + (1L << 40))).isSameAs(ring.get(sequence));
      }
    }
  }

  @Test
  void of_whenTheFactoryMakesNone_isRefused() {
    Throws.nullArgument("event", () -> ObjectRing.of(RingOptions.singleProducer(4), () -> null));
    Throws.nullArgument("options", () -> ObjectRing.of(null, ObjectEvent::new));
  }

  @Test
  void tryPublish_whenFull_declinesAndWritesNothing() {
    for (long value = 0; value < 4; value++) {
      assertThat(ring.tryPublish(ObjectEvent::value, value)).isTrue();
    }
    assertThat(ring.tryPublish(this::fail, 9L)).isFalse();
    assertThat(poll()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(ring.tryPublish(ObjectEvent::value, 4L)).isTrue();
    assertThat(poll()).containsExactly(4L);
  }

  @Test
  void publish_whenTheWriterThrows_abortsTheClaim() throws Exception {
    for (long value = 0; value < 40; value += 2) {
      assertThatThrownBy(() -> ring.publish(this::fail, 9L)).isSameAs(ofWriter);
      ring.publish(ObjectEvent::value, value);
      assertThatThrownBy(() -> ring.tryPublish(this::fail, 9L)).isSameAs(ofWriter);
      ring.tryPublish(ObjectEvent::value, value + 1);
      assertThat(poll()).containsExactly(value, value + 1);
    }
    assertThat(ring.sequencer().remainingCapacity()).isEqualTo(4);
    assertThat(Counters.of(ring.sequencer()).aborted()).isEqualTo(options.manyProducers() ? 40 : 0);
  }

  @Test
  void publish_withoutAWriter_claimsNothing() {
    Throws.nullArgument("writer", () -> ring.publish(null, 1L));
    Throws.a(NullPointerException.class, () -> ring.tryPublish(null, 1L));
    assertThat(ring.sequencer().claimedEnd()).isZero();
  }

  @Test
  void get_ofAClaimedRun_writesAndPublishesTogether() throws Exception {
    for (int lap = 0; lap < 5; lap++) {
      long first = ring.sequencer().claim(3);
      for (int i = 0; i < 3; i++) {
        ring.get(first + i).value(10 * lap + i);
      }
      assertThat(poll()).isEmpty();
      ring.sequencer().commit(first, 3);
      assertThat(poll()).containsExactly(10L * lap, 10L * lap + 1, 10L * lap + 2);
    }
  }

  @Test
  void publish_ofAWriterThatStalls_throwsWhenItsClaimWasGivenUp() throws Exception {
    open(RingOptions.multiProducer(4).withStallLimit(Duration.ofMillis(5)));

    BiConsumer<ObjectEvent, Object> stalling =
        (event, argument) ->
            TestCall.await(
                () -> {
                  consumer.tryPoll(1); // gives up the claim in the end
                  return Counters.of(ring.sequencer()).stalled() == 1;
                });
    Throws.illegalState("...was given up...", () -> ring.publish(stalling, 1L));
    assertThat(ring.publish(ObjectEvent::value, 2L)).isTrue();
    assertThat(poll()).containsExactly(2L);
    assertThat(Counters.of(ring.sequencer()).refused()).isOne();
  }

  @Test
  void publish_withTwoOrThreeArguments_writesThem() throws Exception {
    ring.publish((event, a, b, c) -> event.value(a + b + c), 1L, 20L, 300L);
    assertThat(poll()).containsExactly(321L);
    ring.publish((event, a, b, _) -> event.value(a + b), 1L, 20L);
    assertThat(poll()).containsExactly(21L);
    Throws.illegalArgument(
        "...",
        () ->
            ring.publish(
                (event, a, b, c) -> {
                  throw new IllegalArgumentException();
                },
                1L,
                2L,
                3L));
    ring.publish(ObjectEvent::value, 4L);
    assertThat(poll()).containsExactly(4L);
  }

  @Test
  void publishAll_publishesInOrder_andAsFarAsThereIsRoom() throws Exception {
    open(options.withOnFull(OnFull.DROP_NEWEST));
    assertThat(ring.publishAll(ObjectEvent::value, List.of(1L, 2L, 3L))).isEqualTo(3);
    assertThat(ring.publishAll(ObjectEvent::value, List.of(4L, 5L))).isEqualTo(1);
    assertThat(poll()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(ring.publishAll(ObjectEvent::value, List.<Long>of())).isZero();
  }
}
