package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a sequencer that refuses a call and changes something, takes a consumer after its first
 * claim, loses an event during its completion, or stays congested.
 */
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
      Throws.a(error, message, use);
      assertThat(looks()).isEqualTo(before);
    }
  }

  // ---- made ----

  @Test
  void toString_saysHowFarItIs() {
    open(8);
    String kind = producers == Producers.ONE ? "one producer" : "many producers";
    String start = "Sequencer[" + kind + ", capacity=8, claimed=";
    assertThat(sequencer).hasToString(start + "0, consumed=0, open]");
    assertThat(sequencer.capacity()).isEqualTo(8).isEqualTo(sequencer.remainingCapacity());
    SequenceConsumer barrier = newConsumer();
    put(3);
    assertThat(sequencer.tryClaim(2)).isEqualTo(3);
    take(barrier, 0, 1);
    assertThat(sequencer).hasToString(start + "5, consumed=1, open]");
    sequencer.complete();
    assertThat(sequencer).hasToString(start + "5, consumed=1, completed]");
    sequencer.stop();
    assertThat(sequencer).hasToString(start + "5, consumed=1, closed]");
    sequencer.close();
    assertThat(sequencer).hasToString(start + "5, consumed=1, closed]");
  }

  @Test
  void tryClaim_whenThereIsNoBarrier_isRefused() {
    open(2);
    String message = "no consumer yet: create consumers before the first claim";
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
    take(first, 1, 2); // the refused ones hold no thread back
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
  void complete_whenAClaimIsOpen_lettingItBePublished() {
    for (boolean aborts : new boolean[] {false, true}) {
      SequenceConsumer barrier = openWithConsumer(4);
      long first = sequencer.tryClaim(2);
      sequencer.complete();
      assertThat(barrier.tryPoll(4)).isZero();
      assertThat(barrier.isDrained()).as("a claim is open").isFalse();
      assertThat(sequencer.isDrained()).as("a claim is open").isFalse();
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
  void complete_whileAnotherThreadProduces_losesNothing() throws Exception {
    for (int round = 0; round < 50; round++) {
      SequenceConsumer barrier = openWithConsumer(4);
      TestCall<Long> produced = TestCall.of(() -> produceToTheEnd());
      TestCall<Long> consumed =
          TestCall.of(
              () -> {
                long count = 0;
                while (!barrier.isDrained()) {
                  count += barrier.tryPoll(4);
                  release(barrier);
                }
                return count;
              });
      for (int spin = round % 50 * 20; spin > 0; spin--) {
        Thread.onSpinWait();
      }
      sequencer.complete();
      assertThat(consumed.result()).isEqualTo(produced.result());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void abort_ofTheLastClaim_wakesConsumersBehindOthers(boolean isCommitted) throws Exception {
    open(producers.options(4));
    SequenceConsumer first = sequencer.newConsumer(WaitStrategy.parking());
    SequenceConsumer behind = sequencer.newConsumer(WaitStrategy.parking(), first);
    long claimed = sequencer.tryClaim();
    TestCall<Integer> polls = TestCall.of(() -> first.poll(1)).awaitParked(true);
    TestCall<Integer> pollsBehind = TestCall.of(() -> behind.poll(1)).awaitParked(true);
    sequencer.complete();
    polls.awaitParked(true);
    pollsBehind.awaitParked(true);
    if (isCommitted) {
      sequencer.commit(claimed);
      assertThat(polls.result()).isOne();
      first.release();
      assertThat(pollsBehind.result()).isOne();
      behind.release();
    } else {
      sequencer.abort(claimed);
      assertThat(polls.result()).isZero();
      assertThat(pollsBehind.result()).isZero();
    }
    assertThat(sequencer.isDrained()).isTrue();
  }

  private long produceToTheEnd() {
    long count = 0;
    while (true) {
      long sequence = sequencer.tryClaim();
      if (sequence == Sequencer.CLOSED) {
        return count;
      }
      if (sequence >= 0) {
        sequencer.commit(sequence);
        count++;
      }
    }
  }

  private static void release(SequenceConsumer barrier) {
    if (barrier.own.end() != barrier.own.next()) {
      barrier.release();
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
      Throws.illegalState("...", () -> sequencer.commit(2));
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
