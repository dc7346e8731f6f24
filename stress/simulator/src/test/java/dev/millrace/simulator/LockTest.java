package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.simulator.litmus.Locks;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a lock of the simulator that orders too much, so that races stay hidden behind it, or too
 * little, so that right programs are blamed.
 */
class LockTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int BOUND = 3;
  private static final int EXECUTIONS = 2_000;

  private static Explorer explorer(String program) throws Exception {
    return new Explorer(Woven.scenario(Locks.class, program));
  }

  private static Exploration exhaustive(String program) throws Exception {
    return explorer(program).exhaustive(BOUND, BOUND, LIMIT);
  }

  private static Exploration random(String program) throws Exception {
    return explorer(program).random(EXECUTIONS, LIMIT, 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "synchronizedMethods",
        "staticSynchronizedMethod",
        "synchronizedBlocks",
        "locks",
        "monitorPublishes",
        "oneOrder",
        "signalForAll",
        "await",
        "awaitForAnHour",
        "misuse"
      })
  void explore_ofRightProgram_reportsNothing(String program) throws Exception {
    Exploration all = exhaustive(program);
    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(random(program).failure()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "raceBesideMonitor",
        "raceWithTwoMonitors",
        "raceBehindLock",
        "raceAfterFailedTry"
      })
  void explore_ofAccessWithoutTheLock_reportsTheRace(String program) throws Exception {
    assertThat(exhaustive(program).failure().message()).startsWith("data race: ");
    assertThat(random(program).failure().message()).startsWith("data race: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "oppositeOrder",
        "neverUnlocked",
        "neverUnlockedInTheEnd",
        "lostSignal",
        "signalForOne"
      })
  void explore_whenThreadsNeverEnd_reportsTheDeadlock(String program) throws Exception {
    assertThat(exhaustive(program).failure().message()).startsWith("deadlock: ");
    assertThat(random(program).failure().message()).startsWith("deadlock: ");
  }

  @ParameterizedTest
  @CsvSource({
    "locks, busy, taken",
    "monitorPublishes, not yet, set",
    "twoMonitors, read 0, read 1",
    "signalOrTime, in time, too late",
    "interruptedLock, interrupted, taken"
  })
  void explore_ofWhatMayGoTwoWays_showsBoth(String program, String one, String other)
      throws Exception {
    Exploration random = random(program);

    assertThat(random.failure()).isNull();
    assertThat(random.outcomes()).containsOnlyKeys(one, other);
    assertThat(random.outcomes().keySet()).containsAll(exhaustive(program).outcomes().keySet());
  }

  @Test
  void await_atRandom_isSeldomWokenWithoutReason() throws Exception {
    Exploration random = random("awaitOnce");

    assertThat(random.outcomes()).containsOnlyKeys("set", "for no reason");
    assertThat(random.outcomes().get("for no reason")).isLessThan(EXECUTIONS / 10);
    assertThat(exhaustive("awaitOnce").outcomes()).containsOnlyKeys("set");
  }

  @Test
  void await_whenInterrupted_throws() throws Exception {
    Exploration all = exhaustive("interruptedWaits");

    assertThat(all.failure()).isNull();
    assertThat(all.outcomes()).containsOnlyKeys("true in await");
  }

  @Test
  void enter_ofNull_throws() throws Exception {
    assertThat(exhaustive("monitorOfNull").outcomes()).containsOnlyKeys("refused");
  }

  @Test
  void trace_ofDeadlock_namesTheLocks() throws Exception {
    assertThat(exhaustive("oppositeOrder").failure().trace())
        .contains("one: lock Object ", "one: wait for Object ", "Locks.java:");
  }
}
