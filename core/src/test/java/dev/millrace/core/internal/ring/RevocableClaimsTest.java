package dev.millrace.core.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a slot that a stall limit hands out while its late producer may still write to it, or never
 * again, and a count that is off. A model is compared: claims that end in time, late or never,
 * before or after they are marked, for many laps. On one thread, so that each call has one right
 * answer, whenever the clock says that a claim has stalled.
 */
class RevocableClaimsTest {
  private static final int CAPACITY = 8;
  private static final long STRIDE = 8;
  private static final int SEEDS = 30;
  private static final int STEPS = 400;

  private enum State {
    UNMARKED, // claimed, but its stamp does not show it
    OPEN,
    GIVEN_UP, // out of use
    LET_GO // by its producer, and still out of use
  }

  private static final class Claim {
    final long first;
    final int count;
    final long seen; // the first slot's stamp, before the claim
    State state;
    int passed; // slots that were given up one by one before the mark

    Claim(long first, int count, long seen, State state) {
      this.first = first;
      this.count = count;
      this.seen = seen;
      this.state = state;
    }

    boolean isOpenAt(long sequence) {
      return !isOutOfUse() && passed < count && first + passed == sequence;
    }

    boolean isOutOfUse() {
      return state == State.GIVEN_UP || state == State.LET_GO;
    }
  }

  private final Arena arena = Arena.ofShared();
  private final Stamps stamps = Stamps.of(arena.allocate(CAPACITY * STRIDE, 8), STRIDE, CAPACITY);
  private final Sequence head = new Sequence();
  private final Map<String, Long> expected = new HashMap<>();
  private final List<Claim> held = new ArrayList<>(); // by a producer, or out of use
  private Runnable onSlowest = () -> {};
  private Random random;
  private GatedClaims claims;
  private RevocableClaims revocable;

  @AfterEach
  void free() {
    arena.close();
  }

  private void open(boolean stampsEach) {
    stamps.memory().fill((byte) 0);
    head.setRelease(0);
    claims =
        new GatedClaims(stamps, CAPACITY, 640, stampsEach, new Sequence(), head) {
          @Override
          protected long slowest() {
            onSlowest.run();
            return super.slowest();
          }
        };
    revocable = claims.revocable();
    held.clear();
    expected.clear();
  }

  private void count(String name, long number) {
    expected.merge(name, number, Long::sum);
  }

  private long word(long sequence) {
    return stamps.peek(stamps.offset(sequence));
  }

  private void advance(long sequence, long end) {
    while (!claims.tryAdvance(sequence, end)) {
      Thread.onSpinWait(); // may fail for no reason
    }
  }

  // ---- the model ----

  /** The claim whose slots a sequence would begin with and that are out of use; null if none. */
  private Claim holeAt(long sequence) {
    return held.stream()
        .filter(claim -> claim.isOutOfUse() && (sequence - claim.first) % CAPACITY == 0)
        .findFirst()
        .orElse(null);
  }

  private int outOfUse() {
    return held.stream().filter(Claim::isOutOfUse).mapToInt(claim -> claim.count).sum();
  }

  /** Whether that many slots in a row are in use; the row may wrap unless it must be contiguous. */
  private boolean isLeft(int count, boolean isContiguous) {
    boolean[] isOut = new boolean[CAPACITY];
    for (Claim claim : held) {
      for (int i = 0; claim.isOutOfUse() && i < claim.count; i++) {
        isOut[(int) (claim.first + i) % CAPACITY] = true;
      }
    }
    for (int from = 0; from < CAPACITY; from++) {
      int row = 0;
      while (row < count
          && !(isContiguous && from + row == CAPACITY)
          && !isOut[(from + row) % CAPACITY]) {
        row++;
      }
      if (row == count) {
        return true;
      }
    }
    return outOfUse() == 0;
  }

