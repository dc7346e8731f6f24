package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.ring.Stamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a mixture of slots (open, aborted, given up, claimed again) for which the end of what is
 * published is off. All mixtures of a small ring are tried.
 */
class PublishedEndTest extends SequencerFixture {
  private static final int CAPACITY = 4;
  private static final long[] STATES = {
    Stamps.FREE, Stamps.CLAIMED, Stamps.COMMITTED, Stamps.ABORTED, Stamps.ABANDONED, Stamps.LET_GO
  };

  /**
   * What a slot's stamp says when it is read.
   *
   * @param lap its turn, less that of the sequence: of an earlier one the claim has not come to its
   *     mark; of a later one the event was consumed, and the slot claimed again
   * @param state in that turn
   * @param count how many slots it stands for
   */
  private record Found(int lap, long state, int count) {
    boolean isGivenUp() {
      return state == Stamps.ABANDONED || state == Stamps.LET_GO;
    }

    /** How many slots it makes published; 0 if none. */
    int published() {
      if (lap > 0) {
        return 1; // whatever it stands for in that turn
      }
      boolean isEnded = lap == 0 && (state == Stamps.COMMITTED || state == Stamps.ABORTED);
      return isEnded || isGivenUp() ? count : 0;
    }
  }

  private static List<Found> allFound() {
    List<Found> all = new ArrayList<>();
    for (int lap = -1; lap <= 1; lap++) {
      for (long state : STATES) {
        all.add(new Found(lap, state, state == Stamps.FREE ? 0 : 1));
      }
      all.add(new Found(lap, Stamps.ABANDONED, 2));
      all.add(new Found(lap, Stamps.LET_GO, 2));
    }
    return all;
  }

  private static int published(List<Found> slots, int claimed) {
    int end = 0;
    while (end < claimed && slots.get(end).published() > 0) {
      end += slots.get(end).published();
    }
    return end;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void publishedEnd_ofSlotsInAnyState_isThatOfTheFirstOpenClaim(boolean isLimited) {
    List<Found> all = allFound();
    List<Found> last = List.of(all.get(2), all.get(4), all.get(10)); // behind the other three
    RingOptions options = RingOptions.multiProducer(CAPACITY);
    for (int claimed = 0; claimed <= CAPACITY; claimed++) {
      open(isLimited ? options.withStallLimit(Duration.ofDays(1)) : options);
      MultiProducerSequencer many = (MultiProducerSequencer) sequencer;
      SequenceConsumer consumer = newConsumer();
      for (int lap = 0; lap < 2; lap++) {
        put(CAPACITY);
        assertThat(shown(consumer)).hasSize(CAPACITY);
      }
      long first = sequencer.claimedEnd();
      while (!many.claims.tryAdvance(first, first + claimed)) {
        Thread.onSpinWait(); // may fail for no reason
      }
      for (int mixture = 0; mixture < all.size() * all.size() * all.size(); mixture++) {
        List<Found> slots =
            List.of(
                all.get(mixture % all.size()),
                all.get(mixture / all.size() % all.size()),
                all.get(mixture / all.size() / all.size()),
                last.get(mixture % last.size()));
        for (int slot = 0; slot < CAPACITY; slot++) {
          Found found = slots.get(slot);
          long sequence = first + slot;
          long word =
              many.stamps.word(sequence + (long) found.lap * CAPACITY, found.count, found.state);
          many.stamps.mark(many.stamps.offset(sequence), word);
        }
        assertThat(sequencer.publishedEnd() - first)
            .as("%s of %s", claimed, slots)
            .isEqualTo(published(slots, claimed));
      }
    }
  }
}
