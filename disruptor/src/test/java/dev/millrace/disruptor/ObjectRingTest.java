package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a writer whose failure or stall leaves its claim open, a run that is published before it is
 * complete, and a slot that does not keep its object from lap to lap.
 */
@ParameterizedClass
@MethodSource("options")
class ObjectRingTest {
  private final IllegalStateException ofWriter = new IllegalStateException("writer");

  @Parameter RingOptions options;
  private ObjectRing<AtomicLong> ring;
  private SequenceConsumer consumer;

  @BeforeEach
  void open() {
    open(options);
  }

  private void open(RingOptions opened) {
    close();
    ring = ObjectRing.of(opened, AtomicLong::new);
    consumer = ring.sequencer().newConsumer(WaitStrategy.parking());
  }

  @AfterEach
  void close() {
    if (ring != null) {
      ring.close();
    }
  }

  /** A writer that fails. */
  private void fail(AtomicLong event, long argument) {
    event.set(argument);
    throw ofWriter;
  }

  static List<RingOptions> options() {
    return List.of(RingOptions.singleProducer(4), RingOptions.multiProducer(4));
  }

  private List<Long> poll() {
    List<Long> values = new ArrayList<>();
    for (int count = consumer.tryPoll(4); count > 0; count = consumer.tryPoll(4)) {
      for (int i = 0; i < count; i++) {
        values.add(ring.get(consumer.sequence() + i).get());
      }
      consumer.release();
    }
    return values;
  }

  @Test
  void of_makesEachObjectOnce() {
    List<AtomicLong> made = new ArrayList<>();
    Supplier<AtomicLong> factory =
        () -> {
          made.add(new AtomicLong());
          return made.getLast();
        };
    try (ObjectRing<AtomicLong> ring = ObjectRing.of(options, factory)) {
      assertThat(made).hasSize(4);
      assertThat(ring.capacity()).isEqualTo(4);
      assertThat(ring).hasToString("ObjectRing[" + ring.sequencer() + "]");
      for (long sequence = 0; sequence < 4; sequence++) {
        assertThat(ring.get(sequence)).isSameAs(made.get((int) sequence));
        assertThat(ring.get(sequence + 4)).isSameAs(ring.get(sequence));
        assertThat(ring.get(sequence + (1L << 40))).isSameAs(ring.get(sequence));
      }
    }
  }

  @Test
  void of_whenTheFactoryMakesNone_isRefused() {
    Throws.nullArgument("event", () -> ObjectRing.of(RingOptions.singleProducer(4), () -> null));
    Throws.nullArgument("options", () -> ObjectRing.of(null, AtomicLong::new));
  }

  @Test
  void tryPublish_whenFull_declinesAndWritesNothing() {
    for (long value = 0; value < 4; value++) {
      assertThat(ring.tryPublish(AtomicLong::set, value)).isTrue();
    }
    assertThat(ring.tryPublish(this::fail, 9L)).isFalse();
    assertThat(poll()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(ring.tryPublish(AtomicLong::set, 4L)).isTrue();
    assertThat(poll()).containsExactly(4L);
  }

  @Test
  void publish_whenTheWriterThrows_abortsTheClaim() throws Exception {
    for (long value = 0; value < 40; value += 2) {
      assertThatThrownBy(() -> ring.publish(this::fail, 9L)).isSameAs(ofWriter);
      ring.publish(AtomicLong::set, value);
      assertThatThrownBy(() -> ring.tryPublish(this::fail, 9L)).isSameAs(ofWriter);
      ring.tryPublish(AtomicLong::set, value + 1);
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
        ring.get(first + i).set(10 * lap + i);
      }
      assertThat(poll()).isEmpty();
      ring.sequencer().commit(first, 3);
      assertThat(poll()).containsExactly(10L * lap, 10L * lap + 1, 10L * lap + 2);
    }
  }

  @Test
  void publish_ofAWriterThatStalls_throwsWhenItsClaimWasGivenUp() throws Exception {
    open(RingOptions.multiProducer(4).withStallLimit(Duration.ofMillis(5)));

    BiConsumer<AtomicLong, Object> stalling =
        (event, argument) ->
            TestCall.await(
                () -> {
                  consumer.tryPoll(1); // gives up the claim in the end
                  return Counters.of(ring.sequencer()).stalled() == 1;
                });
    Throws.illegalState("...was given up...", () -> ring.publish(stalling, 1L));
    assertThat(ring.publish(AtomicLong::set, 2L)).isTrue();
    assertThat(poll()).containsExactly(2L);
    assertThat(Counters.of(ring.sequencer()).refused()).isOne();
  }

  @Test
  void publish_withTwoOrThreeArguments_writesThem() throws Exception {
    ring.publish((event, a, b, c) -> event.set(a + b + c), 1L, 20L, 300L);
    assertThat(poll()).containsExactly(321L);
    ring.publish((event, a, b, _) -> event.set(a + b), 1L, 20L);
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
    ring.publish(AtomicLong::set, 4L);
    assertThat(poll()).containsExactly(4L);
  }

  @Test
  void publishAll_publishesInOrder_andAsFarAsThereIsRoom() throws Exception {
    open(options.withOnFull(OnFull.DROP_NEWEST));
    assertThat(ring.publishAll(AtomicLong::set, List.of(1L, 2L, 3L))).isEqualTo(3);
    assertThat(ring.publishAll(AtomicLong::set, List.of(4L, 5L))).isEqualTo(1);
    assertThat(poll()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(ring.publishAll(AtomicLong::set, List.<Long>of())).isZero();
  }
}
