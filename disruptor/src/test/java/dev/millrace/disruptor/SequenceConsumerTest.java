package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a {@link SequenceConsumer} keeps, alone, behind others and shared, step by step. */
@ParameterizedClass
@EnumSource(Producers.class)
class SequenceConsumerTest extends SequencerFixture {
  @Parameter Producers producers;

  private void open(int capacity) {
    open(producers.options(capacity));
  }

  /** Each form of poll, on a thread of its own so that one that waits does no harm. */
  private static void assertPollsRefused(
      SequenceConsumer consumer, int limit, Class<? extends Throwable> error, String message)
      throws Exception {
    for (Callable<Integer> poll :
        List.<Callable<Integer>>of(
            () -> consumer.tryPoll(limit),
            () -> consumer.poll(limit),
            () -> consumer.poll(limit, Duration.ofDays(1)))) {
      assertThat(TestCall.of(poll).failure()).isInstanceOf(error).hasMessage(message);
    }
  }

  // ---- one ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void tryPoll_givesEventsInOrderUpToTheLimit(int workers) {
    open(8);
    SequenceConsumer barrier = newConsumers(workers, YIELDS).getFirst();
    assertThat(barrier.tryPoll(1)).isZero();
    long next = 0;
    for (int round = 0; round < 100; round++) {
      int count = 1 + round % 8;
      put(count);
      for (int limit = 1; count > 0; limit++) {
        int expected = Math.min(limit, count);
        assertThat(barrier.tryPoll(limit)).isEqualTo(expected);
        assertThat(barrier.sequence()).isEqualTo(next);
        assertThat(barrier.isAtWork()).isTrue();
        barrier.release();
        assertThat(barrier.isAtWork()).isFalse();
        next += expected;
        count -= expected;
      }
      assertThat(barrier.tryPoll(Integer.MAX_VALUE)).isZero();
      assertThat(barrier.progress()).isEqualTo(next);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void tryPoll_whenLimitIsBelowOne_namesIt(int workers) throws Exception {
    open(2);
    SequenceConsumer barrier = newConsumers(workers, YIELDS).getFirst();
    put(1);
    for (int limit : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertPollsRefused(
          barrier,
          limit,
          IllegalArgumentException.class,
          "limit must be in 1..2147483647: limit=" + limit);
    }
    assertThatThrownBy(() -> barrier.poll(1, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("timeout must not be null: timeout=null");
    assertThat(shown(barrier)).containsExactly(0L);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void tryPollAndRelease_whenOutOfTurn_areRefusedAndChangeNothing(int workers) throws Exception {
    open(4);
    SequenceConsumer barrier = newConsumers(workers, YIELDS).getFirst();
    for (long next = 0; next < 20; next++) {
      String before = barrier.toString();
      assertThatThrownBy(barrier::release)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("poll must be open: none is, " + before);
      assertThat(barrier).hasToString(before);
      put(1);
      assertThat(barrier.tryPoll(2)).isEqualTo(1);
      put(1);
      String polled = barrier.toString();
      assertPollsRefused(
          barrier,
          2,
          IllegalStateException.class,
          "poll must be released before the next: " + polled);
      assertThat(barrier).hasToString(polled);
      assertThat(barrier.sequence()).isEqualTo(next++);
      barrier.release();
      assertThat(shown(barrier)).containsExactly(next);
    }
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

  // ---- behind others ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void tryPoll_whenBehindOne_getsWhatThatHasReleased(int workers) {
    open(4);
    SequenceConsumer first = newConsumer();
    SequenceConsumer behind = newConsumers(workers, YIELDS, first).getFirst();
    for (long next = 0; next < 40; next += 4) {
      put(4);
      assertThat(behind.tryPoll(4)).isZero();
      assertThat(first.tryPoll(3)).isEqualTo(3);
      assertThat(behind.tryPoll(4)).as("in hand").isZero();
      first.release();
      assertThat(shown(behind)).containsExactly(next, next + 1, next + 2);
      assertThat(first.tryPoll(3)).isEqualTo(1);
      assertThat(behind.tryPoll(4)).isZero();
      assertThat(sequencer.remainingCapacity()).isEqualTo(3);
      first.release();
      assertThat(sequencer.remainingCapacity()).as("who is behind counts").isEqualTo(3);
      assertThat(shown(behind)).containsExactly(next + 3);
      assertThat(sequencer.remainingCapacity()).isEqualTo(4);
    }
  }

  @Test
  void tryPoll_whenBehindTwo_getsWhatBothHaveReleased() {
    open(8);
    SequenceConsumer left = newConsumer();
    SequenceConsumer right = newConsumer();
    SequenceConsumer last = newConsumer(left, right);
    for (long next = 0; next < 80; next += 8) {
      put(8);
      assertThat(left.tryPoll(5)).isEqualTo(5);
      left.release();
      assertThat(last.tryPoll(8)).isZero();
      assertThat(right.tryPoll(2)).isEqualTo(2);
      assertThat(last.tryPoll(8)).isZero();
      right.release();
      assertThat(last.tryPoll(8)).isEqualTo(2);
      assertThat(last.sequence()).isEqualTo(next);
      last.release();
      assertThat(shown(right)).hasSize(6);
      assertThat(last.tryPoll(8)).isEqualTo(3);
      assertThat(last.sequence()).isEqualTo(next + 2);
      last.release();
      assertThat(shown(left)).hasSize(3);
      assertThat(sequencer.tryClaim(8)).as("the last holds it").isEqualTo(Sequencer.FULL);
      assertThat(shown(last, 1)).containsExactly(next + 5, next + 6, next + 7);
    }
  }

  /** A follower's follower, and behind both it and its upstream. */
  @Test
  void tryPoll_whenBehindAChainAndItsBeginning_isBehindTheChain() {
    open(4);
    SequenceConsumer first = newConsumer();
    SequenceConsumer second = newConsumer(first, first);
    SequenceConsumer third = newConsumer(first, second);
    SequenceConsumer other = newConsumer();
    for (int round = 0; round < 20; round++) {
      put(3);
      assertThat(second.tryPoll(9)).isZero();
      assertThat(shown(first)).hasSize(3);
      assertThat(third.tryPoll(9)).isZero();
      assertThat(shown(second)).hasSize(3);
      assertThat(shown(third)).hasSize(3);
      assertThat(sequencer.tryClaim(2)).as("the other holds them").isEqualTo(Sequencer.FULL);
      assertThat(shown(other)).hasSize(3);
    }
  }

  // ---- shared ----

  @Test
  void tryPoll_whenShared_takesNoMoreThanItsShareSoThatOthersFindSome() {
    open(16);
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(3, YIELDS);
    long next = 0;
    for (int round = 0; round < 20; round++) {
      put(12);
      int left = 12;
      for (SequenceConsumer worker : workers) {
        int share = worker.tryPoll(100);
        assertThat(share).isBetween(1, (left + 2) / 3);
        assertThat(worker.sequence()).isEqualTo(next);
        next += share;
        left -= share;
      }
      assertThat(workers.get(round % 3).isAtWork()).isTrue();
      workers.forEach(SequenceConsumer::release);
      assertThat(workers.get(0).tryPoll(1)).isEqualTo(1);
      workers.get(0).release();
      next++;
      left--;
      assertThat(shown(workers.get(round % 3))).hasSize(left).startsWith(next);
      next += left;
    }
  }

  @Test
  void tryPoll_whenAWorkerHasEventsInHand_holdsBackThoseBehindAndTheProducers() {
    open(4);
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(2, YIELDS);
    SequenceConsumer busy = workers.get(0);
    SequenceConsumer idle = workers.get(1);
    SequenceConsumer behind = newConsumer(idle); // behind one is behind all
    for (long next = 0; next < 60; next += 5) {
      put(4);
      assertThat(busy.tryPoll(1)).isEqualTo(1);
      assertThat(shown(idle)).containsExactly(next + 1, next + 2, next + 3);
      assertThat(behind.tryPoll(4)).isZero();
      assertThat(sequencer.tryClaim()).isEqualTo(Sequencer.FULL);
      assertThat(busy.progress()).isEqualTo(next);
      assertThat(idle.progress()).isEqualTo(next);
      busy.release();
      assertThat(shown(behind)).containsExactly(next, next + 1, next + 2, next + 3);

      // the other way round, and only in part
      put(1);
      assertThat(idle.tryPoll(1)).isEqualTo(1);
      assertThat(behind.tryPoll(4)).isZero();
      assertThat(busy.tryPoll(1)).as("nothing left").isZero();
      idle.release();
      assertThat(shown(behind)).containsExactly(next + 4);
      assertThat(sequencer.remainingCapacity()).isEqualTo(4);
    }
  }

  @Test
  void tryPoll_whenWorkersReleaseOutOfOrder_thoseBehindGoAsFarAsTheOldestInHand() {
    open(8);
    List<SequenceConsumer> workers = sequencer.newSharedConsumers(3, YIELDS);
    SequenceConsumer behind = newConsumer(workers.get(2));
    put(5);
    for (SequenceConsumer worker : workers) {
      assertThat(worker.tryPoll(1)).isEqualTo(1);
    }
    workers.get(1).release();
    assertThat(shown(behind)).isEmpty();
    assertThat(workers.get(1).tryPoll(1)).isEqualTo(1);
    assertThat(workers.get(1).sequence()).isEqualTo(3);
    workers.get(0).release();
    assertThat(shown(behind)).containsExactly(0L, 1L);
    workers.get(1).release();
    assertThat(shown(behind)).isEmpty();
    workers.get(2).release();
    assertThat(shown(behind)).containsExactly(2L, 3L);
  }

  // ---- aborted ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void tryPoll_whenSlotsWereAborted_passesThemAtTheRootAndBehind(int workers) {
    open(8);
    SequenceConsumer first = newConsumers(workers, YIELDS).getFirst();
    SequenceConsumer behind = newConsumers(workers, YIELDS, first).getFirst();
    SequenceConsumer last = newConsumer(behind);
    List<Long> expected = new ArrayList<>();
    for (int round = 0; round < 50; round++) {
      expected.clear();
      for (int i = 0; i < 8; i++) {
        long sequence = sequencer.tryClaim();
        if ((round >> i % 3 & 1) == 0 || i == round % 8) {
          sequencer.abort(sequence);
        } else {
          expected.add(sequence);
          sequencer.commit(sequence);
        }
      }
      for (SequenceConsumer barrier : List.of(first, behind, last)) {
        assertThat(shown(barrier, 1 + round % 4)).isEqualTo(expected);
      }
      assertThat(sequencer.remainingCapacity()).isEqualTo(8);
    }
  }

  // ---- the end ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void tryPoll_whenCompleted_isClosedOnlyBehindTheLastEvent(int workers) throws Exception {
    for (boolean endsAborted : new boolean[] {false, true}) {
      open(8);
      SequenceConsumer first = newConsumers(workers, YIELDS).getFirst();
      List<SequenceConsumer> behind = newConsumers(workers, YIELDS, first);
      put(3);
      if (endsAborted) {
        sequencer.abort(sequencer.tryClaim(2), 2);
      }
      sequencer.complete();
      assertThat(behind.getFirst().tryPoll(8)).as("not yet").isZero();
      for (long sequence = 0; sequence < 3; sequence++) {
        assertThat(first.tryPoll(1)).isEqualTo(1);
        assertThat(first.sequence()).isEqualTo(sequence);
        assertThat(behind.getFirst().tryPoll(8)).as("not yet").isZero();
        first.release();
        assertThat(behind.getFirst().tryPoll(8)).isEqualTo(1);
        assertThat(behind.getFirst().sequence()).isEqualTo(sequence);
        behind.getFirst().release();
      }
      if (endsAborted && producers == Producers.MANY) {
        assertThat(behind.getFirst().tryPoll(8)).as("before the first has passed").isZero();
      }
      for (int repeat = 0; repeat < 3; repeat++) {
        assertDrained(first);
        assertThat(first.poll(8)).isZero();
        assertThat(first.isDrained()).isTrue();
        for (SequenceConsumer barrier : behind) {
          assertDrained(barrier);
          assertThat(barrier.poll(8, Duration.ofDays(1))).isZero();
          assertThat(barrier.isDrained()).isTrue();
        }
      }
    }
  }

  @Test
  void tryPoll_whenNothingWasEverPublished_isClosedAfterComplete() {
    open(2);
    SequenceConsumer first = newConsumer();
    List<SequenceConsumer> behind = sequencer.newSharedConsumers(2, YIELDS, first);
    sequencer.complete();
    assertDrained(first);
    behind.forEach(worker -> assertThat(worker.tryPoll(1)).isZero());
    behind.forEach(worker -> assertThat(worker.isDrained()).isTrue());
  }

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
    assertThatThrownBy(() -> first.getFirst().tryPoll(1)).isInstanceOf(IllegalStateException.class);
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
          poller.awaitParked(strategy).thread().interrupt();
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
        for (int round = 0; round < 3 && !sleeps; round++) {
          TestCall<Integer> last = TestCall.of(() -> behind.poll(1)).awaitParked(strategy);
          TestCall<Integer> poller = TestCall.of(() -> first.poll(1)).awaitParked(strategy);
          put(1);
          assertThat(poller.result()).isEqualTo(1);
          last.awaitParked(strategy);
          assertThat(last.isOver()).isFalse();
          first.release();
          assertThat(last.result()).isEqualTo(1);
          behind.release();
        }
        TestCall<Integer> last = TestCall.of(() -> behind.poll(1)).awaitParked(strategy);
        TestCall<Integer> poller = TestCall.of(() -> first.poll(1)).awaitParked(strategy);
        end.accept(sequencer);
        assertThat(poller.result()).isZero();
        assertThat(last.result()).isZero();
      }
    }
  }

  /** All before the end was aborted: who is behind learns of the end from who passes it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void poll_whenTheRestIsPassedOver_isWokenForTheEnd(int workers) throws Exception {
    for (int round = 0; round < 20; round++) {
      open(4);
      SequenceConsumer first = newConsumers(workers, YIELDS).getFirst();
      SequenceConsumer behind = sequencer.newConsumer(Waits.PARKS_AT_ONCE, first);
      long claimed = sequencer.tryClaim(3);
      TestCall<Integer> last = TestCall.of(() -> behind.poll(1));
      last.awaitParked(Waits.PARKS_AT_ONCE);
      sequencer.abort(claimed, 3);
      sequencer.complete();
      if (producers == Producers.MANY) {
        last.awaitParked(Waits.PARKS_AT_ONCE);
        assertThat(last.isOver()).isFalse();
      }
      assertDrained(first);
      assertThat(last.result()).isZero();
    }
  }
}
