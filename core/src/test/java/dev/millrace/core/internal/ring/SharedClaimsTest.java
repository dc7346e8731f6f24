package dev.millrace.core.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a slot that is lost when a consumer gives up a claim between its claim and its mark:
 * moments that no single call of a queue leads to.
 */
class SharedClaimsTest {
  private static final int CAPACITY = 8;
  private static final long STRIDE = 8;

  private final Arena arena = Arena.ofShared();
  private final Stamps stamps = Stamps.of(arena.allocate(CAPACITY * STRIDE, 8), STRIDE, CAPACITY);

  @AfterEach
  void free() {
    arena.close();
  }

  private SharedClaims limited(boolean stampsEach) {
    return claims(64_000, stampsEach);
  }

  private SharedClaims claims(long stallNanos, boolean stampsEach) {
    return new GatedClaims(
        stamps, CAPACITY, stallNanos, stampsEach, new Sequence(), new Sequence());
  }

  private static void advance(SharedClaims claims, long sequence, long end) {
    while (!claims.tryAdvance(sequence, end)) {
      Thread.onSpinWait(); // may fail for no reason
    }
  }

  private long word(long sequence) {
    return stamps.read(stamps.offset(sequence));
  }

  /** How many slots a consumer may pass, or {@link Stamps#LOOK_AGAIN}. */
  private static int gapAt(SharedClaims claims, long sequence) {
    return -claims.ready(sequence, 1);
  }

  private void assertAborted(long... sequences) {
    for (long sequence : sequences) {
      assertThat(word(sequence)).isEqualTo(stamps.word(sequence, 1, Stamps.ABORTED));
    }
  }

  private static void giveUp(SharedClaims claims, long sequence) {
    int gap;
    while ((gap = gapAt(claims, sequence)) == 0) {
      Thread.onSpinWait();
    }
    assertThat(gap).isEqualTo(Stamps.LOOK_AGAIN);
  }

