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

/**
 * Finds a wait that is longer or shorter than its strategy says, a thread that is woken out of turn
 * or for nothing, and a place that its thread has left and that stays in the list.
 */
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
    return await(waiters, null, tryOperation, limitNanos, need);
  }

  /** The same at the place of an end; null for a thread without one. */
  private static boolean await(
      Waiters waiters, WaitPlace end, BooleanSupplier tryOperation, long limitNanos, int need)
      throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    WaitPlace place = end;
    long step = 0;
    try {
      while (!tryOperation.getAsBoolean()) {
        place = waiters.placeAt(step, place);
        step = waiters.pause(place, step, deadline, need);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      waiters.leave(place, step);
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
      waiting.awaitParked(round % 2 == 0 && strategy.canPark());
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
    call.awaitParked(strategy.canPark()).thread().interrupt();
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

  /** Checks that no thread waits, and that nothing is left of those that did. */
  private static void assertIdle(Waiters waiters) throws ReflectiveOperationException {
    assertThat(((WaitList) field(waiters, "list")).first()).isNull();
    assertThat(field(waiters, "leader")).isNull();
    assertThat(field(waiters, "called")).isNull();
    assertThat(field(waiters, "lock")).isEqualTo(0L);
  }

  private static Object field(Waiters waiters, String name) throws ReflectiveOperationException {
    Field field = Waiters.class.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(waiters);
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
    return new Waiters(strategy, false, WaitStrategy.FOREVER);
  }

  /** As many threads that rest. */
  private static List<TestCall<Boolean>> resting(
      int threads, Waiters waiters, BooleanSupplier tryOperation) {
    return Stream.generate(() -> waiting(waiters, tryOperation).awaitResting())
        .limit(threads)
        .toList();
  }

  /** The next ones rest at the same places. */
  @Test
  void signal_whenSeveralRest_wakesAllAndTheirPlacesAreUsedAgain() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    List<WaitPlace> ends = Stream.generate(() -> new WaitPlace(waiters)).limit(4).toList();
    for (int round = 0; round < 50; round++) {
      AtomicBoolean condition = new AtomicBoolean();
      List<TestCall<Boolean>> all =
          ends.stream()
              .map(
                  end ->
                      TestCall.of(
                              () -> await(waiters, end, condition::get, WaitStrategy.FOREVER, 1))
                          .awaitResting())
              .toList();
      condition.set(true);
      waiters.signal();
      assertThat(TestCall.results(all)).containsOnly(true);
      assertIdle(waiters);
    }
  }

  @Test
  void signal_whenSeveralRest_wakesThemInTheOrderInWhichTheyCame() throws Exception {
    int threads = 6;
    Waiters waiters = shared(PARKS_AT_ONCE);
    Semaphore slots = new Semaphore(0);
    AtomicInteger tries = new AtomicInteger();
    List<TestCall<Boolean>> all =
        new ArrayList<>(resting(threads, waiters, counted(tries, slots::tryAcquire)));
    TestCall<Boolean> middle = all.remove(2);
    middle.thread().interrupt();
    assertThat(middle.failure()).isInstanceOf(InterruptedException.class);
    while (!all.isEmpty()) {
      int before = tries.get();
      slots.release();
      waiters.signal();
      assertThat(all.removeFirst().result()).isTrue();
      if (!all.isEmpty()) {
        all.add(all.removeFirst()); // it is woken when that one leaves, and tries twice
        TestCall.await(() -> tries.get() >= before + 3);
      }
    }
    assertIdle(waiters);
  }

  @Test
  void signal_whenNobodyRestedForLong_looksAgainOnceAThreadRests() throws Exception {
    for (Waiters waiters : List.of(single(PARKS_AT_ONCE), shared(PARKS_AT_ONCE))) {
      for (int round = 0; round < 20; round++) {
        for (int i = 0; waiters.isAlert(); i++) {
          assertThat(i).as("vain signals").isLessThan(1 << 16);
          waiters.signal();
        }
        AtomicBoolean condition = new AtomicBoolean();
        TestCall<Boolean> waiting = waiting(waiters, condition::get).awaitResting();
        assertThat(waiters.isAlert()).isTrue();
        condition.set(true);
        waiters.signal();
        assertThat(waiting.result()).isTrue();
        assertIdle(waiters);
      }
    }
  }

  @Test
  void pause_whenItSleepsThenParks_parksUntilItIsWoken() throws Exception {
    Waiters waiters = single(new WaitStrategy(3, 2, 1_000, 4));
    AtomicInteger tries = new AtomicInteger();
    AtomicBoolean condition = new AtomicBoolean();
    TestCall<Boolean> waiting = waiting(waiters, counted(tries, condition::get));
    TestCall.await(() -> waiting.thread().getState() == Thread.State.WAITING); // without a time
    assertThat(tries.get()).isEqualTo(2 + 4 + 2 + (int) Waiters.usefulSpins(3));
    condition.set(true);
    waiters.signal();
    assertThat(waiting.result()).isTrue();
  }

  @Test
  void pause_whenAnotherThreadRestsAtThatEnd_isRefusedAndTheOtherGoesOn() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    WaitPlace end = new WaitPlace(waiters);
    AtomicBoolean condition = new AtomicBoolean();
    TestCall<Boolean> waiting =
        TestCall.of(() -> await(waiters, end, condition::get, WaitStrategy.FOREVER, 1))
            .awaitResting();
    Throws.illegalState(
        "another thread is already waiting on this end: Thread...",
        () -> await(waiters, end, () -> false, WaitStrategy.FOREVER, 1));
    assertThat(await(waiters, () -> false, 1_000_000)).as("of another end").isFalse();
    condition.set(true);
    waiters.signal();
    assertThat(waiting.result()).isTrue();
    assertIdle(waiters);
  }

  @Test
  void placeAt_untilTheThreadRests_makesNone() {
    Waiters waiters = shared(new WaitStrategy(3, 2, WaitStrategy.FOREVER));
    long begin = 5 - 3 + Waiters.usefulSpins(3); // the first step of a rest
    for (long step = 0; step < begin; step++) {
      assertThat(waiters.placeAt(step, null)).isNull();
    }
    WaitPlace place = waiters.placeAt(begin, null);
    assertThat(place).isNotNull();
    assertThat(waiters.placeAt(begin, place)).isSameAs(place);
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

  @Test
  void pause_whenThreadsComeAndGoUnwoken_leavesNothing() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    for (int round = 0; round < 10; round++) {
      assertThat(TestCall.of(() -> await(waiters, () -> false, 100_000)).result()).isFalse();
    }
    assertIdle(waiters);
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
    // Each was woken for a slot; now and then for one that was gone, then it tried twice.
    assertThat(tries.get() - before).isBetween(threads, 4 * threads);
    assertIdle(waiters);
  }

  /**
   * A thread that was woken is in its attempt: until it is over, no signal wakes the next thread,
   * whichever threads come or leave.
   */
  @Test
  void signal_whileTheWokenThreadTries_wakesNoOther() throws Exception {
    Waiters waiters = shared(PARKS_AT_ONCE);
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicBoolean isNeedyOver = new AtomicBoolean();
    AtomicInteger tries = new AtomicInteger();
    CountDownLatch tried = new CountDownLatch(3); // twice before it rests, then when it is woken
    CountDownLatch mayGoOn = new CountDownLatch(1);
    TestCall<Boolean> needy = waiting(waiters, isNeedyOver::get, 2).awaitResting();
    BooleanSupplier slowly =
        () -> {
          tried.countDown();
          if (tried.getCount() == 0) {
            awaitUninterrupted(mayGoOn);
          }
          return isOver.get();
        };
    TestCall<Boolean> woken = waiting(waiters, slowly).awaitResting();
    TestCall<Boolean> other = waiting(waiters, counted(tries, isOver::get)).awaitResting();
    isNeedyOver.set(true);
    waiters.signal(); // wakes the needy one, which passes on when it leaves, and the next
    assertThat(needy.result()).isTrue();
    tried.await();
    int before = tries.get();
    assertThat(await(waiters, () -> false, 1_000_000)).as("comes and goes").isFalse();
    waiters.signal();
    assertThat(await(waiters, () -> false, 20_000_000)).as("some time passes").isFalse();
    assertThat(tries.get()).isEqualTo(before);
    isOver.set(true);
    mayGoOn.countDown();
    assertThat(woken.result()).isTrue();
    assertThat(other.result()).isTrue();
    assertIdle(waiters);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
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
    assertThat(System.nanoTime() - begin).isGreaterThan(2L * sleeps * sleepNanos);
    condition.set(true);
    assertThat(TestCall.results(all)).containsOnly(true);
  }
}
