package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampsTest {
  private static final long STRIDE = 16;
  private static final long TURNS = 1L << 45;

  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void free() {
    arena.close();
  }

  private Stamps stamps(int capacity) {
    return Stamps.of(arena.allocate(capacity * STRIDE, 8), STRIDE, capacity);
  }

  // ---- words ----

  @Test
  void word_hasStateCountAndTurn() {
    Stamps stamps = stamps(4);
    long[] states = {
      Stamps.FREE, Stamps.CLAIMED, Stamps.COMMITTED, Stamps.ABORTED, Stamps.ABANDONED, Stamps.LET_GO
    };
    for (long state : states) {
      for (int count : new int[] {0, 1, 2, Stamps.MAX_COUNT}) {
        for (long sequence : new long[] {0, 3, 4, 1L << 40, Long.MAX_VALUE}) {
          long word = stamps.word(sequence, count, state);
          assertThat(Stamps.stateOf(word)).isEqualTo(state);
          assertThat(Stamps.countOf(word)).isEqualTo(count);
          assertThat(stamps.compareTurn(word, sequence)).isZero();
          assertThat(stamps.compareTurn(word, sequence ^ 3)).as("same turn").isZero();
          assertThat(Stamps.isGivenUp(word))
              .isEqualTo(state == Stamps.ABANDONED || state == Stamps.LET_GO);
          assertThat(stamps.isCommitted(word, sequence)).isEqualTo(state == Stamps.COMMITTED);
          for (long other : states) {
            assertThat(Stamps.changed(word, other)).isEqualTo(stamps.word(sequence, count, other));
          }
        }
      }
    }
  }

  @Test
  void word_ofNewMemory_isFreeOfTheFirstTurn() {
    Stamps stamps = stamps(2);
    assertThat(stamps.read(stamps.offset(1))).isEqualTo(stamps.word(1, 0, Stamps.FREE)).isZero();
  }

  /** Around the sequences at which the turn's 45 bits wrap. */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 1024})
  void compareTurn_whereTheTurnWraps_staysInOrder(int capacity) {
    Stamps stamps = stamps(capacity);
    for (long turn :
        new long[] {1, TURNS - 2, TURNS - 1, TURNS, TURNS + 1, Long.MAX_VALUE / capacity - 2}) {
      long sequence = turn * capacity + capacity - 1;
      long word = stamps.word(sequence, 1, Stamps.COMMITTED);
      assertThat(stamps.isCommitted(word, sequence)).isTrue();
      assertThat(stamps.isCommitted(word, sequence + capacity)).isFalse();
      assertThat(stamps.compareTurn(word, sequence)).isZero();
      assertThat(stamps.compareTurn(word, sequence + capacity)).isNegative();
      assertThat(stamps.compareTurn(word, sequence + 2L * capacity)).isNegative();
      assertThat(stamps.compareTurn(word, sequence - capacity)).isPositive();
      assertThat(Stamps.freed(word)).isEqualTo(stamps.word(sequence + capacity, 0, Stamps.FREE));
      assertThat(stamps.compareTurn(Stamps.freed(word), sequence)).isPositive();
    }
  }

  @Test
  void freed_whatever_isFreeOfTheNextTurnWithoutCount() {
    Stamps stamps = stamps(4);
    for (long state = Stamps.FREE; state <= Stamps.LET_GO; state++) {
      assertThat(Stamps.freed(stamps.word(5, 3, state))).isEqualTo(stamps.word(9, 0, Stamps.FREE));
    }
    assertThat(Stamps.freed(stamps.word(TURNS * 4 - 1, 3, Stamps.COMMITTED)))
        .as("the last turn is followed by the first")
        .isEqualTo(stamps.word(0, 0, Stamps.FREE));
  }

  // ---- slots ----

  @Test
  void exchange_whenAnotherWordIsThere_changesNothing() {
    Stamps stamps = stamps(2);
    long offset = stamps.offset(3);
    assertThat(offset).isEqualTo(STRIDE);
    stamps.mark(offset, 7);
    assertThat(stamps.exchange(offset, 6, 8)).isFalse();
    assertThat(stamps.peek(offset)).isEqualTo(7);
    assertThat(stamps.exchange(offset, 7, 8)).isTrue();
    assertThat(stamps.read(offset)).isEqualTo(8);
    assertThat(stamps.read(0)).as("the other slot").isZero();
  }

  // ---- runs ----

  private static long claimed(Stamps stamps, long sequence, int count) {
    return stamps.word(sequence, Math.min(count, Stamps.MAX_COUNT), Stamps.CLAIMED);
  }

  @Test
  void publishRun_ofFewSlots_writesTheFirstStampAlone() {
    Stamps stamps = stamps(8);
    stamps.publishRun(stamps.offset(6), claimed(stamps, 6, 5), 5, Stamps.COMMITTED); // wraps
    assertThat(stamps.read(stamps.offset(6))).isEqualTo(stamps.word(6, 5, Stamps.COMMITTED));
    for (int sequence = 7; sequence < 14; sequence++) {
      assertThat(stamps.read(stamps.offset(sequence))).isZero();
    }
    assertThat(stamps.committedEnd(6, 7)).as("runs are taken whole").isEqualTo(11);
    assertThat(stamps.committedEnd(6, 100)).isEqualTo(11);
  }

  /** Runs of one stamp and of several, within the ring and across its end. */
  @ParameterizedTest
  @ValueSource(ints = {1, 65_534, 65_535, 65_536, 70_000, 131_070, 131_071, 131_072, 200_000})
  void publishRun_ofAnyLength_isFoundFromStampToStamp(int count) {
    int capacity = count <= 1 << 17 ? 1 << 17 : 1 << 18;
    long turns = capacity == 1 << 17 ? TURNS : 5; // as far as sequences go
    Stamps stamps = stamps(capacity);
    for (long state : new long[] {Stamps.COMMITTED, Stamps.ABORTED}) {
      for (long begin :
          new long[] {0, capacity - 1, 3L * capacity - count / 2, turns * capacity - count / 2}) {
        stamps.publishRun(stamps.offset(begin), claimed(stamps, begin, count), count, state);
        long sequence = begin;
        while (sequence < begin + count) {
          long word = stamps.read(stamps.offset(sequence));
          assertThat(Stamps.stateOf(word)).isEqualTo(state);
          assertThat(stamps.compareTurn(word, sequence)).isZero();
          assertThat(Stamps.countOf(word)).isPositive();
          sequence += Stamps.countOf(word);
        }
        assertThat(sequence).isEqualTo(begin + count);
        assertThat(stamps.committedEnd(begin, begin + count))
            .isEqualTo(state == Stamps.COMMITTED ? begin + count : begin);
        for (long slot = 0; slot < capacity; slot++) {
          stamps.mark(stamps.offset(slot), 0);
        }
      }
    }
  }

  @Test
  void publishBehind_leavesTheFirstToTheCaller() {
    Stamps stamps = stamps(4);
    long begin = 4 * TURNS - 2; // the turn wraps in the run
    stamps.mark(stamps.offset(begin), claimed(stamps, begin, 3));
    long first =
        stamps.publishBehind(stamps.offset(begin), claimed(stamps, begin, 3), 3, Stamps.COMMITTED);
    assertThat(first).isEqualTo(stamps.word(begin, 1, Stamps.COMMITTED));
    assertThat(stamps.read(stamps.offset(begin))).isEqualTo(claimed(stamps, begin, 3));
    assertThat(stamps.committedEnd(begin, begin + 3)).isEqualTo(begin);
    for (int i = 1; i < 3; i++) {
      assertThat(stamps.read(stamps.offset(begin + i)))
          .isEqualTo(stamps.word(begin + i, 1, Stamps.COMMITTED));
    }
    assertThat(stamps.read(stamps.offset(begin + 3))).isZero();
    stamps.publish(stamps.offset(begin), first);
    assertThat(stamps.committedEnd(begin, begin + 3)).isEqualTo(begin + 3);
  }

  @Test
  void free_acrossTheEnd_freesEachSlotForItsNextTurn() {
    Stamps stamps = stamps(4);
    for (long begin : new long[] {3, 7, 4 * TURNS - 1}) {
      stamps.free(stamps.offset(begin), stamps.word(begin, 1, Stamps.COMMITTED), 3);
      for (int i = 0; i < 3; i++) {
        assertThat(stamps.read(stamps.offset(begin + i)))
            .isEqualTo(stamps.word(begin + i + 4, 0, Stamps.FREE));
      }
      assertThat(stamps.read(stamps.offset(begin + 3))).as("not of the run").isZero();
    }
  }

  @Test
  void committedEnd_stopsAtTheFirstThatIsNotCommittedInThisTurn() {
    Stamps stamps = stamps(4);
    for (long sequence = 4; sequence < 8; sequence++) {
      stamps.mark(stamps.offset(sequence), stamps.word(sequence, 1, Stamps.COMMITTED));
    }
    assertThat(stamps.committedEnd(4, 6)).isEqualTo(6);
    assertThat(stamps.committedEnd(4, 20)).as("a lap, and no further").isEqualTo(8);
    assertThat(stamps.committedEnd(0, 4)).as("of an earlier turn").isZero();
    for (long word :
        new long[] {
          stamps.word(6, 1, Stamps.CLAIMED),
          stamps.word(6, 1, Stamps.ABORTED),
          stamps.word(6, 1, Stamps.LET_GO),
          stamps.word(2, 1, Stamps.COMMITTED)
        }) {
      stamps.mark(stamps.offset(6), word);
      assertThat(stamps.committedEnd(4, 8)).isEqualTo(6);
    }
  }

  @Test
  void relinquish_leavesWhatWasMarkedOrPassed() {
    Stamps stamps = stamps(8);
    stamps.mark(stamps.offset(8), stamps.word(8, 0, Stamps.FREE));
    stamps.mark(stamps.offset(9), stamps.word(1, 1, Stamps.COMMITTED)); // of an earlier turn
    stamps.mark(stamps.offset(10), stamps.word(10, 1, Stamps.ABORTED)); // by a consumer
    stamps.mark(stamps.offset(11), stamps.word(18, 0, Stamps.FREE)); // passed and freed
    assertThat(stamps.relinquish(8, 12)).isEqualTo(2);
    assertThat(stamps.read(stamps.offset(8))).isEqualTo(stamps.word(8, 1, Stamps.ABORTED));
    assertThat(stamps.read(stamps.offset(9))).isEqualTo(stamps.word(9, 1, Stamps.ABORTED));
    assertThat(stamps.read(stamps.offset(10))).isEqualTo(stamps.word(10, 1, Stamps.ABORTED));
    assertThat(stamps.read(stamps.offset(11))).isEqualTo(stamps.word(18, 0, Stamps.FREE));
  }
}