  @Test
  void tryAdvance_whenTheTailIsElsewhereOrClosed_fails() {
    SharedClaims claims = claims(WaitStrategy.FOREVER, false);
    advance(claims, 0, 2);
    assertThat(claims.tryAdvance(0, 2)).isFalse();
    assertThat(claims.tail()).isEqualTo(2);
    assertThat(claims.isClosed()).isFalse();
    claims.close();
    claims.close();
    assertThat(claims.isClosed()).isTrue();
    assertThat(claims.tail()).isNegative();
    assertThat(claims.tryAdvance(2, 3)).isFalse();
    assertThat(claims.end()).isEqualTo(2);
    assertThat(claims.claimedCount()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mark_whenGivenUpBefore_claimsNothingAndLeavesTheRest(boolean stampsEach) {
    SharedClaims claims = limited(stampsEach);
    advance(claims, 0, 3);
    giveUp(claims, 0);
    assertThat(gapAt(claims, 0)).as("one slot, for its length is unknown").isEqualTo(1);
    assertThat(claims.revocable().mark(0, 3, 0)).isFalse();
    assertAborted(0, 1, 2);
    assertThat(claims.stalledCount()).isEqualTo(1);
    assertThat(claims.outOfUseCount()).as("no byte was written").isZero();
    assertThat(claims.abortedCount()).isEqualTo(2);
    assertThat(claims.claimedCount()).isEqualTo(3);
    Throws.illegalState(
        "no open claim: sequence=0", () -> claims.revocable().end(0, 3, Stamps.COMMITTED));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void end_whenGivenUpDuringTheCommit_letsGo(boolean stampsEach) {
    SharedClaims claims = limited(stampsEach);
    advance(claims, 0, 6);
    advance(claims, 6, 9); // wraps
    assertThat(claims.revocable().mark(6, 3, 0)).isTrue();
    giveUp(claims, 6);
    assertThat(claims.stalledCount()).isEqualTo(3);
    assertThat(claims.outOfUseCount()).isEqualTo(3);
    assertThat(gapAt(claims, 6)).isEqualTo(3);
    assertThat(claims.revocable().end(6, 3, Stamps.COMMITTED)).isFalse();
    assertThat(word(6)).isEqualTo(stamps.word(6, 3, Stamps.LET_GO));
    assertThat(claims.refusedCount()).isEqualTo(3);
    Throws.illegalState("...", () -> claims.revocable().end(6, 3, Stamps.COMMITTED));
    advance(claims, 9, 17);
    assertThat(gapAt(claims, 14)).as("of a later turn").isEqualTo(Stamps.LOOK_AGAIN);
    assertThat(word(14)).isEqualTo(stamps.word(14, 3, Stamps.ABORTED));
    assertThat(gapAt(claims, 14)).isEqualTo(3);
    assertThat(claims.outOfUseCount()).isZero();
  }

  @Test
  void ready_whenNobodyHasClaimed_neverGivesUp() {
    SharedClaims claims = limited(true);
    for (int look = 0; look < 100_000; look++) {
      assertThat(gapAt(claims, 0)).isZero();
    }
    assertThat(claims.stalledCount()).isZero();
  }

  @Test
  void isUnchanged_whenTheStampHasChangedMeanwhile_isFalse() {
    SharedClaims claims = limited(false);
    advance(claims, 0, 1);
    assertThat(claims.revocable().mark(0, 1, 0)).isTrue();
    giveUp(claims, 0);
    long seen = word(0);
    assertThat(claims.revocable().end(0, 1, Stamps.ABORTED)).isFalse();
    assertThat(claims.revocable().isUnchanged(0, seen)).isFalse();
    assertThat(claims.revocable().isUnchanged(0, word(0))).isTrue();
    assertThat(gapAt(claims, 0)).isEqualTo(1);
  }

  @Test
  void skip_pastAHole_leavesTheSlotsBeforeIt() {
    SharedClaims claims = limited(false);
    advance(claims, 0, 4);
    stamps.mark(stamps.offset(6), stamps.word(6, 2, Stamps.ABANDONED));
    assertThat(claims.revocable().skip(3, 6, 8)).as("the tail is elsewhere").isFalse();
    while (!claims.revocable().skip(4, 6, 8)) {
      Thread.onSpinWait(); // may fail for no reason
    }
    assertThat(claims.end()).isEqualTo(8);
    assertThat(claims.claimedCount()).isEqualTo(4);
    assertThat(claims.abortedCount()).as("nobody had claimed them").isZero();
    assertAborted(4, 5);
    assertThat(word(6)).isEqualTo(stamps.word(6, 2, Stamps.ABANDONED));
  }

  @Test
  void checkLeft_whenTooFewAreLeftInARow_saysSo() {
    SharedClaims claims = limited(false);
    assertThatCode(() -> claims.revocable().checkLeft(CAPACITY)).doesNotThrowAnyException();
    advance(claims, 0, 3);
    advance(claims, 3, 4);
    assertThat(claims.revocable().mark(3, 1, 0)).isTrue();
    giveUp(claims, 3);
    assertThatCode(() -> claims.revocable().checkLeft(7))
        .as("a row may wrap")
        .doesNotThrowAnyException();
    Throws.illegalState(
        "no room left for 8 in a row: stalled producers hold 1 of 8",
        () -> claims.revocable().checkLeft(8));
  }

  @Test
  void relinquish_leavesWhatWasMarkedOrPassed() {
    stamps.mark(stamps.offset(8), stamps.word(8, 0, Stamps.FREE));
    stamps.mark(stamps.offset(9), stamps.word(1, 1, Stamps.COMMITTED)); // of an earlier turn
    stamps.mark(stamps.offset(10), stamps.word(10, 1, Stamps.ABORTED)); // by a consumer
    stamps.mark(stamps.offset(11), stamps.word(18, 0, Stamps.FREE)); // passed and freed
    assertThat(limited(false).revocable().relinquish(8, 12)).isEqualTo(2);
    assertAborted(8, 9, 10);
    assertThat(word(11)).isEqualTo(stamps.word(18, 0, Stamps.FREE));
  }
}
