package dev.millrace.disruptor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a slot without an event, because its claim was given up or its event discarded, that a
 * consumer takes for an event, waits at for ever or never lets producers use again.
 */
class ConsumerManyProducersTest extends SequencerFixture {
  private static final Duration LIMIT = Duration.ofMillis(1);

  private static RingOptions limited(int capacity) {
    return RingOptions.multiProducer(capacity)
        .withProducerWaits(WaitStrategy.parking())
        .withStallLimit(LIMIT);
  }

  /** Looks for events, where there are none, until that many slots in all were given up. */
  private void awaitStalled(SequenceConsumer barrier, long slots) {
    while (Counters.of(sequencer).stalled() < slots) {
      assertThat(barrier.tryPoll(1)).isZero();
      Thread.onSpinWait();
    }
    assertThat(Counters.of(sequencer).stalled()).isEqualTo(slots);
    assertThat(barrier.tryPoll(1)).isZero(); // passes them
  }

  /** Publishes and takes one by one until a slot that was let go has come round. */
  private void pass(List<SequenceConsumer> inOrder, int events) {
    for (int i = 0; i < events; i++) {
      put(1);
      for (SequenceConsumer barrier : inOrder) {
        assertThat(shown(barrier)).hasSize(1);
      }
    }
  }

  private void assertCounts(long refused, long stalled, int outOfUse) {
    Counters counters = Counters.of(sequencer);
    assertThat(counters.refused()).as("refused").isEqualTo(refused);
    assertThat(counters.stalled()).as("stalled").isEqualTo(stalled);
    assertThat(counters.outOfUse()).as("outOfUse").isEqualTo(outOfUse);
  }

  // ---- claims ----

