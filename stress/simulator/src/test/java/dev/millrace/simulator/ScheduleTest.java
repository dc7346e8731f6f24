package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.simulator.litmus.Schedules;
import dev.millrace.simulator.litmus.Seqlocks;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a deadlock, a livelock or a lost wake-up that goes unreported, a mortal thread that never
 * dies, dies halfway or is not seen dead, a search that calls itself complete and is not, and a
 * seed that does not repeat its failure.
 */
class ScheduleTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int BOUND = 4;
  private static final int EXECUTIONS = 2_000;
  private static final int SIDE_BY_SIDE = 4;

  private static Explorer explorer(String program) throws Exception {
    return new Explorer(Woven.scenario(Schedules.class, program));
  }

  private static Exploration exhaustive(String program) throws Exception {
    return explorer(program).exhaustive(BOUND, BOUND, LIMIT);
  }

  private static Exploration random(String program) throws Exception {
    return explorer(program).random(EXECUTIONS, LIMIT, 1);
  }

  // ---- what never ends ----

  @ParameterizedTest
  @CsvSource({
    "bothPark, deadlock",
    "wakeUpWithoutFence, deadlock",
    "wakeUpOfCarelessWorker, deadlock",
    "spinForEver, livelock",
    "spinInTheEnd, livelock",
    "parkInTheEnd, deadlock"
  })
  void explore_whenThreadsNeverEnd_reportsIt(String program, String finding) throws Exception {
    assertThat(exhaustive(program).failure().message()).startsWith(finding + ": ");
    assertThat(random(program).failure().message()).startsWith(finding + ": ");
  }

  @Test
  void explore_whenWeakExchangeMayFail_failsItSometimesUnlessAskedNotTo() throws Exception {
    Exploration found = random("weakExchange");

    assertThat(found.outcomes()).containsOnlyKeys("exchanged", "failed");
    assertThat(found.outcomes().get("exchanged")).isGreaterThan(found.outcomes().get("failed"));
    assertThat(
            explorer("weakExchange")
                .withoutSpuriousFailures()
                .random(EXECUTIONS, LIMIT, 1)
                .outcomes())
        .containsOnlyKeys("exchanged");
  }

  @ParameterizedTest
  @CsvSource({
    "unparkByRace, data race: use of a thread's object",
    "keptObject, objects must be made anew for each execution",
    "lateThread, threads have begun",
    "interruptOfNone, no thread of this name: none"
  })
  void explore_whenObjectIsMisused_reportsIt(String program, String message) throws Exception {
    assertThat(random(program).failure().message()).contains(message);
  }

  @Test
  void explore_whenFlagIsSet_endsSpinning() throws Exception {
    assertThat(explorer("spin").exhaustive(1, 1, LIMIT).failure()).isNull();
    assertThat(random("spin").failure()).isNull();
  }

  // ---- parking ----

  @Test
  void park_afterTwoUnparks_returnsOnce() throws Exception {
    Exploration all = exhaustive("permits");

    assertThat(all.failure().message()).startsWith("deadlock: ");
    assertThat(all.outcomes()).containsOnlyKeys("first");
  }

  @Test
  void parkNanos_atRandom_isSeldomWokenWithoutReason() throws Exception {
    Exploration random = random("parkForAnHour");

    assertThat(random.outcomes()).containsOnlyKeys("in time", "early");
    assertThat(random.outcomes().get("early")).isLessThan(EXECUTIONS / 10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"wakeUpWithFence", "parkForNoTime", "parkInTheEndForATime", "identities", "time"})
  void explore_whenProgramIsRight_reportsNothing(String program) throws Exception {
    assertThat(exhaustive(program).failure()).isNull();
    assertThat(random(program).failure()).isNull();
  }

  @Test
  void managedBlock_ofWorker_replacesOrRefusesIt() throws Exception {
    Exploration all = exhaustive("wakeUpOfWorker");
    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(all.outcomes()).containsOnlyKeys("replaced", "refused");
    assertThat(exhaustive("managedBlockOfThread").outcomes()).containsOnlyKeys("went on");
  }

  // ---- dying ----

  @Test
  void mortalThread_mayDieBeforeAnyAccess_andIsSeenToHaveDoneTheRest() throws Exception {
    String[] outcomes = {"dead at 0", "dead at 1", "dead at 2", "ended at 3"};
    Exploration all = exhaustive("death");

    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(all.outcomes()).containsOnlyKeys(outcomes);
    assertThat(random("death").failure()).isNull();
    assertThat(random("death").outcomes()).containsOnlyKeys(outcomes);
  }

  @Test
  void mortalThread_thatOthersWaitFor_makesThemWaitForEverUnlessTheyAsk() throws Exception {
    assertThat(random("deathAwaited").failure()).isNull();
    assertThat(random("deathUnnoticed").failure().message()).startsWith("livelock: ");
  }

  // ---- exploring ----

  @ParameterizedTest
  @CsvSource({
    "wakeUpWithFence, 4, 4,",
    "parkForAnHour, 4, 4, in time",
    "interrupt, 4, 4, true false",
    "threeByEight, 2, 1, sum 8"
  })
  void exhaustive_withinItsBounds_isComplete(
      String program, int preemptions, int staleReads, String outcome) throws Exception {
    Exploration all = explorer(program).exhaustive(preemptions, staleReads, LIMIT);

    assertThat(all.complete()).isTrue();
    assertThat(all.failure()).isNull();
    assertThat(all.outcomes().keySet()).isEqualTo(outcome == null ? Set.of() : Set.of(outcome));
  }

  @Test
  void exhaustive_whenRunAgain_doesTheSame() throws Exception {
    Exploration once = exhaustive("interrupt");
    Exploration again = exhaustive("interrupt");

    assertThat(again.executions()).isEqualTo(once.executions());
    assertThat(again.outcomes()).isEqualTo(once.outcomes());
  }

  @Test
  void random_besideOthers_findsWhatItFindsAlone() throws Exception {
    Callable<Map<String, Long>> exploration =
        () ->
            new Explorer(Woven.ownScenario(Seqlocks.class, "torn"))
                .random(10 * EXECUTIONS, LIMIT, 1)
                .outcomes();
    Map<String, Long> alone = exploration.call();
    try (ExecutorService pool = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
      for (Future<Map<String, Long>> found :
          pool.invokeAll(Collections.nCopies(SIDE_BY_SIDE, exploration))) {
        assertThat(found.get()).isEqualTo(alone).hasSizeGreaterThan(1);
      }
    }
  }

  @Test
  void replay_ofFailingSeed_failsTheSameWay() throws Exception {
    Exploration failed = random("lostUpdate");
    long seed = failed.failure().seed().getAsLong();
    Exploration replayed = explorer("lostUpdate").replay(seed);

    assertThat(failed.failure().replay()).isEqualTo("seed " + seed);
    assertThat(failed.failure().message()).isEqualTo("an update is lost");
    assertThat(replayed.failure().message()).isEqualTo("an update is lost");
    assertThat(withoutHashes(replayed.failure().trace()))
        .isEqualTo(withoutHashes(failed.failure().trace()))
        .contains("one: ", "other: ", "end: ", "Variable.call(Variable.java:");
  }

  private static String withoutHashes(String trace) {
    return trace.replaceAll("@[0-9a-f]+", "@");
  }
}
