package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.simulator.litmus.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Finds an outcome that the simulator shows and no model allows, or that Java's model allows and it
 * never shows, in programs that nobody thought of.
 */
class GeneratedLitmusTest {
  private static final int PROGRAMS = Integer.getInteger("litmus.programs", 100);
  private static final int BOUND = 4;
  private static final int MOST_REGISTERS = 9;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static final List<String> READS = List.of("getOpaque()", "getAcquire()", "getVolatile()");
  private static final List<String> WRITES =
      List.of("setOpaque(%d)", "setRelease(%d)", "setVolatile(%d)");
  private static final List<String> MODIFICATIONS =
      List.of(
          "getAndAdd(%d)",
          "getAndAddAcquire(%d)",
          "getAndAddRelease(%d)",
          "compareAndSet(0, %d)",
          "weakCompareAndSetPlain(0, %d)",
          "compareAndExchange(9, %d)",
          "compareAndExchangeRelease(0, %d)");
  private static final List<String> FENCES =
      List.of("fullFence()", "acquireFence()", "releaseFence()");

  @Test
  void outcomes_ofGeneratedPrograms_areThoseOfTheModels() {
    for (int seed = 1; seed <= PROGRAMS; seed++) {
      List<String> text = program(new SplittableRandom(seed));
      Set<String> java = Axioms.outcomes(Program.parse(text), Axioms.Model.JAM21);
      Set<String> either = new TreeSet<>(java);
      either.addAll(Axioms.outcomes(Program.parse(text), Axioms.Model.RC11));

      Exploration all =
          new Explorer(Woven.program(text))
              .withoutSpuriousFailures()
              .exhaustive(BOUND, BOUND, LIMIT);

      assertThat(all.failure()).as("program: %s", text).isNull();
      assertThat(either).as("program: %s", text).containsAll(all.outcomes().keySet());
      assertThat(all.outcomes().keySet()).as("program: %s", text).containsAll(java);
    }
  }

  /** Two threads of two to four statements, or three of one or two. */
  private static List<String> program(SplittableRandom random) {
    int threads = 2 + random.nextInt(2);
    int value = 1;
    int register = 0;
    List<String> text = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int length = threads == 2 ? 2 + random.nextInt(3) : 1 + random.nextInt(2);
      List<String> statements = new ArrayList<>();
      for (int j = 0; j < length; j++) {
        String variable = random.nextBoolean() ? "x." : "y.";
        int kind = random.nextInt(10);
        if (kind < 4 && register < MOST_REGISTERS) {
          statements.add("r" + register++ + " = " + variable + any(READS, random, 0));
        } else if (kind < 8) {
          statements.add(variable + any(WRITES, random, value++));
        } else if (kind == 8 && register < MOST_REGISTERS) {
          statements.add("r" + register++ + " = " + variable + any(MODIFICATIONS, random, value++));
        } else {
          statements.add(any(FENCES, random, 0));
        }
      }
      text.add(String.join("; ", statements));
    }
    return text;
  }

  private static String any(List<String> of, SplittableRandom random, int value) {
    return of.get(random.nextInt(of.size())).formatted(value);
  }
}
