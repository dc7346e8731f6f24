package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a producer that is not woken by room or by the end of the ring, has claimed something when
 * it is interrupted or its time is over, or waits although its policy is to drop.
 */
@ParameterizedClass
@EnumSource(Producers.class)
class SequencerWaitsTest extends SequencerFixture {
  private static final int CAPACITY = 4;

  @Parameter Producers producers;

  private SequenceConsumer consumer;

  private void openFull(WaitStrategy waits, OnFull policy) {
    open(producers.options(CAPACITY).withProducerWaits(waits).withOnFull(policy));
    consumer = newConsumer();
    put(CAPACITY);
  }

  private void openFull(WaitStrategy waits) {
    openFull(waits, OnFull.WAIT);
  }

  private void release(int count) {
    assertThat(consumer.tryPoll(count)).isEqualTo(count);
    consumer.release();
  }

  private void assertCounts(long dropped, long signalled) {
    long claimed = sequencer.claimedEnd();
    assertThat(Counters.of(sequencer))
        .isEqualTo(new Counters(claimed, 0, dropped, signalled, 0, 0, 0));
  }

  // ---- a claim that waits ----

  @Test
  void claim_whenFull_waitsUntilEnoughIsReleased() throws Exception {
    for (WaitStrategy strategy : Waits.strategies()) {
      openFull(strategy);
      TestCall<Long> claimer =
          TestCall.of(() -> sequencer.claim(2)).awaitParked(strategy.canPark());
      assertThat(sequencer.claimedEnd()).isEqualTo(CAPACITY);
      release(1);
      claimer.awaitParked(strategy.canPark()); // or is woken without a need, and parks again
      assertThat(sequencer.claimedEnd()).isEqualTo(CAPACITY);
      release(1);
      assertThat(claimer.result()).isEqualTo(CAPACITY);
      assertCounts(0, 0);
    }
  }

  /** Without a pipeline, and with assertions enabled. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void claim_byTheThreadThatHasTheOldestInHand_isRefused(int workers) throws Exception {
    open(producers.options(CAPACITY));
    SequenceConsumer first = newConsumers(workers, YIELDS).getFirst();
    consumer = newConsumer(first);
    put(CAPACITY);
    assertThat(first.tryPoll(1)).isOne();
    Throws.illegalState("a handler cannot wait for room in its own ring, ...", sequencer::claim);
    first.release();
    assertThat(first.tryPoll(1)).isOne();
    TestCall<Boolean> behind = TestCall.run(() -> release(1)); // makes room
    assertThat(sequencer.claim()).isEqualTo(CAPACITY);
    assertThat(behind.result()).isTrue();
    sequencer.commit(CAPACITY);
    TestCall<Long> claimer = TestCall.of(sequencer::claim);
    claimer.awaitParked(sequencer.options.producerWaits().canPark());
    first.release();
    release(1);
    assertThat(claimer.result()).as("it has nothing in hand").isEqualTo(CAPACITY + 1);
  }

  @Test
  void claim_whenInterrupted_throwsAndClaimsNothing() throws Exception {
    for (WaitStrategy strategy : Waits.strategiesAndSleeper()) {
      openFull(strategy);
      TestCall<Long> claimer = TestCall.of(sequencer::claim).awaitParked(strategy.canPark());
      claimer.thread().interrupt();
      assertThat(claimer.failure()).isInstanceOf(InterruptedException.class);
      assertCounts(0, 0);
      release(1);
      assertThat(sequencer.claim()).isEqualTo(CAPACITY);
    }
  }

  @Test
  void claim_whenInterruptedButNotFull_doesNotWaitAndKeepsTheFlag() throws Exception {
    openFull(WaitStrategy.parking());
    release(1);
    Thread.currentThread().interrupt();
    assertThat(sequencer.claim()).isEqualTo(CAPACITY);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void claim_whenItsTimePasses_isFull() throws Exception {
    for (WaitStrategy strategy : Waits.strategiesAndSleeper()) {
      openFull(strategy);
      long begin = System.nanoTime();
      assertThat(sequencer.claim(2, Duration.ofMillis(2))).isEqualTo(Sequencer.FULL);
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
      assertCounts(0, 0);
      assertThat(sequencer.claim(1, Duration.ofDays(0))).isEqualTo(Sequencer.FULL);
      assertThat(sequencer.claim(1, Duration.ofDays(-200_000))).isEqualTo(Sequencer.FULL);
      assertCounts(0, 0);
      release(2);
      assertThat(sequencer.claim(2, Duration.ofDays(0))).isEqualTo(CAPACITY);
    }
  }

  @Test
  void claim_whenTimeoutIsNull_isRefused() {
    openFull(WaitStrategy.parking());
    Throws.nullArgument("timeout", () -> sequencer.claim(1, null));
    assertCounts(0, 0);
  }

  /** A blocked producer always gets out, however the ring ends and however it waits. */
  @Test
  void claim_whenClosedWhileItWaits_isClosed() throws Exception {
    int claimers = producers == Producers.ONE ? 1 : 3;
    List<Consumer<Sequencer>> ends =
        List.of(
            Sequencer::complete,
            Sequencer::stop,
            sequencer -> sequencer.fail(new IllegalStateException("planned")));
    for (WaitStrategy strategy : Waits.strategiesAndSleeper()) {
      for (Consumer<Sequencer> end : ends) {
        openFull(strategy);
        List<TestCall<Long>> running = new ArrayList<>();
        for (int i = 0; i < claimers; i++) {
          int count = 1 + i;
          boolean isTimed = i == 1;
          running.add(
              TestCall.of(
                  () ->
                      isTimed
                          ? sequencer.claim(count, Duration.ofDays(1))
                          : sequencer.claim(count)));
        }
        running.forEach(claimer -> claimer.awaitParked(strategy.canPark()));
        end.accept(sequencer);
        for (TestCall<Long> claimer : running) {
          assertThat(claimer.result()).isEqualTo(Sequencer.CLOSED);
        }
        assertCounts(0, 0);
      }
    }
  }

