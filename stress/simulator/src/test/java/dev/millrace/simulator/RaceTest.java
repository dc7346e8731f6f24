package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.simulator.litmus.Program;
import dev.millrace.simulator.litmus.Races;
import dev.millrace.simulator.litmus.Seqlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a data race that the simulator overlooks, ordered accesses that it takes for a race, and a
 * report that names the wrong lines.
 */
class RaceTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int EXECUTIONS = 2_000;
  private static final int BOUND = 4;

  private static Explorer explorer(Class<?> programs, String name) throws Exception {
    return new Explorer(Woven.scenario(programs, name));
  }

  private static Exploration exhaustive(Class<?> programs, String name) throws Exception {
    return exhaustive(explorer(programs, name));
  }

  private static Exploration exhaustive(Explorer explorer) {
    return explorer.exhaustive(BOUND, BOUND, LIMIT);
  }

  private static Explorer program(String text) {
    return new Explorer(Woven.program(Program.split(text)));
  }

  private static Explorer programOfElements(String text) {
    return new Explorer(Woven.programOfElements(Program.split(text)));
  }

  /** In each, x is the plain variable: a field, then an element of an array. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "two plain writes -> x.set(1) || x.set(2)",
        "a plain and an opaque access -> x.set(1) || r0 = x.getOpaque()",
        "the other way round -> x.setOpaque(1) || r0 = x.get()",
        "an opaque flag orders nothing"
            + " -> x.set(1); y.setOpaque(1) || r0 = y.getOpaque(); unless(r0, 1); r1 = x.get()",
        "nor does a volatile write of another variable"
            + " -> x.set(1); z.setVolatile(1); y.setOpaque(1)"
            + " || r0 = y.getOpaque(); unless(r0, 1); r1 = x.get()",
        "nor a volatile read of a third, though volatile accesses are totally ordered"
            + " -> x.set(1); z.setVolatile(1); y.setOpaque(1)"
            + " || r0 = y.getOpaque(); unless(r0, 1); r1 = u.getVolatile(); r2 = x.get()",
        "the same with two volatile accesses in each thread, between which all are ordered"
            + " -> x.set(1); z.setVolatile(1); z.setVolatile(2); y.setOpaque(1)"
            + " || r0 = u.getVolatile(); r1 = y.getOpaque(); unless(r1, 1); r2 = u.getVolatile();"
            + " r3 = x.get()",
        "full fences are totally ordered, which is not enough either"
            + " -> x.set(1); y.setOpaque(1); fullFence()"
            + " || r0 = y.getOpaque(); unless(r0, 1); fullFence(); r1 = x.get()",
        "an opaque write by a third thread breaks the release sequence"
            + " -> x.set(1); y.setRelease(1) || y.setOpaque(2)"
            + " || r0 = y.getAcquire(); unless(r0, 2); r1 = y.getOpaque(); unless(r1, 2);"
            + " r2 = x.get()"
      })
  void explore_whenNothingOrdersAccesses_reportsTheRace(String about, String text) {
    for (Explorer explorer : List.of(program(text), programOfElements(text))) {
      assertThat(exhaustive(explorer).failure().message()).startsWith("data race: ");
      assertThat(explorer.random(EXECUTIONS, LIMIT, 1).failure().message())
          .startsWith("data race: ");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "release and acquire"
            + " -> x.set(1); y.setRelease(1) || r0 = y.getAcquire(); unless(r0, 1); r1 = x.get()",
        "volatile accesses"
            + " -> x.set(1); y.setVolatile(1) || r0 = y.getVolatile(); unless(r0, 1); r1 = x.get()",
        "fences around an opaque flag"
            + " -> x.set(1); releaseFence(); y.setOpaque(1)"
            + " || r0 = y.getOpaque(); unless(r0, 1); acquireFence(); r1 = x.get()",
        "full ones are both"
            + " -> x.set(1); fullFence(); y.setOpaque(1)"
            + " || r0 = y.getOpaque(); unless(r0, 1); fullFence(); r1 = x.get()",
        "another thread's read-modify-write carries the release on"
            + " -> x.set(1); y.setRelease(1) || r0 = y.weakCompareAndSetPlain(1, 2)"
            + " || r1 = y.getAcquire(); unless(r1, 2); r2 = x.get()",
        "fences and values keep two threads from x at once, as in Dekker's algorithm"
            + " -> y.setOpaque(1); fullFence(); r0 = z.getOpaque(); unless(r0, 0); x.set(1)"
            + " || z.setOpaque(1); fullFence(); r1 = y.getOpaque(); unless(r1, 0); x.set(2)",
        "reads only -> r0 = x.get() || r1 = x.getOpaque()"
      })
  void explore_whenAccessesAreOrdered_reportsNoRace(String about, String text) {
    findsNoRace(program(text));
    findsNoRace(programOfElements(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "startAndEnd",
        "plainWriteInTheEnd",
        "elementInTheEnd",
        "twoHalves",
        "twoElements",
        "elementPublished",
        "constants"
      })
  void explore_ofOrderedProgram_reportsNothing(String program) throws Exception {
    findsNoRace(explorer(Races.class, program));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "oneElement",
        "elementOfList",
        "elementOfClone",
        "elementOfCopy",
        "elementPublishedOpaque"
      })
  void explore_ofRacingElements_reportsTheRace(String program) throws Exception {
    assertThat(exhaustive(Races.class, program).failure().message()).startsWith("data race: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"halfAndWhole", "wholeAndHalf", "wholesAndByte", "copiedBytes", "comparedBytes"})
  void explore_ofRacingParts_reportsTheRace(String program) throws Exception {
    assertThat(exhaustive(Races.class, program).failure().message()).startsWith("data race: ");
    assertThat(explorer(Races.class, program).random(EXECUTIONS, LIMIT, 1).failure().message())
        .startsWith("data race: ");
  }

  @Test
  void message_ofRaceOfElement_namesArrayAndIndex() throws Exception {
    assertThat(exhaustive(Races.class, "oneElement").failure().message())
        .containsPattern("of String\\[\\]@[0-9a-f]+\\[1\\] by ")
        .contains("Races.java:");
  }

  @Test
  void speculativeRead_ofField_mayReturnEachFormerValue() throws Exception {
    Exploration all = exhaustive(Races.class, "historyOfAField");

    assertThat(all.failure()).isNull();
    assertThat(all.outcomes()).containsOnlyKeys("read 0", "read 1", "read 2");
  }

  private static void findsNoRace(Explorer explorer) {
    Exploration all = exhaustive(explorer);

    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(explorer.random(EXECUTIONS, LIMIT, 1).failure()).isNull();
  }

  @Test
  void message_ofRace_namesBothLines() throws Exception {
    String message = exhaustive(Races.class, "twoLines").failure().message();

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
  @ValueSource(strings = {"torn", "tornCopy", "tornComparison"})
  void speculativeReads_whenWrittenMeanwhile_returnEachMixture(String program) throws Exception {
    Exploration all = exhaustive(Seqlocks.class, program);

    assertThat(all.failure()).isNull();
    assertThat(all.outcomes()).containsOnlyKeys("read 0", "read 1", "read 10", "read 11");
  }

  @Test
  void plainReads_whenNotMarkedSpeculative_race() throws Exception {
    assertThat(exhaustive(Seqlocks.class, "notSpeculative").failure().message())
        .startsWith("data race: ");
  }

  @Test
  void seqlock_withBothFences_isNeverTorn() throws Exception {
    Exploration all = exhaustive(Seqlocks.class, "right");

    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
    assertThat(all.outcomes()).containsOnlyKeys("read 0", "read 11");
    assertThat(explorer(Seqlocks.class, "right").random(20_000, LIMIT, 1).failure()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"withoutReleaseFence", "withoutAcquireFence"})
  void seqlock_withoutAFence_isTorn(String program) throws Exception {
    assertThat(exhaustive(Seqlocks.class, program).failure().message()).startsWith("torn: ");
    assertThat(explorer(Seqlocks.class, program).random(20_000, LIMIT, 1).failure().message())
        .startsWith("torn: ");
  }
}
