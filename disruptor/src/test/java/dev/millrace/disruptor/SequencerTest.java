package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link Sequencer} keeps towards producers, on one thread. */
@ParameterizedClass
@EnumSource(Producers.class)
class SequencerTest extends SequencerFixture {
  @Parameter Producers producers;

  private void open(int capacity) {
    open(producers.options(capacity));
  }

  private SequenceConsumer openWithConsumer(int capacity) {
    open(capacity);
    return newConsumer();
  }

  private static void take(SequenceConsumer barrier, long first, int count) {
    for (long next = first; next < first + count; ) {
      int polled = barrier.tryPoll((int) (first + count - next));
      assertThat(polled).isPositive();
      assertThat(barrier.sequence()).isEqualTo(next);
      next += polled;
      barrier.release();
    }
  }

  /** What can be seen of a sequencer, to find out whether anything has changed. */
  private List<Object> looks() {
    return List.of(
        sequencer.toString(),
        Counters.of(sequencer),
        sequencer.publishedEnd(),
        sequencer.remainingCapacity(),
        sequencer.isCongested());
  }

  private <T extends Throwable> void assertRefused(
      Class<T> error, String message, ThrowingCallable... uses) {
    List<Object> before = looks();
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use).isInstanceOf(error).hasMessage(message);
      assertThat(looks()).isEqualTo(before);
    }
  }

  private String kindName() {
    return producers == Producers.ONE ? "one producer" : "many producers";
  }

  // ---- made ----

  @Test
  void new_hasNothingInIt() {
    open(4);
    for (int barriers = 0; barriers < 2; barriers++) {
      assertThat(sequencer.capacity()).isEqualTo(4);
      assertThat(sequencer.claimedEnd()).isZero();
      assertThat(sequencer.publishedEnd()).isZero();
      assertThat(sequencer.remainingCapacity()).isEqualTo(4);
      assertThat(sequencer.isCompleted()).isFalse();
      assertThat(sequencer.isCongested()).isFalse();
      assertThat(Counters.of(sequencer)).isEqualTo(new Counters(0, 0, 0, 0, 0, 0, 0));
      assertThat(sequencer.toString())
          .isEqualTo("Sequencer[" + kindName() + ", capacity=4, claimed=0, consumed=0, open]");
      SequenceConsumer _ = newConsumer();
    }
  }

  @Test
  void toString_saysHowFarItIs() {
    SequenceConsumer barrier = openWithConsumer(8);
    put(3);
    assertThat(sequencer.tryClaim(2)).isEqualTo(3);
    take(barrier, 0, 1);
    String start = "Sequencer[" + kindName() + ", capacity=8, claimed=5, consumed=1, ";
    assertThat(sequencer.toString()).isEqualTo(start + "open]");
    sequencer.complete();
    assertThat(sequencer.toString()).isEqualTo(start + "completed]");
    sequencer.stop();
    assertThat(sequencer.toString()).isEqualTo(start + "closed]");
    sequencer.close();
    assertThat(sequencer.toString()).isEqualTo(start + "closed]");
  }

  @Test
  void tryClaim_whenThereIsNoBarrier_isRefused() {
    open(2);
    String message = "consumers must be there before the first claim: none is";
    assertRefused(
        IllegalStateException.class,
        message,
        sequencer::tryClaim,
        () -> sequencer.tryClaim(2),
        sequencer::claim);
    SequenceConsumer barrier = newConsumer();
    put(2);
    take(barrier, 0, 2);
  }

  @Test
  void newBarrier_whenSomethingWasClaimed_isRefused() {
    open(2);
    SequenceConsumer first = newConsumer();
    long claimed = sequencer.tryClaim();
    for (int step = 0; step < 3; step++) {
      String message = "consumers must be made before the first claim: " + sequencer;
      WaitStrategy strategy = WaitStrategy.parking();
      assertRefused(
          IllegalStateException.class,
          message,
          () -> sequencer.newConsumer(strategy, first),
          () -> sequencer.newSharedConsumers(2, strategy));
      if (step == 0) {
        sequencer.commit(claimed);
      } else if (step == 1) {
        take(first, 0, 1);
      }
    }
    put(2);
    assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.FULL);
    take(first, 1, 2); // the refused ones hold nobody back
    put(2);
  }

  @Test
  void newBarrier_whenUpstreamIsOfAnother_isRefused() {
    open(2);
    try (Sequencer other = producers.sequencer(2)) {
      SequenceConsumer own = newConsumer();
      SequenceConsumer foreign = other.newConsumer(YIELDS);
      String message = "upstream must be of this sequencer: SequenceConsumer[consumed=0, source=0]";
      assertRefused(
          IllegalArgumentException.class,
          message,
          () -> newConsumer(own, foreign),
          () -> sequencer.newSharedConsumers(2, WaitStrategy.parking(), foreign));
      put(2);
      take(own, 0, 2); // still the last, which producers wait for
      put(2);
    }
  }

  @Test
  void newBarriers_whenArgumentsAreWrong_nameThem() {
    open(2);
    SequenceConsumer own = newConsumer();
    for (int workers : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertRefused(
          IllegalArgumentException.class,
          "workers must be in 1..2147483647: workers=" + workers,
          () -> sequencer.newSharedConsumers(workers, WaitStrategy.parking()));
    }
    String message = "strategy must not be null: strategy=null";
    assertRefused(
        NullPointerException.class,
        message,
        () -> sequencer.newConsumer(null, own),
        () -> sequencer.newSharedConsumers(2, null, own));
    put(2);
    take(own, 0, 2);
    put(2);
  }

  // ---- claims ----

  @Test
  void tryClaim_handsOutSequencesFromZeroWithoutAGap() throws Exception {
    SequenceConsumer barrier = openWithConsumer(8);
    long next = 0;
    for (int round = 0; round < 300; round++) {
      int count = 1 + round % 8;
      long first =
          switch (round % 3) {
            case 0 -> sequencer.tryClaim(count);
            case 1 -> sequencer.claim(count);
            default -> sequencer.claim(count, Duration.ofDays(1));
          };
      assertThat(first).isEqualTo(next);
      assertThat(sequencer.claimedEnd()).isEqualTo(next + count);
      assertThat(sequencer.publishedEnd()).isEqualTo(next);
      assertThat(sequencer.remainingCapacity()).isEqualTo(8 - count);
      sequencer.commit(first, count);
      assertThat(sequencer.publishedEnd()).isEqualTo(next + count);
      take(barrier, next, count);
      next += count;
      assertThat(sequencer.remainingCapacity()).isEqualTo(8);
      assertThat(round % 2 == 0 ? sequencer.tryClaim() : sequencer.claim()).isEqualTo(next);
      sequencer.commit(next);
      take(barrier, next++, 1);
    }
    assertThat(Counters.of(sequencer)).isEqualTo(new Counters(next, 0, 0, 0, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8, 1024})
  void tryClaim_whenTheSlowestIsACapacityBehind_isFullUntilItReleases(int capacity) {
    open(capacity);
    SequenceConsumer fast = newConsumer();
    SequenceConsumer slow = newConsumer();
    for (int i = 0; i < capacity; i++) {
      put(1);
    }
    for (long next = 0; next < 3L * capacity; next++) {
      take(fast, next + (next == 0 ? 0 : capacity - 1), next == 0 ? capacity : 1);
      assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.FULL);
      assertThat(sequencer.remainingCapacity()).isZero();
      assertThat(slow.tryPoll(1)).isEqualTo(1);
      assertThat(sequencer.tryClaim()).as("in hand").isEqualTo(Sequencer.FULL);
      slow.release();
      assertThat(sequencer.remainingCapacity()).isEqualTo(1);
      assertThat(sequencer.tryClaim(2)).as("two do not fit").isEqualTo(Sequencer.FULL);
      put(1);
      assertThat(sequencer.claimedEnd()).isEqualTo(next + capacity + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 5, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void tryClaim_whenCountIsOutOfRange_namesIt(int count) {
    SequenceConsumer barrier = openWithConsumer(4);
    String message = "count must be in 1..4: count=" + count;
    Class<IllegalArgumentException> error = IllegalArgumentException.class;
    assertRefused(
        error,
        message,
        () -> sequencer.tryClaim(count),
        () -> sequencer.claim(count),
        () -> sequencer.claim(count, Duration.ofDays(1)));
    put(4);
    take(barrier, 0, 4);
  }

  /** Longer than what one stamp counts. */
  @Test
  void claim_whenTheRunIsThatOfAWholeLargeRing_isPublishedWhole() {
    int capacity = 1 << 17;
    SequenceConsumer barrier = openWithConsumer(capacity);
    put(3); // so that the run wraps
    take(barrier, 0, 3);
    assertThat(sequencer.tryClaim(capacity)).isEqualTo(3);
    assertThat(barrier.tryPoll(1)).isZero();
    assertThat(sequencer.publishedEnd()).isEqualTo(3);
    sequencer.commit(3, capacity);
    assertThat(sequencer.publishedEnd()).isEqualTo(3 + capacity);
    assertThat(barrier.tryPoll(Integer.MAX_VALUE)).isEqualTo(capacity);
    barrier.release();
    assertThat(barrier.tryPoll(1)).isZero();
  }

  // ---- publish and abort ----

  @Test
  void publish_beforeIt_nothingIsVisible() {
    SequenceConsumer barrier = openWithConsumer(4);
    for (long lap = 0; lap < 9; lap++) {
      assertThat(sequencer.tryClaim(3)).isEqualTo(3 * lap);
      assertThat(barrier.tryPoll(4)).isZero();
      sequencer.commit(3 * lap, 3);
      assertThat(barrier.tryPoll(4)).isEqualTo(3);
      assertThat(barrier.sequence()).isEqualTo(3 * lap);
      barrier.release();
      assertThat(barrier.tryPoll(4)).isZero();
    }
  }

  @Test
  void abort_givesTheSlotsBackInTheWayOfTheKind() {
    SequenceConsumer barrier = openWithConsumer(4);
    long next = 0;
    for (int round = 0; round < 30; round++) {
      int count = 1 + round % 4;
      long first = sequencer.tryClaim(count);
      assertThat(first).isEqualTo(next);
      if (count == 1) {
        sequencer.abort(first);
      } else {
        sequencer.abort(first, count);
      }
      if (producers == Producers.MANY) { // consumers pass what was aborted
        assertThat(sequencer.tryClaim(4)).isEqualTo(Sequencer.FULL);
        next += count;
      }
      assertThat(sequencer.claimedEnd()).isEqualTo(next);
      assertThat(sequencer.publishedEnd()).isEqualTo(next);
      assertThat(barrier.tryPoll(4)).isZero();
      assertThat(sequencer.remainingCapacity()).isEqualTo(4);
      put(4);
      take(barrier, next, 4);
      next += 4;
    }
    long aborted = producers == Producers.ONE ? 0 : next - 4 * 30;
    assertThat(Counters.of(sequencer)).isEqualTo(new Counters(next, aborted, 0, 0, 0, 0, 0));
  }

  private void assertEndsRefused(long first, int count, boolean noneOpen) {
    String message;
    if (producers == Producers.MANY) {
      message = "claim must be open: none is of sequence=" + first + ", count=" + count;
    } else if (noneOpen) {
      message = "claim must be open: none is, " + sequencer;
    } else {
      long open = sequencer.publishedEnd();
      long more = sequencer.claimedEnd() - open - 1;
      message =
          "claim must be that of "
              + open
              + " and "
              + more
              + " more: sequence="
              + first
              + ", count="
              + count;
    }
    Class<? extends Throwable> error =
        producers == Producers.ONE && noneOpen
            ? IllegalStateException.class
            : IllegalArgumentException.class;
    assertRefused(
        error, message, () -> sequencer.commit(first, count), () -> sequencer.abort(first, count));
  }

  @Test
  void publishAndAbort_whenNoClaimIsOpen_areRefused() {
    SequenceConsumer barrier = openWithConsumer(4);
    assertEndsRefused(0, 1, true);
    assertEndsRefused(0, 0, true);
    for (long next = 0; next < 12; next += 2) {
      assertThat(sequencer.tryClaim(2)).isEqualTo(next);
      sequencer.commit(next, 2);
      assertEndsRefused(next, 2, true); // twice
      assertEndsRefused(next + 2, 1, true); // not claimed yet
      assertEndsRefused(next + 4, 2, true); // same slot, next lap
      assertEndsRefused(next - 4, 2, true); // same slot, last lap
      assertEndsRefused(Sequencer.FULL, 1, true);
      assertEndsRefused(Sequencer.CLOSED, 1, true);
      take(barrier, next, 2);
      assertEndsRefused(next, 2, true); // consumed
    }
    long last = sequencer.tryClaim();
    sequencer.abort(last);
    assertEndsRefused(last, 1, true); // aborted
    put(1);
  }

  @Test
  void publishAndAbort_whenOfOtherSlotsThanTheOpenClaim_areRefusedAndItStaysOpen() {
    SequenceConsumer barrier = openWithConsumer(8);
    for (long next = 0; next < 30; next += 3) {
      assertThat(sequencer.tryClaim(3)).isEqualTo(next);
      for (int count : new int[] {Integer.MIN_VALUE, -1, 0, 1, 2, 4, 8, Integer.MAX_VALUE}) {
        assertEndsRefused(next, count, false);
      }
      for (long first : new long[] {next + 1, next + 2, next + 3, next + 8, next - 1, next - 8}) {
        assertEndsRefused(first, 3, false);
        assertEndsRefused(first, 1, false);
      }
      for (long first : new long[] {-1, -3, -8, Long.MIN_VALUE, Long.MAX_VALUE}) {
        assertEndsRefused(first, 3, false);
      }
      assertThat(barrier.tryPoll(8)).isZero();
      sequencer.commit(next, 3);
      take(barrier, next, 3);
    }
  }

  // ---- looks ----

  /** A ring of any state, against what it should be. */
  @Test
  void randomOperations_agreeWithAModel() {
    for (long seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      open(2 << random.nextInt(4));
      Model model = new Model(sequencer, producers, random);
      for (int step = 0; step < 2_000; step++) {
        String where = "seed " + seed + ", step " + step;
        model.step(where);
        model.assertLooks(where);
      }
      assertThat(model.claimedEnd).as("laps").isGreaterThan(10L * sequencer.capacity());
    }
  }

  /** Claims and events as lists; one consumer. */
  private static final class Model {
    private record Claim(long first, int count) {}

    private static final byte OPEN = 0;
    private static final byte PUBLISHED = 1;
    private static final byte ABORTED = 2;

    private final Sequencer sequencer;
    private final SequenceConsumer barrier;
    private final boolean hasMany;
    private final int capacity;
    private final Random random;
    private final List<Claim> open = new ArrayList<>();
    private final byte[] states = new byte[1 << 16];
    private long claimedEnd;
    private long consumed;
    private long aborted;
    private int inHand;

    Model(Sequencer sequencer, Producers producers, Random random) {
      this.sequencer = sequencer;
      this.barrier = sequencer.newConsumer(YIELDS);
      this.hasMany = producers == Producers.MANY;
      this.capacity = sequencer.capacity();
      this.random = random;
    }

    void step(String where) {
      switch (random.nextInt(4)) {
        case 0 -> claim(where);
        case 1 -> end();
        default -> consume(where);
      }
    }

    private void claim(String where) {
      if (!hasMany && !open.isEmpty()) {
        assertThatThrownBy(sequencer::tryClaim)
            .as(where)
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("claim must be committed or aborted before the next: " + sequencer);
        return;
      }
      int count = 1 + random.nextInt(random.nextBoolean() ? 1 : capacity);
      long first = sequencer.tryClaim(count);
      boolean fits = claimedEnd + count <= consumed + capacity;
      assertThat(first).as(where).isEqualTo(fits ? claimedEnd : Sequencer.FULL);
      if (fits) {
        open.add(new Claim(first, count));
        claimedEnd += count;
      }
    }

    private void end() {
      if (open.isEmpty()) {
        return;
      }
      Claim claim = open.remove(random.nextInt(open.size()));
      boolean aborts = random.nextInt(3) == 0;
      if (aborts) {
        sequencer.abort(claim.first, claim.count);
        claimedEnd -= hasMany ? 0 : claim.count;
        aborted += hasMany ? claim.count : 0;
      } else {
        sequencer.commit(claim.first, claim.count);
      }
      for (int i = 0; i < claim.count; i++) {
        states[(int) claim.first + i] = !aborts ? PUBLISHED : hasMany ? ABORTED : OPEN;
      }
    }

    private void consume(String where) {
      if (inHand > 0) {
        barrier.release();
        consumed += inHand;
        inHand = 0;
        return;
      }
      int limit = 1 + random.nextInt(capacity);
      int polled = barrier.tryPoll(limit);
      while (states[(int) consumed] == ABORTED) {
        consumed++;
      }
      assertThat(barrier.sequence()).as(where).isEqualTo(consumed);
      int ready = 0;
      while (ready < limit && states[(int) consumed + ready] == PUBLISHED) {
        ready++;
      }
      assertThat(polled).as(where).isBetween(Math.min(1, ready), ready);
      inHand = polled;
    }

    void assertLooks(String where) {
      long firstOpen = open.stream().mapToLong(Claim::first).min().orElse(claimedEnd);
      assertThat(sequencer.claimedEnd()).as(where).isEqualTo(claimedEnd);
      assertThat(sequencer.publishedEnd()).as(where).isEqualTo(firstOpen);
      assertThat(sequencer.remainingCapacity())
          .as(where)
          .isEqualTo((int) (consumed + capacity - claimedEnd));
      assertThat(Counters.of(sequencer))
          .as(where)
          .isEqualTo(new Counters(claimedEnd, aborted, 0, 0, 0, 0, 0));
      assertThat(barrier.isAtWork()).as(where).isEqualTo(inHand > 0);
      assertThat(barrier.progress()).as(where).isEqualTo(consumed);
    }
  }

  // ---- congestion ----

  @Test
  void isCongested_staysSoUntilHalfIsFree() throws Exception {
    RingOptions options = producers.options(8).withOnFull(OnFull.SIGNAL);
    open(options);
    SequenceConsumer barrier = newConsumer();
    long taken = 0;
    for (int round = 0; round < 5; round++) {
      put(8);
      assertThat(sequencer.tryClaim()).as("tryClaim only tells").isEqualTo(Sequencer.FULL);
      assertThat(sequencer.isCongested()).isFalse();
      assertThat(sequencer.claim(2)).isEqualTo(Sequencer.FULL);
      assertThat(sequencer.isCongested()).isTrue();
      take(barrier, taken, 3);
      assertThat(sequencer.isCongested()).as("3 of 8 are free").isTrue();
      take(barrier, taken + 3, 1);
      assertThat(sequencer.isCongested()).as("half is free").isFalse();
      put(3);
      assertThat(sequencer.isCongested()).as("less is free again").isFalse();
      assertThat(Counters.of(sequencer).signalled()).isEqualTo(2L * (round + 1));
      take(barrier, taken + 4, 7);
      taken += 11;
    }
  }

  // ---- end ----

  @Test
  void complete_lettingNoClaimSucceed_mayBeRepeated() throws Exception {
    SequenceConsumer barrier = openWithConsumer(4);
    put(2);
    for (int repeat = 0; repeat < 3; repeat++) {
      sequencer.complete();
      assertThat(sequencer.isCompleted()).isTrue();
      assertThat(sequencer.isStopped()).isFalse();
      assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.CLOSED);
      assertThat(sequencer.tryClaim(4)).as("not full").isEqualTo(Sequencer.CLOSED);
      assertThat(sequencer.claim()).isEqualTo(Sequencer.CLOSED);
      assertThat(sequencer.claim(4)).isEqualTo(Sequencer.CLOSED);
      assertThat(sequencer.claim(4, Duration.ofDays(1))).isEqualTo(Sequencer.CLOSED);
      assertThat(sequencer.claimedEnd()).isEqualTo(2);
      assertThat(sequencer.publishedEnd()).isEqualTo(2);
      assertThat(sequencer.remainingCapacity()).isEqualTo(2);
    }
    take(barrier, 0, 2);
    assertDrained(barrier);
    assertThat(Counters.of(sequencer)).isEqualTo(new Counters(2, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void complete_whenAClaimIsOpen_lettingItBePublished() {
    for (boolean aborts : new boolean[] {false, true}) {
      SequenceConsumer barrier = openWithConsumer(4);
      long first = sequencer.tryClaim(2);
      sequencer.complete();
      if (producers == Producers.MANY) { // exact, whoever completes
        assertThat(barrier.tryPoll(4)).isZero();
      }
      if (aborts) {
        sequencer.abort(first, 2);
      } else {
        sequencer.commit(first, 2);
        take(barrier, 0, 2);
      }
      assertDrained(barrier);
    }
  }

  @Test
  void close_abandonsAndMayBeRepeated() throws Exception {
    SequenceConsumer barrier = openWithConsumer(4);
    put(2);
    for (int repeat = 0; repeat < 3; repeat++) {
      sequencer.close();
      assertThat(sequencer.isCompleted()).isTrue();
      assertThat(sequencer.isStopped()).isTrue();
      assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.CLOSED);
      assertThat(sequencer.claim(2)).isEqualTo(Sequencer.CLOSED);
      assertDrained(barrier);
      assertThat(barrier.poll(4)).isZero();
      assertThat(barrier.isDrained()).isTrue();
    }
    if (producers == Producers.MANY) { // its stamps are gone
      assertThatThrownBy(() -> sequencer.commit(2)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void fail_abandonsAndKeepsTheFirstCause() {
    SequenceConsumer barrier = openWithConsumer(4);
    assertThat(sequencer.failure()).isNull();
    Throwable first = new IllegalStateException("first");
    sequencer.fail(first);
    sequencer.fail(new IllegalStateException("second"));
    assertThat(sequencer.failure()).isSameAs(first);
    assertThat(sequencer.isStopped()).isTrue();
    assertDrained(barrier);
  }
}