  // ---- whom a waiting producer waits for ----

  /** Producers park; only the release of the last consumer, whichever kind, wakes them. */
  @Test
  void claim_whenItWaitsForConsumersBehindOthers_isWokenByTheLast() throws Exception {
    for (int workers : new int[] {0, 2}) {
      open(producers.options(2).withProducerWaits(Waits.PARKS_AT_ONCE));
      SequenceConsumer first = newConsumer();
      SequenceConsumer last = newConsumers(workers, YIELDS, first).getFirst();
      for (long next = 0; next < 40; next += 2) {
        assertThat(sequencer.claim(2)).isEqualTo(next);
        sequencer.commit(next, 2);
        TestCall<Long> claimer = TestCall.of(sequencer::claim);
        claimer.awaitParked(true);
        assertThat(first.tryPoll(2)).isEqualTo(2);
        first.release();
        assertThat(claimer.isOver()).isFalse();
        assertThat(sequencer.claimedEnd()).isEqualTo(next + 2);
        for (int i = 0; i < 2; i++) {
          assertThat(last.tryPoll(1)).isEqualTo(1);
          last.release();
        }
        assertThat(claimer.result()).isEqualTo(next + 2);
        sequencer.abort(next + 2);
        if (producers == Producers.MANY) {
          assertThat(first.tryPoll(1)).isZero(); // passes it
          assertThat(last.tryPoll(1)).isZero();
          next++;
        }
      }
    }
  }

  /** With many producers an aborted slot is free when consumers have come past it. */
  @Test
  void claim_whenAllWasAborted_isWokenByWhoPasses() throws Exception {
    for (int workers = 0; workers < 3; workers++) {
      open(producers.options(2).withProducerWaits(Waits.PARKS_AT_ONCE));
      SequenceConsumer barrier = newConsumers(workers, YIELDS).getFirst();
      for (int round = 0; round < 20; round++) {
        long next = sequencer.claimedEnd();
        assertThat(sequencer.claim(2)).isEqualTo(next);
        sequencer.abort(next, 2);
        TestCall<Long> claimer = TestCall.of(() -> sequencer.claim(2));
        if (producers == Producers.MANY) {
          claimer.awaitParked(true);
          assertThat(sequencer.claimedEnd()).isEqualTo(next + 2);
        }
        assertThat(barrier.tryPoll(1)).isZero();
        long claimed = claimer.result();
        assertThat(claimed).isEqualTo(producers == Producers.ONE ? next : next + 2);
        sequencer.abort(claimed, 2);
        assertThat(barrier.tryPoll(1)).isZero();
      }
    }
  }

  // ---- back-pressure ----

  /** The strategy would wait for ever, so what returns did not wait. */
  @Test
  void claim_whenTheNewestAreDropped_isFullAtOnceAndCounted() throws Exception {
    openFull(WaitStrategy.parking(), OnFull.DROP_NEWEST);
    assertThat(sequencer.claim()).isEqualTo(Sequencer.FULL);
    assertThat(sequencer.claim(3)).isEqualTo(Sequencer.FULL);
    assertCounts(4, 0);
    release(2);
    assertThat(sequencer.claim(3)).as("three do not fit").isEqualTo(Sequencer.FULL);
    assertCounts(7, 0);
    assertThat(sequencer.claim(2)).isEqualTo(CAPACITY);
    assertThat(sequencer.isCongested()).isFalse();
    assertCounts(7, 0);
  }

  /** A timeout of its own wins over the policy; tryClaim only tells. */
  @ParameterizedTest
  @EnumSource
  void claim_withATimeoutOfItsOwn_waitsWhateverThePolicy(OnFull policy) throws Exception {
    if (producers == Producers.ONE && policy == OnFull.DROP_OLDEST) {
      return; // refused
    }
    WaitStrategy strategy = WaitStrategy.parking();
    openFull(strategy, policy);
    assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.FULL);
    assertThat(sequencer.tryClaim(2)).isEqualTo(Sequencer.FULL);
    assertCounts(0, 0);
    TestCall<Long> claimer =
        TestCall.of(() -> sequencer.claim(2, Duration.ofDays(1))).awaitParked(strategy.canPark());
    release(2);
    assertThat(claimer.result()).isEqualTo(CAPACITY);
    sequencer.commit(CAPACITY, 2);
    assertThat(sequencer.claim(2, Duration.ofMillis(1))).isEqualTo(Sequencer.FULL);
    assertCounts(0, 0);
    assertThat(sequencer.isCongested()).isFalse();
  }
}
