package dev.millrace.core.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a stamp whose turn is misread where its 45 bits wrap, and a run that is found longer or
 * shorter than its stamp says.
 */
class StampsTest {
  private static final long STRIDE = 16;
  private static final long TURNS = 1L << 45;

  private final Arena arena = Arena.ofShared();

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
          assertThat(stamps.isAborted(word, sequence)).isEqualTo(state == Stamps.ABORTED);
          assertThat(stamps.isAborted(word, sequence - 4)).as("of another turn").isFalse();
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
      long freed = stamps.word(sequence + capacity, 0, Stamps.FREE);
      assertThat(stamps.compareTurn(freed, sequence)).isPositive();
      assertThat(stamps.compareTurn(freed, sequence + capacity)).isZero();
    }
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

  @Test
  void committedEnd_whereAStampStandsForARun_takesItWhole() {
    Stamps stamps = stamps(8);
    stamps.publish(stamps.offset(6), stamps.word(6, 5, Stamps.COMMITTED)); // wraps
    assertThat(stamps.committedEnd(6, 7)).isEqualTo(11);
    assertThat(stamps.committedEnd(6, 100)).isEqualTo(11);
    stamps.publish(stamps.offset(6), stamps.word(6, 5, Stamps.ABORTED));
    assertThat(stamps.committedEnd(6, 7)).isEqualTo(6);
  }

  /** The counts that a stamp can have, within the ring and across its end. */
  @ParameterizedTest
  @ValueSource(ints = {1, 65_534, 65_535})
  void committedEnd_ofAnyLength_isFoundFromStampToStamp(int count) {
    int capacity = 1 << 17;
    Stamps stamps = stamps(capacity);
    for (long begin :
        new long[] {0, capacity - 1, 3L * capacity - count / 2, TURNS * capacity - count / 2}) {
      long next = begin + count;
      stamps.publish(stamps.offset(begin), stamps.word(begin, count, Stamps.COMMITTED));
      stamps.publish(stamps.offset(next), stamps.word(next, 1, Stamps.COMMITTED));
      assertThat(stamps.committedEnd(begin, begin + 1)).isEqualTo(next);
      assertThat(stamps.committedEnd(begin, next + 9)).isEqualTo(next + 1);
      stamps.mark(stamps.offset(begin), 0);
      stamps.mark(stamps.offset(next), 0);
    }
  }

  @Test
  void publishBehind_leavesTheFirstToTheCaller() {
    Stamps stamps = stamps(4);
    long begin = 4 * TURNS - 2; // the turn wraps in the run
    long claimed = stamps.word(begin, 3, Stamps.CLAIMED);
    stamps.mark(stamps.offset(begin), claimed);
    stamps.publishBehind(begin, 3, Stamps.COMMITTED);
    assertThat(stamps.read(stamps.offset(begin))).isEqualTo(claimed);
    assertThat(stamps.committedEnd(begin, begin + 3)).isEqualTo(begin);
    for (int i = 1; i < 3; i++) {
      assertThat(stamps.read(stamps.offset(begin + i)))
          .isEqualTo(stamps.word(begin + i, 1, Stamps.COMMITTED));
    }
    assertThat(stamps.read(stamps.offset(begin + 3))).isZero();
    stamps.publish(stamps.offset(begin), stamps.word(begin, 1, Stamps.COMMITTED));
    assertThat(stamps.committedEnd(begin, begin + 3)).isEqualTo(begin + 3);
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
}
