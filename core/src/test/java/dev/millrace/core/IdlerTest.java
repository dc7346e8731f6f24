package dev.millrace.core;

import static dev.millrace.core.WaitStrategy.FOREVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.Waiters;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Finds an idle loop that sleeps too short, does not start over after work, or swallows an
 * interrupt.
 */
class IdlerTest {
  private static final WaitStrategy PARK_AT_ONCE = new WaitStrategy(0, 0, FOREVER);

  @Test
  void idle_whenStrategyParks_sleepsLongerEachTimeUpToAMillisecond() {
    Idler idler = PARK_AT_ONCE.newIdler();
    for (long least = 50_000; least <= 800_000; least *= 2) {
      assertThat(nanosOf(() -> idler.idle(0))).isGreaterThanOrEqualTo(least);
    }
    assertThat(nanosOf(() -> idler.idle(0))).isGreaterThanOrEqualTo(1_000_000);
    assertThat(nanosOf(() -> idler.idle(0))).isGreaterThanOrEqualTo(1_000_000);
  }

  @Test
  void idle_afterWork_beginsAnew() throws Exception {
    int few = (int) Waiters.usefulSpins(3) + 2;
    int rounds = 3;
    AtomicInteger calls = new AtomicInteger();
    TestCall<Boolean> idling =
        TestCall.run(
            () -> {
              Idler idler = new WaitStrategy(3, 2, FOREVER - 1).newIdler();
              for (int round = 0; round < rounds; round++) {
                times(few, () -> idleAndCount(idler, calls));
                idleAndCount(idler, calls); // sleeps until it is woken
                idler.idle(1);
              }
            });
    for (int round = 0; round < rounds; round++) {
      int before = round * (few + 1) + few;
      TestCall.await(() -> calls.get() == before && TestCall.isResting(idling.thread()));
      LockSupport.unpark(idling.thread());
    }
    assertThat(idling.result()).isTrue();
  }

  private static void idleAndCount(Idler idler, AtomicInteger calls) {
    idler.idle(0);
    calls.incrementAndGet();
  }

  @Test
  void idle_whenUnparkedOrInterrupted_returnsAndKeepsTheInterrupt() {
    Idler idler = new WaitStrategy(0, 0, FOREVER - 1).newIdler();
    LockSupport.unpark(Thread.currentThread());
    idler.idle(0);
    Thread.currentThread().interrupt();
    idler.idle(0);
    idler.idle(0);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void idle_inVirtualThread_sleepsAtOnceOrYields() throws InterruptedException {
    long sleep = Duration.ofMillis(20).toNanos();
    long[] nanos = new long[2];
    Thread.ofVirtual()
        .start(
            () -> {
              Idler sleeping = new WaitStrategy(FOREVER - 1, 5, sleep).newIdler();
              nanos[0] = nanosOf(() -> sleeping.idle(0));
              Idler spinning = WaitStrategy.busySpin().newIdler();
              times(1_000, () -> spinning.idle(0));
              nanos[1] = 1;
            })
        .join();
    assertThat(nanos[0]).isGreaterThanOrEqualTo(sleep);
    assertThat(nanos[1]).isOne();
  }

  @Test
  void idle_whenWorkDoneIsNegative_namesRuleAndNumber() {
    Idler idler = WaitStrategy.busySpin().newIdler();
    Throws.illegalArgument("workDone must be in 0..2147483647: workDone=-1", () -> idler.idle(-1));
  }

  private static void times(int count, Runnable action) {
    for (int i = 0; i < count; i++) {
      action.run();
    }
  }

  private static long nanosOf(Runnable action) {
    LockSupport.parkNanos(1); // a permit left over from elsewhere would end the first sleep
    long start = System.nanoTime();
    action.run();
    return System.nanoTime() - start;
  }
}