  /** As between the claim and its mark: a poll must not wait for the claimer. */
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
    Throws.illegalArgument(
        "count must be in 1..65535: count=65536", () -> sequencer.tryClaim(65_536));
    assertThat(sequencer.tryClaim(65_535)).isZero();
    sequencer.commit(0, 65_535);
    assertThat(barrier.tryPoll(1 << 17)).isEqualTo(65_535);
    barrier.release();
  }

  // ---- claims given up ----

  /** All pass it, whichever gives it up; each root in turn is the one that finds it first. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void tryPoll_whenTheOldestClaimStalls_isPassedOverByAll(int finder) {
    int capacity = 8;
    for (int count = 1; count <= 3; count++) {
      for (int begin = 0; begin < capacity; begin++) { // from each slot, so that some wrap
        open(limited(capacity));
        List<SequenceConsumer> workers = sequencer.newSharedConsumers(2, YIELDS);
        List<SequenceConsumer> roots = List.of(newConsumer(), newConsumer(), workers.get(1));
        List<SequenceConsumer> all = new ArrayList<>(roots);
        all.add(newConsumer(roots.get(0), workers.get(0)));
        all.addAll(sequencer.newSharedConsumers(1, YIELDS, roots.get(1)));
        pass(all, begin);
        long late = sequencer.tryClaim(count);
        assertThat(late).isEqualTo(begin);
        put(2);
        while (roots.get(finder).tryPoll(1) == 0) {
          Thread.onSpinWait();
        }
        roots.get(finder).release();
        assertThat(sequencer.publishedEnd()).isEqualTo(late + count + 2);
        assertCounts(0, count, count);
        for (SequenceConsumer barrier : all) {
          List<Long> expected = new ArrayList<>(List.of(late + count, late + count + 1));
          if (barrier == roots.get(finder)) {
            expected.removeFirst();
          }
          assertThat(shown(barrier)).isEqualTo(expected);
        }
        assertThat(isCommitted(late, count)).isFalse();
        assertThat(all).allSatisfy(barrier -> assertThat(shown(barrier)).isEmpty());
        assertCounts(count, count, count);
        pass(all, 2 * capacity); // a lap later it is in use again
        assertCounts(count, count, 0);
        sequencer.abort(sequencer.tryClaim(1), 1);
        all.forEach(barrier -> assertThat(barrier.tryPoll(1)).isZero());
        put(capacity);
        all.forEach(barrier -> assertThat(shown(barrier)).hasSize(capacity));
      }
    }
  }

  @Test
  void tryPoll_whenTheLateProducerHoldsItsSlot_usesOnlyTheOthersForManyLaps() {
    open(limited(4));
    SequenceConsumer first = newConsumer();
    SequenceConsumer other = newConsumer();
    SequenceConsumer behind = newConsumer(first, other);
    long late = sequencer.tryClaim();
    awaitStalled(other, 1);
    for (int lap = 0; lap < 20; lap++) {
      for (int i = 0; i < 3; i++) {
        long sequence = sequencer.tryClaim();
        assertThat(sequence & 3).as("slot").isNotEqualTo(late & 3);
        sequencer.commit(sequence);
      }
      assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.FULL);
      assertThat(shown(first)).hasSize(3);
      assertThat(shown(other)).hasSize(3);
      assertThat(shown(behind)).hasSize(3);
    }
    assertCounts(0, 1, 1);
    assertThat(isCommitted(late, 1)).isFalse();
    pass(List.of(first, other, behind), 8);
    assertCounts(1, 1, 0);
  }

  @Test
  void publishAndAbort_whenLateAndOfAnotherCountOrSequence_areRefusedAndTheSlotsStayHeld() {
    open(limited(4));
    SequenceConsumer barrier = newConsumer();
    pass(List.of(barrier), 2);
    long late = sequencer.tryClaim(2); // the last two slots
    awaitStalled(barrier, 2);
    for (int lap = 0; lap < 3; lap++) {
      for (int count : new int[] {-1, 0, 1, 3, 65_535, 65_536 + 2, Integer.MAX_VALUE}) {
        Throws.illegalArgument(
            "no open claim of sequence=" + late + ", count=" + count,
            () -> sequencer.commit(late, count),
            () -> sequencer.abort(late, count));
      }
      for (long wrong : new long[] {late - 4, late + 1, -2, -6, Sequencer.FULL}) {
        if (wrong == late - 4 && lap > 0) {
          continue; // brought to a later turn, it no longer says of which turn it was
        }
        Throws.illegalArgument(
            "no open claim of sequence=" + wrong + ", count=2", () -> sequencer.commit(wrong, 2));
      }
      assertCounts(0, 2, 2);
      pass(List.of(barrier), 4);
    }
    assertThat(isCommitted(late, 2)).isFalse();
    Throws.illegalArgument("...", () -> sequencer.commit(late, 2)); // twice
    assertCounts(2, 2, 2);
  }

  @Test
  void abort_whenLate_letsGoAsWell() {
    open(limited(4));
    SequenceConsumer barrier = newConsumer();
    long late = sequencer.tryClaim(2);
    awaitStalled(barrier, 2);
    sequencer.abort(late, 2);
    Throws.illegalArgument("...", () -> sequencer.abort(late, 2));
    pass(List.of(barrier), 8);
    assertCounts(2, 2, 0);
    assertThat(Counters.of(sequencer).aborted()).isZero();
  }

  @Test
  void tryPoll_whenThereIsNoLimitOrItIsFar_givesNobodyUp() {
    Duration far = Duration.ofDays(1);
    for (RingOptions options :
        List.of(RingOptions.multiProducer(4), RingOptions.multiProducer(4).withStallLimit(far))) {
      open(options);
      SequenceConsumer barrier = newConsumer();
      long open = sequencer.tryClaim();
      put(1);
      long begin = System.nanoTime();
      for (int look = 0; look < 1_000 || System.nanoTime() - begin < 20_000_000; look++) {
        assertThat(barrier.tryPoll(1)).isZero();
      }
      sequencer.commit(open);
      assertThat(shown(barrier)).containsExactly(0L, 1L);
      assertCounts(0, 0, 0);
    }
  }

  /** A parked consumer checks often enough to give up a claim, though no thread wakes it. */
  @Test
  void poll_whenTheOldestClaimStalls_getsTheEventsBehindIt() throws Exception {
    for (WaitStrategy strategy : Waits.strategies()) {
      for (int workers = 0; workers < 3; workers += 2) {
        open(limited(4));
        SequenceConsumer first = newConsumers(workers, strategy).getFirst();
        SequenceConsumer behind = sequencer.newConsumer(strategy, first);
        long late = sequencer.tryClaim(2);
        put(1);
        TestCall<Integer> last = TestCall.of(() -> behind.poll(4));
        assertThat(first.poll(4)).isEqualTo(1);
        assertThat(first.sequence()).isEqualTo(2);
        first.release();
        assertThat(last.result()).isEqualTo(1);
        assertThat(behind.sequence()).isEqualTo(2);
        behind.release();
        assertThat(isCommitted(late, 2)).isFalse();
      }
    }
  }

  /** A producer that waits for room gets it when a stalled claim before it is passed over. */
  @Test
  void claim_whenFullBehindAStalledClaim_goesOnWithTheOthers() throws Exception {
    open(limited(4));
    SequenceConsumer barrier = sequencer.newConsumer(WaitStrategy.parking());
    assertThat(sequencer.tryClaim()).isZero();
    put(3);
    TestCall<Long> claimer = TestCall.of(() -> sequencer.claim(3)).awaitParked(true);
    int taken = 0;
    while (taken < 3) {
      taken += barrier.poll(1);
      barrier.release();
    }
    assertThat(claimer.result()).isEqualTo(5);
    assertThat(isCommitted(0, 1)).isFalse();
  }

  @Test
  void tryClaim_whenStalledProducersHoldAll_isRefused() {
    open(limited(2));
    SequenceConsumer barrier = newConsumer();
    assertThat(sequencer.tryClaim()).isZero();
    assertThat(sequencer.tryClaim()).isEqualTo(1);
    awaitStalled(barrier, 2);
    Throws.illegalState(
        "no room left: stalled producers hold all of it, capacity=2", sequencer::tryClaim);
    assertThat(isCommitted(0, 1)).isFalse();
    assertThat(isCommitted(1, 1)).isFalse();
  }

  // ---- discarded ----

  @Test
  void discard_hidesEventsFromThoseBehindAndFreesTheirSlots() {
    for (Duration limit : List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(1))) {
      open(RingOptions.multiProducer(8).withStallLimit(limit));
      SoleConsumer first = (SoleConsumer) newConsumer();
      SequenceConsumer behind = newConsumer(first);
      SequenceConsumer worker = sequencer.newSharedConsumers(2, YIELDS, first).getFirst();
      SequenceConsumer last = newConsumer(behind, worker);
      for (int round = 0; round < 40; round++) {
        long next = sequencer.claimedEnd();
        put(7);
        assertThat(first.tryPoll(2)).isEqualTo(2);
        first.release();
        assertThat(first.tryPoll(3)).isEqualTo(3);
        assertThat(first.sequence()).isEqualTo(next + 2);
        first.discard();
        assertThat(first.isAtWork()).isFalse();
        assertThat(shown(behind)).containsExactly(next, next + 1);
        assertThat(first.tryPoll(9)).isEqualTo(2);
        first.release();
        assertThat(shown(worker)).containsExactly(next, next + 1, next + 5, next + 6);
        assertThat(shown(behind)).containsExactly(next + 5, next + 6);
        assertThat(shown(last)).containsExactly(next, next + 1, next + 5, next + 6);
        assertThat(sequencer.remainingCapacity()).isEqualTo(8);
        assertThat(sequencer.publishedEnd()).isEqualTo(next + 7);
      }
      assertThat(Counters.of(sequencer).aborted()).as("they were published").isZero();
    }
  }

  @Test
  void discard_whenItWasTheLast_thoseBehindAreClosed() throws Exception {
    open(RingOptions.multiProducer(8));
    SoleConsumer first = (SoleConsumer) newConsumer();
    SequenceConsumer behind = sequencer.newConsumer(Waits.PARKS_AT_ONCE, first);
    put(8);
    TestCall<Integer> waiter = TestCall.of(() -> behind.poll(1));
    waiter.awaitParked(true);
    sequencer.complete();
    assertThat(first.tryPoll(8)).isEqualTo(8);
    first.discard();
    assertThat(waiter.result()).isZero();
  }

  @Test
  void discard_whenNothingIsPolled_isRefused() {
    open(RingOptions.multiProducer(8));
    SoleConsumer first = (SoleConsumer) newConsumer();
    put(3);
    Throws.illegalState(
        "nothing to release: no open poll, SequenceConsumer[consumed=0, source=3]", first::discard);
    assertThat(shown(first)).containsExactly(0L, 1L, 2L);
  }

  /** Dropped after a check of the deadline: a poll for the next event does not wait for it. */
  @Test
  void poll_behindADiscard_waitsForTheNextEvent() throws Exception {
    open(RingOptions.multiProducer(4));
    SoleConsumer first = (SoleConsumer) newConsumer();
    SequenceConsumer behind = sequencer.newConsumer(WaitStrategy.parking(), first);
    put(2);
    assertThat(first.tryPoll(2)).isEqualTo(2);
    first.discard();
    assertThat(behind.poll(1, Duration.ofMillis(1))).isZero();
    assertThat(behind.progress()).as("it has passed them").isEqualTo(2);
    put(1);
    assertThat(first.tryPoll(1)).isEqualTo(1);
    first.release();
    assertThat(behind.poll(1)).isEqualTo(1);
    assertThat(behind.sequence()).isEqualTo(2);
    behind.release();
  }

  private boolean isCommitted(long sequence, int count) {
    try {
      sequencer.commit(sequence, count);
      return true;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("was given up");
      return false;
    }
  }
}
