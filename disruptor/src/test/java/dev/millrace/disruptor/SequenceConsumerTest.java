package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a consumer that one of the ways to end a wait does not wake, that an interrupt costs an
 * event, or that sleeps while another could go on.
 */
@ParameterizedClass
@EnumSource(Producers.class)
class SequenceConsumerTest extends SequencerFixture {
  @Parameter Producers producers;

  private void open(int capacity) {
    open(producers.options(capacity));
  }

  // ---- one ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void tryPoll_whenLimitIsBelowOne_namesIt(int workers) {
    open(2);
    SequenceConsumer barrier = newConsumers(workers, YIELDS).getFirst();
    put(1);
    for (int limit : new int[] {0, -1, Integer.MIN_VALUE}) {
      Throws.illegalArgument(
          "limit must be in 1..2147483647: limit=" + limit,
          () -> barrier.tryPoll(limit),
          () -> barrier.poll(limit),
          () -> barrier.poll(limit, Duration.ofDays(1)));
    }
    Throws.nullArgument("timeout", () -> barrier.poll(1, null));
    assertThat(shown(barrier)).containsExactly(0L);
  }

  @Test
  void toString_saysHowFarItIsAndWithHowMany() {
    open(8);
    SequenceConsumer first = newConsumer();
    SequenceConsumer behind = newConsumer(first);
    SequenceConsumer worker = sequencer.newSharedConsumers(3, YIELDS, first).get(1);
    put(6);
    assertThat(first.tryPoll(4)).isEqualTo(4);
    assertThat(first).hasToString("SequenceConsumer[consumed=0, source=6]");
    first.release();
    assertThat(behind.tryPoll(1)).isEqualTo(1);
    behind.release();
    assertThat(worker.tryPoll(1)).isEqualTo(1);
    worker.release();
    assertThat(worker.tryPoll(1)).isEqualTo(1);
    assertThat(first).hasToString("SequenceConsumer[consumed=4, source=6]");
    assertThat(behind).hasToString("SequenceConsumer[consumed=1, source=4]");
    assertThat(worker).hasToString("SequenceConsumer[consumed=1, source=4, one of 3]");
  }

  // ---- the end ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void tryPoll_whenAbandoned_isClosedAtOnce(int workers) throws Exception {
    open(8);
    List<SequenceConsumer> first = newConsumers(workers, YIELDS);
    SequenceConsumer behind = newConsumer(first.getFirst());
    put(8);
    assertThat(first.getFirst().tryPoll(1)).isEqualTo(1);
    first.getFirst().release();
    assertThat(first.getFirst().tryPoll(1)).isEqualTo(1);
    for (int repeat = 0; repeat < 2; repeat++) {
      sequencer.stop();
      assertDrained(behind);
      assertThat(sequencer.isCompleted()).isTrue();
    }
    Throws.illegalState("...", () -> first.getFirst().tryPoll(1));
    first.getFirst().release(); // what it has in hand it may still release
    for (SequenceConsumer barrier : first) {
      assertDrained(barrier);
      assertThat(barrier.poll(8)).isZero();
      assertThat(barrier.isDrained()).isTrue();
    }
  }

  // ---- waiting ----

  @Test
  void poll_whenTimePasses_isZeroAndGoesOnAfterwards() throws Exception {
    for (WaitStrategy strategy : Waits.strategies()) {
      open(4);
      SequenceConsumer first = sequencer.newConsumer(strategy);
      SequenceConsumer behind = sequencer.newSharedConsumers(2, strategy, first).getFirst();
      for (SequenceConsumer barrier : List.of(first, behind)) {
        long begin = System.nanoTime();
        assertThat(barrier.poll(4, Duration.ofMillis(3))).isZero();
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(3_000_000);
        assertThat(barrier.poll(4, Duration.ofDays(0))).isZero();
        assertThat(barrier.poll(4, Duration.ofDays(-200_000))).isZero();
      }
      put(1);
      assertThat(first.poll(4, Duration.ofDays(0))).isEqualTo(1);
      first.release();
      assertThat(behind.poll(4)).isEqualTo(1);
      behind.release();
    }
  }

  @Test
  void poll_whenInterrupted_throwsAndLosesNothing() throws Exception {
    for (WaitStrategy strategy : Waits.strategies()) {
      open(4);
      SequenceConsumer first = sequencer.newConsumer(strategy);
      SequenceConsumer behind = sequencer.newSharedConsumers(2, strategy, first).getFirst();
      for (SequenceConsumer barrier : List.of(first, behind)) {
        for (int timed = 0; timed < 2; timed++) {
          boolean isTimed = timed == 1;
          TestCall<Integer> poller =
              TestCall.of(() -> isTimed ? barrier.poll(4, Duration.ofDays(1)) : barrier.poll(4));
          poller.awaitParked(strategy.canPark()).thread().interrupt();
          assertThat(poller.failure()).isInstanceOf(InterruptedException.class);
        }
      }
      put(2);
      Thread.currentThread().interrupt();
      assertThat(first.poll(4)).as("it need not wait").isEqualTo(2);
      assertThat(Thread.interrupted()).isTrue();
      first.release();
      assertThat(shown(behind)).containsExactly(0L, 1L);
    }
  }

  /** Each kind of wake-up, by those before: publish, release, complete, abandon. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void poll_whenItWaits_isWoken(int workers) throws Exception {
    for (WaitStrategy strategy : Waits.strategiesAndSleeper()) {
      boolean sleeps = strategy.sleepNanos() == Duration.ofDays(1).toNanos();
      List<Consumer<Sequencer>> ends = List.of(Sequencer::complete, Sequencer::stop);
      for (Consumer<Sequencer> end : ends) {
        open(4);
        SequenceConsumer first = newConsumers(workers, strategy).getFirst();
        SequenceConsumer behind = newConsumers(workers, strategy, first).getFirst();
        SequenceConsumer beside = sequencer.newConsumer(strategy, first);
        for (int round = 0; round < 3 && !sleeps; round++) {
          TestCall<Integer> other = TestCall.of(() -> beside.poll(1));
          TestCall<Integer> last =
              TestCall.of(() -> behind.poll(1)).awaitParked(strategy.canPark());
          other.awaitParked(strategy.canPark());
          TestCall<Integer> poller =
              TestCall.of(() -> first.poll(1)).awaitParked(strategy.canPark());
          put(1);
          assertThat(poller.result()).isEqualTo(1);
          last.awaitParked(strategy.canPark());
          assertThat(last.isOver()).isFalse();
          first.release();
          assertThat(last.result()).isEqualTo(1);
          behind.release();
          assertThat(other.result()).isEqualTo(1);
          beside.release();
        }
        TestCall<Integer> last = TestCall.of(() -> behind.poll(1)).awaitParked(strategy.canPark());
        TestCall<Integer> poller = TestCall.of(() -> first.poll(1)).awaitParked(strategy.canPark());
        end.accept(sequencer);
        assertThat(poller.result()).isZero();
        assertThat(last.result()).isZero();
      }
    }
  }

  /** All before the end was aborted: later consumers learn of it from one that passes it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void poll_whenTheRestIsPassedOver_isWokenForTheEnd(int workers) throws Exception {
    for (int round = 0; round < 20; round++) {
      open(4);
      SequenceConsumer first = newConsumers(workers, YIELDS).getFirst();
      SequenceConsumer behind = sequencer.newConsumer(Waits.PARKS_AT_ONCE, first);
      long claimed = sequencer.tryClaim(3);
      TestCall<Integer> last = TestCall.of(() -> behind.poll(1));
      last.awaitParked(true);
      sequencer.abort(claimed, 3);
      sequencer.complete();
      if (producers == Producers.MANY) {
        last.awaitParked(true);
        assertThat(last.isOver()).isFalse();
      }
      assertDrained(first);
      assertThat(last.result()).isZero();
    }
  }

  /**
   * A worker handles its event only once the consumer behind has handled all events before it. That
   * consumer and the producers can go on, since those events are released: they must not sleep.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void workers_whenTheyWaitForThoseBehind_areNotLeftAlone(int count) throws Exception {
    int capacity = 4;
    int events = 20_000;
    open(producers.options(capacity).withProducerWaits(Waits.PARKS_AT_ONCE));
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(count, WaitStrategy.yielding());
    SequenceConsumer behind = sequencer.newConsumer(Waits.PARKS_AT_ONCE, workers.getFirst());
    Sequence handled = new Sequence();
    List<TestCall<Long>> takes =
        TestCall.each(
            count,
            worker ->
                () ->
                    takeAll(
                        workers.get(worker),
                        sequence -> {
                          long claimed = Math.min(sequence + capacity, events);
                          while ((handled.getAcquire() < sequence
                                  || sequencer.claimedEnd() < claimed)
                              && !sequencer.isStopped()) {
                            Thread.yield();
                          }
                        }));
    TestCall<Long> last =
        TestCall.of(() -> takeAll(behind, sequence -> handled.setRelease(sequence + 1)));
    TestCall<Boolean> _ =
        TestCall.run(
            () -> {
              for (int event = 0; event < events; event++) {
                sequencer.commit(sequencer.claim());
              }
              sequencer.complete();
            });
    while (!last.isOver()) { // however slow the machine is; but it must go on
      long before = handled.getAcquire();
      TestCall.await(() -> last.isOver() || handled.getAcquire() > before);
    }
    assertThat(last.result()).isEqualTo(events);
    assertThat(TestCall.sum(takes)).isEqualTo(events);
  }

  private interface Handler {
    void handle(long sequence) throws InterruptedException;
  }

  /** Handles all events until the end, one by one, and says how many. */
  private static long takeAll(SequenceConsumer barrier, Handler handler)
      throws InterruptedException {
    long taken = 0;
    while (barrier.poll(1) > 0) {
      handler.handle(barrier.sequence());
      taken++;
      barrier.release();
    }
    return taken;
  }
}
