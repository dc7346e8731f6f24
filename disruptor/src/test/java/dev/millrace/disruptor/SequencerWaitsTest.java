package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Waits.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What producers do while the ring is full, with each strategy and each back-pressure. */
@ParameterizedClass
@EnumSource(Producers.class)
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SequencerWaitsTest {
  private static final int CAPACITY = 4;

  @Parameter Producers producers;

  /** Those of all, and one that would sleep through the test. */
  private static List<WaitStrategy> strategies() {
    List<WaitStrategy> strategies = new ArrayList<>(Waits.strategies());
    strategies.add(WaitStrategy.sleeping(Duration.ofDays(1)));
    return strategies;
  }

  /** A full ring, and its one consumer. */
  private record Full(Sequencer sequencer, SequenceConsumer barrier) {
    Full(RingOptions options) {
      this(Sequencer.of(options));
    }

    private Full(Sequencer sequencer) {
      this(sequencer, sequencer.newConsumer(WaitStrategy.yielding()));
      assertThat(sequencer.tryClaim(CAPACITY)).isZero();
      sequencer.commit(0, CAPACITY);
    }

    void release(int count) {
      assertThat(barrier.tryPoll(count)).isEqualTo(count);
      barrier.release();
    }

    void assertCounts(long dropped, long signalled) {
      long claimed = sequencer.claimedEnd();
      assertThat(Counters.of(sequencer))
          .isEqualTo(new Counters(claimed, 0, dropped, signalled, 0, 0, 0));
    }
  }

  private Full full(WaitStrategy waits, OnFull policy) {
    return new Full(producers.options(CAPACITY).withProducerWaits(waits).withOnFull(policy));
  }

  private Full full(WaitStrategy waits) {
    return full(waits, OnFull.WAIT);
  }

  // ---- a claim that waits ----

  @Test
  void claim_whenFull_waitsUntilEnoughIsReleased() throws Exception {
    for (WaitStrategy strategy : Waits.strategies()) {
      Full full = full(strategy);
      Running<Long> claimer = Running.start(() -> full.sequencer.claim(2)).awaitParked(strategy);
      assertThat(full.sequencer.claimedEnd()).isEqualTo(CAPACITY);
      full.release(1);
      claimer.awaitParked(strategy); // or is woken in vain, and parks again
      assertThat(full.sequencer.claimedEnd()).isEqualTo(CAPACITY);
      full.release(1);
      assertThat(claimer.result()).isEqualTo(CAPACITY);
      full.assertCounts(0, 0);
      full.sequencer.close();
    }
  }

  @Test
  void claim_whenInterrupted_throwsAndClaimsNothing() throws Exception {
    for (WaitStrategy strategy : strategies()) {
      Full full = full(strategy);
      Running<Long> claimer = Running.start(full.sequencer::claim).awaitParked(strategy);
      claimer.thread().interrupt();
      assertThatThrownBy(claimer::result)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InterruptedException.class);
      full.assertCounts(0, 0);
      full.release(1);
      assertThat(full.sequencer.claim()).isEqualTo(CAPACITY);
      full.sequencer.close();
    }
  }

  @Test
  void claim_whenInterruptedButNotFull_doesNotWaitAndKeepsTheFlag() throws Exception {
    Full full = full(WaitStrategy.parking());
    full.release(1);
    Thread.currentThread().interrupt();
    assertThat(full.sequencer.claim()).isEqualTo(CAPACITY);
    assertThat(Thread.interrupted()).isTrue();
    full.sequencer.close();
  }

  @Test
  void claim_whenItsTimePasses_isFull() throws Exception {
    for (WaitStrategy strategy : strategies()) {
      Full full = full(strategy);
      long begin = System.nanoTime();
      assertThat(full.sequencer.claim(2, Duration.ofMillis(2))).isEqualTo(Sequencer.FULL);
      assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
      full.assertCounts(0, 0);
      assertThat(full.sequencer.claim(1, Duration.ofDays(0))).isEqualTo(Sequencer.FULL);
      assertThat(full.sequencer.claim(1, Duration.ofDays(-200_000))).isEqualTo(Sequencer.FULL);
      full.assertCounts(0, 0);
      full.release(2);
      assertThat(full.sequencer.claim(2, Duration.ofDays(0))).isEqualTo(CAPACITY);
      full.sequencer.close();
    }
  }

  @Test
  void claim_whenTimeoutIsNull_isRefused() {
    Full full = full(WaitStrategy.parking());
    assertThatThrownBy(() -> full.sequencer.claim(1, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("timeout must not be null: timeout=null");
    full.assertCounts(0, 0);
    full.sequencer.close();
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
    for (WaitStrategy strategy : strategies()) {
      for (Consumer<Sequencer> end : ends) {
        Full full = full(strategy);
        List<Running<Long>> running = new ArrayList<>();
        for (int i = 0; i < claimers; i++) {
          int count = 1 + i;
          boolean isTimed = i == 1;
          running.add(
              Running.start(
                  () ->
                      isTimed
                          ? full.sequencer.claim(count, Duration.ofDays(1))
                          : full.sequencer.claim(count)));
        }
        running.forEach(claimer -> claimer.awaitParked(strategy));
        end.accept(full.sequencer);
        for (Running<Long> claimer : running) {
          assertThat(claimer.result()).isEqualTo(Sequencer.CLOSED);
        }
        full.assertCounts(0, 0);
        full.sequencer.close();
      }
    }
  }

  // ---- whom a waiting producer waits for ----

  /** Producers park; only the release of the last consumer, whichever kind, wakes them. */
  @Test
  void claim_whenItWaitsForConsumersBehindOthers_isWokenByTheLast() throws Exception {
    for (boolean isShared : new boolean[] {false, true}) {
      Sequencer sequencer =
          Sequencer.of(producers.options(2).withProducerWaits(Waits.PARKS_AT_ONCE));
      SequenceConsumer first = sequencer.newConsumer(WaitStrategy.yielding());
      SequenceConsumer last =
          isShared
              ? sequencer.newSharedConsumers(2, WaitStrategy.yielding(), first).getFirst()
              : sequencer.newConsumer(WaitStrategy.yielding(), first);
      for (long next = 0; next < 40; next += 2) {
        assertThat(sequencer.claim(2)).isEqualTo(next);
        sequencer.commit(next, 2);
        Running<Long> claimer = Running.start(sequencer::claim);
        claimer.awaitParked(Waits.PARKS_AT_ONCE);
        assertThat(first.tryPoll(2)).isEqualTo(2);
        first.release();
        assertThat(claimer.thread().isAlive()).isTrue();
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
      sequencer.close();
    }
  }

  /** With many producers an aborted slot is free when consumers have come past it. */
  @Test
  void claim_whenAllWasAborted_isWokenByWhoPasses() throws Exception {
    for (int workers = 0; workers < 3; workers++) {
      Sequencer sequencer =
          Sequencer.of(producers.options(2).withProducerWaits(Waits.PARKS_AT_ONCE));
      SequenceConsumer barrier =
          workers == 0
              ? sequencer.newConsumer(WaitStrategy.yielding())
              : sequencer.newSharedConsumers(workers, WaitStrategy.yielding()).getFirst();
      for (int round = 0; round < 20; round++) {
        long next = sequencer.claimedEnd();
        assertThat(sequencer.claim(2)).isEqualTo(next);
        sequencer.abort(next, 2);
        Running<Long> claimer = Running.start(() -> sequencer.claim(2));
        if (producers == Producers.MANY) {
          claimer.awaitParked(Waits.PARKS_AT_ONCE);
          assertThat(sequencer.claimedEnd()).isEqualTo(next + 2);
        }
        assertThat(barrier.tryPoll(1)).isZero();
        long claimed = claimer.result();
        assertThat(claimed).isEqualTo(producers == Producers.ONE ? next : next + 2);
        sequencer.abort(claimed, 2);
        assertThat(barrier.tryPoll(1)).isZero();
      }
      sequencer.close();
    }
  }

  // ---- back-pressure ----

  /** The strategy would wait for ever, so what returns did not wait. */
  @Test
  void claim_whenTheNewestAreDropped_isFullAtOnceAndCounted() throws Exception {
    Full full = full(WaitStrategy.parking(), OnFull.DROP_NEWEST);
    assertThat(full.sequencer.claim()).isEqualTo(Sequencer.FULL);
    assertThat(full.sequencer.claim(3)).isEqualTo(Sequencer.FULL);
    full.assertCounts(4, 0);
    full.release(2);
    assertThat(full.sequencer.claim(3)).as("three do not fit").isEqualTo(Sequencer.FULL);
    full.assertCounts(7, 0);
    assertThat(full.sequencer.claim(2)).isEqualTo(CAPACITY);
    assertThat(full.sequencer.isCongested()).isFalse();
    full.assertCounts(7, 0);
    full.sequencer.close();
  }

  @Test
  void claim_whenItSignals_isFullAtOnceAndCounted() throws Exception {
    Full full = full(WaitStrategy.parking(), OnFull.SIGNAL);
    assertThat(full.sequencer.claim()).isEqualTo(Sequencer.FULL);
    assertThat(full.sequencer.claim(3)).isEqualTo(Sequencer.FULL);
    full.assertCounts(0, 4);
    assertThat(full.sequencer.isCongested()).isTrue();
    full.release(CAPACITY);
    assertThat(full.sequencer.claim(CAPACITY)).isEqualTo(CAPACITY);
    full.assertCounts(0, 4);
    full.sequencer.close();
  }

  /** A timeout of its own wins over the policy; tryClaim only tells. */
  @ParameterizedTest
  @EnumSource
  void claim_withATimeoutOfItsOwn_waitsWhateverThePolicy(OnFull policy) throws Exception {
    if (producers == Producers.ONE && policy == OnFull.DROP_OLDEST) {
      return; // refused
    }
    WaitStrategy strategy = WaitStrategy.parking();
    Full full = full(strategy, policy);
    assertThat(full.sequencer.tryClaim()).isEqualTo(Sequencer.FULL);
    assertThat(full.sequencer.tryClaim(2)).isEqualTo(Sequencer.FULL);
    full.assertCounts(0, 0);
    Running<Long> claimer =
        Running.start(() -> full.sequencer.claim(2, Duration.ofDays(1))).awaitParked(strategy);
    full.release(2);
    assertThat(claimer.result()).isEqualTo(CAPACITY);
    full.sequencer.commit(CAPACITY, 2);
    assertThat(full.sequencer.claim(2, Duration.ofMillis(1))).isEqualTo(Sequencer.FULL);
    full.assertCounts(0, 0);
    assertThat(full.sequencer.isCongested()).isFalse();
    full.sequencer.close();
  }
}