  private static boolean isRefused(Runnable claim) {
    try {
      claim.run();
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private void assertAsItShouldBe() {
    Map<String, Long> found = new HashMap<>();
    found.put("claimed", claims.claimedCount());
    found.put("aborted", claims.abortedCount());
    found.put("refused", claims.refusedCount());
    found.put("stalled", claims.stalledCount());
    found.values().removeIf(value -> value == 0);
    expected.values().removeIf(value -> value == 0);
    assertThat(found).isEqualTo(expected);
    assertThat(claims.outOfUseCount()).isEqualTo(outOfUse());
    for (int count = 1; count <= CAPACITY; count++) {
      int wanted = count;
      assertThat(isRefused(() -> revocable.checkLeft(wanted)))
          .as("too few for %s", count)
          .isEqualTo(!isLeft(count, false));
      assertThat(isRefused(() -> revocable.checkLeft(wanted, true)))
          .as("too few for %s side by side", count)
          .isEqualTo(!isLeft(count, true));
    }
  }

  // ---- steps ----

  /** Claims behind what is out of use, if there is room. */
  private void claim(int count) {
    long limit = head.getOpaque() + CAPACITY;
    long first = claims.end();
    long end = first;
    while (end < first + count && first + count <= limit) {
      Claim hole = holeAt(end);
      end++;
      if (hole != null) {
        end += hole.count - 1;
        first = end <= limit ? end : limit; // no room behind it
      }
    }
    boolean fits = first + count <= limit;
    long[] claimed = {Ring.NONE};
    boolean isRefused = isRefused(() -> claimed[0] = claims.tryClaim(count));
    assertThat(claimed[0]).isEqualTo(fits ? first : Ring.NONE);
    assertThat(isRefused).isEqualTo(!fits && !isLeft(count, false));
    if (fits) {
      assertThat(revocable.countAt(first)).isEqualTo(count);
      held.add(new Claim(first, count, 0, State.OPEN));
      count("claimed", count);
    }
  }

  /** Claims, and does not come to the mark. */
  private void claimUnmarked(int count) {
    long first = claims.end();
    for (long sequence = first; sequence < first + count; sequence++) {
      if (sequence >= head.getOpaque() + CAPACITY || holeAt(sequence) != null) {
        return;
      }
    }
    long seen = word(first);
    advance(first, first + count);
    held.add(new Claim(first, count, seen, State.UNMARKED));
    count("claimed", count);
  }

  private void mark(Claim claim) {
    boolean isInTime = claim.passed == 0;
    assertThat(revocable.mark(claim.first, claim.count, claim.seen)).isEqualTo(isInTime);
    if (isInTime) {
      claim.state = State.OPEN;
    } else {
      held.remove(claim);
      count("aborted", claim.count - claim.passed);
    }
  }

  private void end(Claim claim) {
    long state = random.nextBoolean() ? Stamps.COMMITTED : Stamps.ABORTED;
    boolean isInTime = claim.state == State.OPEN;
    assertThat(revocable.end(claim.first, claim.count, state)).isEqualTo(isInTime);
    if (isInTime) {
      held.remove(claim);
      count("aborted", state == Stamps.ABORTED ? claim.count : 0);
    } else {
      claim.state = State.LET_GO;
      count("refused", claim.count);
    }
  }

  /** Looks at the next slot; passes it if it can be. */
  private void consume() {
    long sequence = head.getOpaque();
    boolean isClaimed = sequence < claims.end();
    long before = word(sequence);
    int ready = claims.ready(sequence, 1);
    Claim open = held.stream().filter(claim -> claim.isOpenAt(sequence)).findFirst().orElse(null);
    Claim hole = holeAt(sequence);
    if (!isClaimed) {
      assertThat(ready).isZero();
    } else if (open != null) {
      assertThat(ready).isIn(0, Stamps.LOOK_AGAIN);
      giveUp(open, ready == Stamps.LOOK_AGAIN);
    } else if (hole != null && stamps.compareTurn(before, sequence) < 0) {
      assertThat(ready).isEqualTo(Stamps.LOOK_AGAIN);
      if (hole.state == State.LET_GO) {
        held.remove(hole);
      }
    } else {
      assertThat(ready).isEqualTo(hole == null && ready > 0 ? 1 : -Stamps.countOf(before));
      head.setRelease(sequence + Stamps.countOf(before));
    }
  }

  private void giveUp(Claim claim, boolean isGivenUp) {
    if (isGivenUp && claim.state == State.OPEN) {
      claim.state = State.GIVEN_UP;
      count("stalled", claim.count);
    } else if (isGivenUp) {
      claim.passed++;
      count("stalled", 1);
    }
  }

  private void step() {
    Claim claim = held.isEmpty() ? null : held.get(random.nextInt(held.size()));
    switch (random.nextInt(8)) {
      case 0 -> claim(1 + random.nextInt(random.nextBoolean() ? 3 : CAPACITY));
      case 1 -> claimUnmarked(1 + random.nextInt(3));
      case 2 -> {
        if (claim != null) {
          endOrMark(claim);
        }
      }
      case 3, 4 -> consume();
      default -> { // long enough to give up what is next
        for (int look = 0; look < 40; look++) {
          consume();
        }
      }
    }
    assertAsItShouldBe();
  }

  private void endOrMark(Claim claim) {
    if (claim.state == State.UNMARKED) {
      mark(claim);
    } else if (claim.state != State.LET_GO) {
      end(claim);
    }
  }

  /** Ends all claims, and consumes all, until the slots that were let go are in use again. */
  private void bringBack() {
    List.copyOf(held).forEach(this::endOrMark);
    List.copyOf(held).forEach(this::endOrMark); // those that were marked now
    while (!held.isEmpty() || head.getOpaque() < claims.end()) {
      consume();
      if (!held.isEmpty() && head.getOpaque() == claims.end()) {
        claim(1);
        held.stream().filter(claim -> claim.state == State.OPEN).toList().forEach(this::end);
      }
    }
  }

  /** Claimers look for slots that are out of use only while some are. */
  private void assertClaimersLook(boolean isLooking) {
    long next = claims.end();
    long word = word(next);
    stamps.mark(stamps.offset(next), stamps.word(next - CAPACITY, 1, Stamps.LET_GO));
    long claimed = claims.tryClaim(1);
    assertThat(claimed - next).isEqualTo(isLooking ? 1 : 0);
    if (isLooking) {
      stamps.mark(stamps.offset(next), word);
      assertThat(revocable.relinquish(next, next + 1)).isEqualTo(1);
    }
    assertThat(revocable.end(claimed, 1, Stamps.COMMITTED)).isTrue();
    passAll();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void randomOperations_agreeWithTheModel(boolean stampsEach) {
    long stalled = 0;
    long laps = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      random = new Random(seed);
      open(stampsEach);
      try {
        for (int step = 0; step < STEPS; step++) {
          step();
        }
        bringBack();
        assertAsItShouldBe();
        assertThat(claims.outOfUseCount()).isZero();
        assertClaimersLook(false);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
      stalled += claims.stalledCount();
      laps += claims.end() / CAPACITY;
    }
    assertThat(stalled).isGreaterThan(SEEDS);
    assertThat(laps).isGreaterThan(SEEDS);
  }

  // ---- exchanges that another consumer or the producer won ----

  private void stall() {
    long sequence = head.getOpaque();
    while (claims.ready(sequence, 1) != Stamps.LOOK_AGAIN) {
      Thread.onSpinWait(); // until it is given up
    }
  }

  private void pass() {
    head.setRelease(head.getOpaque() - claims.ready(head.getOpaque(), 1));
  }

  private void assertCounts(long aborted, long refused, long stalled, int outOfUse) {
    assertThat(claims.abortedCount()).as("aborted").isEqualTo(aborted);
    assertThat(claims.refusedCount()).as("refused").isEqualTo(refused);
    assertThat(claims.stalledCount()).as("stalled").isEqualTo(stalled);
    assertThat(claims.outOfUseCount()).as("out of use").isEqualTo(outOfUse);
  }

  /** Two consumers find that a run was let go, and each brings it to this turn. */
  @ParameterizedTest
  @CsvSource({"1, 1", "3, 1", "3, 3"})
  void ready_whenAnotherHasBroughtALetGoRunBack_countsItOnce(int count, int others) {
    open(false);
    assertThat(claims.tryClaim(count)).isZero();
    stall();
    pass();
    assertThat(revocable.end(0, count, Stamps.COMMITTED)).isFalse();
    advance(count, CAPACITY);
    head.setRelease(CAPACITY);
    assertThat(claims.tryClaim(1)).isEqualTo(CAPACITY + count);
    assertCounts(0, count, count, count);
    long word = word(CAPACITY);
    for (int i = 0; i <= others; i++) {
      assertThat(claims.ready(CAPACITY, 1, word)).isEqualTo(Stamps.LOOK_AGAIN);
      assertCounts(0, count, count, 0);
    }
    assertThat(revocable.end(CAPACITY + count, 1, Stamps.COMMITTED)).isTrue();
    head.setRelease(CAPACITY + count + 1);
    assertClaimersLook(false);
    assertStillKeepsOut();
  }

  /** The next claim that is given up is out of use, and claimers leave it alone. */
  private void assertStillKeepsOut() {
    long next = claims.tryClaim(1);
    assertThat(next).isEqualTo(head.getOpaque());
    int outOfUse = claims.outOfUseCount();
    stall();
    pass();
    assertThat(claims.outOfUseCount()).isEqualTo(outOfUse + 1);
    assertClaimersLook(true);
    for (int lap = 0; lap < 2 * CAPACITY; lap++) {
      long claimed = claims.tryClaim(1);
      assertThat((claimed - next) % CAPACITY).as("the slot that is kept").isNotZero();
      assertThat(revocable.end(claimed, 1, Stamps.COMMITTED)).isTrue();
      passAll();
    }
  }

  /** A consumer gives up what another has given up, as a marked claim or before the mark. */
  @ParameterizedTest
  @CsvSource({"true, 1", "true, 3", "false, 1"})
  void ready_whenAnotherHasGivenUpTheClaim_countsNothing(boolean isMarked, int count) {
    open(false);
    if (isMarked) {
      assertThat(claims.tryClaim(count)).isZero();
    } else {
      advance(0, count);
    }
    long word = word(0);
    stall(); // from now on the watch says that it has stalled
    int outOfUse = isMarked ? count : 0;
    assertCounts(0, 0, count, outOfUse);
    assertGivesUpInVain(word);
    assertCounts(0, 0, count, outOfUse);
    pass();
    if (isMarked) {
      assertThat(revocable.end(0, count, Stamps.ABORTED)).isFalse();
      assertCounts(0, count, count, count);
      comeRound(count);
    }
    assertCounts(0, outOfUse, count, 0);
    assertClaimersLook(false);
    assertStillKeepsOut();
  }

  private void assertGivesUpInVain(long word) {
    for (int look = 0; look < 40; look++) { // some of them when the watch is due
      assertThat(claims.ready(head.getOpaque(), 1, word)).isIn(0, Stamps.LOOK_AGAIN);
      Thread.onSpinWait();
    }
  }

  /** A consumer gives up what its producer has just ended. */
  @ParameterizedTest
  @CsvSource({"2, 1", "2, 3", "3, 1", "3, 3"})
  void ready_whenTheProducerHasEndedTheClaim_countsNothing(long state, int count) {
    open(false);
    assertThat(claims.tryClaim(count)).isZero();
    long word = word(0);
    assertThat(revocable.end(0, count, state)).isTrue();
    while (claims.ready(0, 1, word) != Stamps.LOOK_AGAIN) {
      Thread.onSpinWait(); // until its consumer would give it up
    }
    assertCounts(state == Stamps.ABORTED ? count : 0, 0, 0, 0);
    head.setRelease(count);
    assertClaimersLook(false);
    assertStillKeepsOut();
  }

  // ---- claimers that skip ----

  /** Consumers that pass what is skipped, as soon as it is, never let a claimer run into them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, CAPACITY})
  void tryClaim_whenAllSlotsAreOutOfUse_skipsOneLapAndIsRefused(int count) {
    open(false);
    while (claims.end() < CAPACITY) {
      assertThat(claims.tryClaim(count)).isEqualTo(head.getOpaque());
      stall();
      pass();
    }
    onSlowest =
        () -> {
          assertThat(claims.end()).as("goes round").isLessThanOrEqualTo(3 * CAPACITY);
          passAll();
        };
    assertThat(isRefused(() -> claims.tryClaim(1))).isTrue();
    assertThat(claims.end()).isEqualTo(2 * CAPACITY);
    assertThat(claims.skippedCount()).isEqualTo(CAPACITY);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void trySkip_ofARun_movesTheTailUpToTheLimitUnlessTheStampHasChanged(int count) {
    open(false);
    assertThat(claims.tryClaim(count)).isZero();
    stall();
    pass();
    advance(count, CAPACITY);
    head.setRelease(CAPACITY);
    long end = (long) CAPACITY + count;
    long before = word(CAPACITY);
    assertThat(revocable.trySkip(CAPACITY, before, end - 1)).as("past the limit").isFalse();
    assertThat(revocable.end(0, count, Stamps.COMMITTED)).as("lets go").isFalse();
    assertThat(revocable.trySkip(CAPACITY, before, end)).as("may try again").isTrue();
    assertThat(claims.end()).as("by a stamp that has changed").isEqualTo(CAPACITY);
    long word = word(CAPACITY);
    while (claims.end() == CAPACITY) { // the exchange may fail for no reason
      assertThat(revocable.trySkip(CAPACITY, word, end)).isTrue();
    }
    assertThat(claims.end()).isEqualTo(end);
    assertThat(claims.skippedCount()).isEqualTo(count);
    assertThat(revocable.trySkip(end, word(end), Long.MAX_VALUE)).as("in use").isFalse();
  }

  /** Consumes enough records to bring slots let go at the start of the ring back into use. */
  private void comeRound(int count) {
    for (int i = count; i < CAPACITY; i++) {
      long claimed = claims.tryClaim(1);
      assertThat(revocable.end(claimed, 1, Stamps.COMMITTED)).isTrue();
      head.setRelease(claimed + 1);
    }
    long claimed = claims.tryClaim(1);
    assertThat(claimed).as("behind what is out of use").isEqualTo(CAPACITY + count);
    assertThat(revocable.end(claimed, 1, Stamps.COMMITTED)).isTrue();
    passAll();
  }

  private void passAll() {
    while (head.getOpaque() < claims.end()) {
      int ready = claims.ready(head.getOpaque(), 1);
      head.setRelease(head.getOpaque() + (ready == Stamps.LOOK_AGAIN ? 0 : Math.abs(ready)));
    }
  }
}
