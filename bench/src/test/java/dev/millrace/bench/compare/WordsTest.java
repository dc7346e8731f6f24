package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Child;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of other sizes than 24 bytes, for which it takes JVMs of their own. */
class WordsTest {
  /** One word, fewer than three, more, and the most. */
  @Execution(CONCURRENT) // its JVMs run for fixed times
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 128})
  void trials_whenRecordsAreOfAnotherSize_loseNothing(int words) throws Exception {
    List<String> flags = List.of("-D" + Words.PROPERTY + "=" + words);
    assertThat(Child.run(Trials.class, flags, List.of(), 120, Integer.class))
        .isGreaterThanOrEqualTo(16);
  }

  @Test
  void run_givesEachJvmItsWordsAndRound() throws Exception {
    Work work = Row.of("sizes-spsc-64").work();
    Sample sample = new Fork(work, Contenders.MILLRACE, 1, 20, 20).inJvm(3, "");
    assertThat(sample.failure()).isNull();
    assertThat(sample.round()).isEqualTo(3);
    assertThat(sample.measured().perSecond()).isPositive();
  }

  @Test
  void sum_isThatOfTheFields() {
    assertThat(Words.sum(10)).isEqualTo(10 + 11 + 12);
    assertThat(Words.sum(10, 2)).isEqualTo(10 + 11 + 12 + 11 + 12 + 13);
  }
}
