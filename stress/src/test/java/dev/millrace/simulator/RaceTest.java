package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.simulator.litmus.Races;
import dev.millrace.simulator.litmus.Seqlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RaceTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int EXECUTIONS = 2_000;
  private static final int BOUND = 4;

  private static Explorer explorer(Class<?> programs, String name)
      throws ReflectiveOperationException {
    return new Explorer(Woven.scenario(programs, name));
  }

  private static Exploration exhaustive(Class<?> programs, String name)
      throws ReflectiveOperationException {
    return explorer(programs, name).exhaustive(BOUND, BOUND, LIMIT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plainWriteAndPlainRead",
        "plainWriteAndPlainWrite",
        "plainWriteAndOpaqueRead",
        "opaqueWriteAndPlainRead",
        "opaqueFlag",
        "volatileWriteOfAnother",
        "volatileWriteAndReadOfOthers",
        "volatileAccessesOfOthers",
        "fullFencesBehindTheFlag",
        "overwrittenRelease"
      })
  void explore_whenNothingOrdersAccesses_reportsTheRace(String program)
      throws ReflectiveOperationException {
    Exploration all = exhaustive(Races.class, program);
    Exploration random = explorer(Races.class, program).random(EXECUTIONS, LIMIT, 1);

    assertThat(all.failure()).isNotNull();
    assertThat(all.failure().message()).startsWith("data race: ");
    assertThat(random.failure()).isNotNull();
    assertThat(random.failure().message()).startsWith("data race: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "releaseAndAcquire",
        "volatileFlag",
        "fences",
        "fullFences",
        "releaseSequence",
        "mutualExclusion",
        "startAndEnd",
        "readsOnly"
      })
  void explore_whenAccessesAreOrdered_reportsNoRace(String program)
      throws ReflectiveOperationException {
    Exploration all = exhaustive(Races.class, program);

    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(explorer(Races.class, program).random(EXECUTIONS, LIMIT, 1).failure()).isNull();
  }

  @Test
  void message_ofRace_namesBothLines() throws ReflectiveOperationException, IOException {
    String message = exhaustive(Races.class, "plainWriteAndPlainRead").failure().message();

    assertThat(message)
        .contains("Plain@", ".value")
        .contains("Races.java:" + line("// the write that races"))
        .contains("Races.java:" + line("// the read"));
  }

  private static int line(String marker) throws IOException {
    Path source = Path.of("src/test/java/dev/millrace/simulator/litmus/Races.java");
    List<String> lines = Files.readAllLines(source);
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).endsWith(marker)) {
        return i + 1;
      }
    }
    throw new AssertionError("source must have the marker: marker=" + marker);
  }

  @ParameterizedTest
  @ValueSource(strings = {"torn", "tornCopy"})
  void speculativeReads_whenWrittenMeanwhile_returnEachMixture(String program)
      throws ReflectiveOperationException {
    Exploration all = exhaustive(Seqlocks.class, program);

    assertThat(all.failure()).isNull();
    assertThat(all.outcomes()).containsOnlyKeys("read 0", "read 1", "read 10", "read 11");
  }

  @Test
  void plainReads_whenNotMarkedSpeculative_race() throws ReflectiveOperationException {
    assertThat(exhaustive(Seqlocks.class, "notSpeculative").failure().message())
        .startsWith("data race: ");
  }

  @Test
  void seqlock_withBothFences_isNeverTorn() throws ReflectiveOperationException {
    Exploration all = exhaustive(Seqlocks.class, "right");

    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(all.outcomes()).containsOnlyKeys("read 0", "read 11");
    assertThat(explorer(Seqlocks.class, "right").random(20_000, LIMIT, 1).failure()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"withoutReleaseFence", "withoutAcquireFence"})
  void seqlock_withoutAFence_isTorn(String program) throws ReflectiveOperationException {
    assertThat(exhaustive(Seqlocks.class, program).failure().message()).startsWith("torn: ");
    assertThat(explorer(Seqlocks.class, program).random(20_000, LIMIT, 1).failure().message())
        .startsWith("torn: ");
  }
}
