package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WaitersTest {
  static Stream<WaitStrategy> strategies() {
    return Stream.of(
        WaitStrategy.busySpin(),
        WaitStrategy.yielding(),
        WaitStrategy.sleeping(Duration.ofNanos(1_000)),
        WaitStrategy.parking(),
        new WaitStrategy(0, 0, WaitStrategy.FOREVER));
  }

  @Test
  void onOneProcessor_spinsOnlyWhereThatIsAll() {
    assertThat(Waiters.usefulSpins(1_000, 2)).isEqualTo(1_000);
    assertThat(Waiters.usefulSpins(1_000, 1)).isZero();
    assertThat(Waiters.usefulSpins(WaitStrategy.FOREVER, 1)).isEqualTo(WaitStrategy.FOREVER);
  }

  /** The loop of the class's documentation. */
  private static boolean await(Waiters waiters, BooleanSupplier tryOperation, long limitNanos)
      throws InterruptedException {
    return await(waiters, tryOperation, limitNanos, 1);
  }

  private static boolean await(
      Waiters waiters, BooleanSupplier tryOperation, long limitNanos, int need)
      throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (!tryOperation.getAsBoolean()) {
        step = waiters.pause(step, deadline, need);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      waiters.leave(step);
    }
  }

  /** A wait without end on a thread of its own. */
  private static TestCall<Boolean> waiting(
      Waiters waiters, BooleanSupplier tryOperation, int need) {
    return TestCall.of(() -> await(waiters, tryOperation, WaitStrategy.FOREVER, need));
  }

  private static TestCall<Boolean> waiting(Waiters waiters, BooleanSupplier tryOperation) {
    return waiting(waiters, tryOperation, 1);
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_whenConditionComesAndIsSignalled_ends(WaitStrategy strategy) throws Exception {
    for (int round = 0; round < 200; round++) {
      Waiters waiters = single(strategy);
      AtomicBoolean condition = new AtomicBoolean();
      TestCall<Boolean> waiting = waiting(waiters, condition::get);
      waiting.awaitParked(round % 2 == 0 && strategy.parks());
      condition.set(true);
      if (waiters.needSignals()) {
        waiters.signal();
      }
      assertThat(waiting.result()).isTrue();
    }
  }

  /** As many waiting threads as carriers: if they keep these, the awaited one never runs. */
  @ParameterizedTest
  @MethodSource("strategies")
  void pause_onVirtualThreads_letsTheAwaitedThreadRun(WaitStrategy strategy) throws Exception {
    int carriers = Runtime.getRuntime().availableProcessors();
    AtomicBoolean condition = new AtomicBoolean();
    CountDownLatch waiting = new CountDownLatch(carriers);
    CountDownLatch done = new CountDownLatch(carriers);
    List<Waiters> all = new ArrayList<>();
    for (int i = 0; i < carriers; i++) {
      Waiters waiters = single(strategy);
      all.add(waiters);
      Thread.ofVirtual()
          .start(
              () -> {
                waiting.countDown();
                try {
                  if (await(waiters, condition::get, 30_000_000_000L)) {
                    done.countDown();
                  }
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
    }
    waiting.await();
    Thread.ofVirtual()
        .start(
            () -> {
              condition.set(true);
              all.forEach(Waiters::signal);
            });
    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_whenTimeLimitPasses_saysSo(WaitStrategy strategy) throws Exception {
    long begin = System.nanoTime();
    assertThat(await(single(strategy), () -> false, 2_000_000)).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
    assertThat(await(single(strategy), () -> false, 0)).isFalse();
    assertThat(await(single(strategy), () -> false, -1)).isFalse();
    assertThat(await(single(strategy), () -> false, Long.MIN_VALUE)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_whenInterrupted_throwsAndClearsTheFlag(WaitStrategy strategy) throws Exception {
    Waiters waiters = single(strategy);
    TestCall<Boolean> call =
        TestCall.of(
            () -> {
              Throws.a(
                  InterruptedException.class,
                  () -> await(waiters, () -> false, WaitStrategy.FOREVER));
              return Thread.currentThread().isInterrupted();
            });
    call.awaitParked(strategy.parks()).thread().interrupt();
    assertThat(call.result()).isFalse();
  }

  static Stream<WaitStrategy> restingStrategies() {
    return Stream.of(WaitStrategy.parking(), WaitStrategy.sleeping(Duration.ofDays(1)));
  }

  @ParameterizedTest
  @MethodSource("restingStrategies")
  void wake_whenResting_letsItLookAgain(WaitStrategy strategy) throws Exception {
    Waiters waiters = single(strategy);
    AtomicBoolean closed = new AtomicBoolean();
    TestCall<Boolean> waiting = waiting(waiters, closed::get).awaitResting();
    closed.set(true);
    waiters.signal();
    assertThat(waiting.result()).isTrue();
  }

  @Test
  void pause_whenAnotherThreadRests_isRefusedAndTheOtherGoesOn() throws Exception {
    Waiters waiters = single(PARKS_AT_ONCE);
    AtomicBoolean condition = new AtomicBoolean();
    TestCall<Boolean> waiting = waiting(waiters, condition::get).awaitResting();
    Throws.illegalState(
        "another thread is already waiting on this end: Thread...",
        () -> await(waiters, () -> false, WaitStrategy.FOREVER));
    condition.set(true);
    waiters.signal();
    assertThat(waiting.result()).isTrue();
  }

  // ---- shared sides ----

  private static final WaitStrategy PARKS_AT_ONCE = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  private static int places(Waiters waiters) throws ReflectiveOperationException {
    Field chains = Waiters.class.getDeclaredField("chains");
    chains.setAccessible(true);
    Object[] all = (Object[]) chains.get(waiters);
    Field behind = all.getClass().componentType().getDeclaredField("behind");
    behind.setAccessible(true);
    int count = 0;
    for (Object chain : all) {
      for (Object place = chain; place != null; place = behind.get(place)) {
        count++;
      }
    }
    return count;
  }

  private static BooleanSupplier counted(AtomicInteger tries, BooleanSupplier tryOperation) {
    return () -> {
      tries.incrementAndGet();
      return tryOperation.getAsBoolean();
    };
  }

  private static Waiters single(WaitStrategy strategy) {
    return new Waiters(strategy, true, WaitStrategy.FOREVER);
  }

  private static Waiters shared(WaitStrategy strategy) {
    return new Waiters(strategy, 1, false, WaitStrategy.FOREVER);
  }

  /** As many threads that rest. */
  private static List<TestCall<Boolean>> resting(
      int threads, Waiters waiters, BooleanSupplier tryOperation) {
    return Stream.generate(() -> waiting(waiters, tryOperation).awaitResting())
        .limit(threads)
        .toList();
  }

  /** They rest at as many places, and the next ones at the same. */
  @Test
  void signal_whenSeveralRest_wakesAllAndTheirPlacesAreUsedAgain() throws Exception {
    int threads = 4;
    Waiters waiters = shared(PARKS_AT_ONCE);
    for (int round = 0; round < 50; round++) {
      AtomicBoolean condition = new AtomicBoolean();
      List<TestCall<Boolean>> all = resting(threads, waiters, condition::get);
      condition.set(true);
      waiters.signal();
      assertThat(TestCall.results(all)).containsOnly(true);
      assertThat(places(waiters)).isEqualTo(threads);
    }
  }

  @Test
  void signal_whenOneOfSeveralIsStillInNeed_leavesItResting() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    AtomicBoolean first = new AtomicBoolean();
    AtomicBoolean second = new AtomicBoolean();
    TestCall<Boolean> one = waiting(waiters, first::get, 2).awaitResting();
    TestCall<Boolean> other = waiting(waiters, second::get, 2).awaitResting();
    first.set(true);
    waiters.signal();
    assertThat(one.result()).isTrue();
    other.awaitResting();
    assertThat(other.isOver()).isFalse();
    second.set(true);
    waiters.signal();
    assertThat(other.result()).isTrue();
  }

  @Test
  void leave_ofOneThread_keepsTheOthersAnnounced() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    AtomicBoolean condition = new AtomicBoolean();
    TestCall<Boolean> resting = waiting(waiters, condition::get).awaitResting();
    assertThat(await(waiters, () -> false, 1_000_000)).as("comes and goes").isFalse();
    condition.set(true);
    waiters.signal();
    assertThat(resting.result()).isTrue();
  }

  /** Nobody signals, so their places stay listed. */
  @Test
  void pause_whenThreadsComeAndGo_usesTheirPlacesAgain() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    for (int round = 0; round < 10; round++) {
      assertThat(TestCall.of(() -> await(waiters, () -> false, 100_000)).result()).isFalse();
    }
    assertThat(places(waiters)).isEqualTo(1);
  }

  @Test
  void signal_whenManyNeedOne_wakesOneUntilThatHasTried() throws Exception {
    int threads = 8;
    Waiters waiters = shared(PARKS_AT_ONCE);
    Semaphore slots = new Semaphore(0);
    AtomicInteger tries = new AtomicInteger();
    List<TestCall<Boolean>> all = resting(threads, waiters, counted(tries, slots::tryAcquire));
    int before = tries.get();
    for (int i = 0; i < threads; i++) {
      slots.release();
      waiters.signal();
    }
    assertThat(TestCall.results(all)).containsOnly(true);
    // Each was woken for a slot; now and then for one that was gone, then it tried twice in vain.
    assertThat(tries.get() - before).isBetween(threads, 4 * threads);
  }

  @Test
  void pause_whenManySleep_oneTriesForAll() throws Exception {
    int threads = 8;
    long sleepNanos = 5_000_000;
    int sleeps = 10;
    Waiters waiters = shared(new WaitStrategy(0, 0, sleepNanos));
    AtomicInteger tries = new AtomicInteger();
    AtomicBoolean condition = new AtomicBoolean();
    List<TestCall<Boolean>> all = new ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < threads; i++) {
      all.add(waiting(waiters, counted(tries, condition::get)));
    }
    // Each tries twice before it first rests; then one of them tries, once in a sleep.
    while (tries.get() < 2 * threads + threads * sleeps / 2) {
      Thread.yield();
    }
    assertThat(System.nanoTime() - begin).isGreaterThan(sleeps * sleepNanos);
    condition.set(true);
    assertThat(TestCall.results(all)).containsOnly(true);
  }
}
