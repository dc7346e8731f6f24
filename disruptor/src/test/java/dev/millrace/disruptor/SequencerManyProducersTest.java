package dev.millrace.disruptor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.Ring;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a sequencer keeps only where many producers have claims open side by side. */
class SequencerManyProducersTest extends SequencerFixture {
  @Test
  void publish_whenLaterClaimsEndFirst_showsThemInTheirOrder() {
    open(RingOptions.multiProducer(8));
    SequenceConsumer barrier = newConsumer();
    for (long lap = 0; lap < 21; lap += 7) {
      assertThat(sequencer.tryClaim(2)).isEqualTo(lap);
      assertThat(sequencer.tryClaim()).isEqualTo(lap + 2);
      assertThat(sequencer.tryClaim(3)).isEqualTo(lap + 3);
      assertThat(sequencer.tryClaim()).isEqualTo(lap + 6);
      sequencer.commit(lap + 6);
      sequencer.commit(lap + 2);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap);
      assertThat(shown(barrier)).isEmpty();
      sequencer.commit(lap, 2);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap + 3);
      assertThat(shown(barrier)).containsExactly(lap, lap + 1, lap + 2);
      sequencer.commit(lap + 3, 3);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap + 7);
      assertThat(shown(barrier)).containsExactly(lap + 3, lap + 4, lap + 5, lap + 6);
    }
  }

  @Test
  void publishedEnd_countsAbortedGapsAndStopsAtTheOpenClaim() {
    open(RingOptions.multiProducer(8));
    SequenceConsumer barrier = newConsumer();
    for (long lap = 0; lap < 35; lap += 7) {
      assertThat(sequencer.tryClaim(2)).isEqualTo(lap);
      assertThat(sequencer.tryClaim(3)).isEqualTo(lap + 2);
      assertThat(sequencer.tryClaim()).isEqualTo(lap + 5);
      assertThat(sequencer.tryClaim()).isEqualTo(lap + 6);
      sequencer.abort(lap + 2, 3);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap);
      sequencer.abort(lap, 2);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap + 5);
      sequencer.commit(lap + 6);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap + 5);
      sequencer.abort(lap + 5);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap + 7);
      assertThat(sequencer.remainingCapacity()).as("nobody came past").isEqualTo(1);
      assertThat(shown(barrier)).containsExactly(lap + 6);
      assertThat(sequencer.remainingCapacity()).isEqualTo(8);
      assertThat(sequencer.publishedEnd()).isEqualTo(lap + 7);
    }
    assertThat(Counters.of(sequencer).aborted()).isEqualTo(5 * 6);
  }

  /** As between the claim and its mark: a look must not wait for the claimer. */
  @Test
  void publishedEnd_whenAClaimIsNotMarkedYet_stopsThere() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stamps = arena.allocate(4 * Ring.STAMP_BYTES, Ring.STAMP_BYTES);
      sequencer =
          Sequencer.of(
              RingOptions.multiProducer(4), false, new Ring(stamps, Ring.STAMP_BYTES, 3), null);
      SequenceConsumer barrier = newConsumer();
      for (long lap = 0; lap < 12; lap += 4) {
        assertThat(sequencer.tryClaim()).isEqualTo(lap);
        sequencer.commit(lap);
        long unmarked = stamps.getAtIndex(JAVA_LONG, 1);
        assertThat(sequencer.tryClaim(3)).isEqualTo(lap + 1);
        long marked = stamps.getAtIndex(JAVA_LONG, 1);
        assertThat(marked).isNotEqualTo(unmarked);
        stamps.setAtIndex(JAVA_LONG, 1, unmarked);
        assertThat(sequencer.publishedEnd()).isEqualTo(lap + 1);
        assertThat(shown(barrier)).containsExactly(lap);
        stamps.setAtIndex(JAVA_LONG, 1, marked);
        sequencer.commit(lap + 1, 3);
        assertThat(sequencer.publishedEnd()).isEqualTo(lap + 4);
        assertThat(shown(barrier)).containsExactly(lap + 1, lap + 2, lap + 3);
      }
      sequencer.close();
    }
  }

  @Test
  void tryClaim_whenThereIsAStallLimit_takesNoMoreThanAStampCounts() {
    RingOptions options = RingOptions.multiProducer(1 << 17).withStallLimit(Duration.ofDays(1));
    open(options);
    SequenceConsumer barrier = newConsumer();
    assertThatThrownBy(() -> sequencer.tryClaim(65_536))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count must be in 1..65535: count=65536");
    assertThat(sequencer.tryClaim(65_535)).isZero();
    sequencer.commit(0, 65_535);
    assertThat(barrier.tryPoll(1 << 17)).isEqualTo(65_535);
    barrier.release();
  }
}
