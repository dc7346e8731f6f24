package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.millrace.bench.Words;
import dev.millrace.bench.compare.Runner.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of other sizes than 24 bytes, for which it takes JVMs of their own. */
class WordsTest {
  @TempDir private Path directory;

  /** One word, fewer than three, more, and the most. */
  @Execution(CONCURRENT) // its JVMs run for fixed times
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 128})
  void trials_whenRecordsAreOfAnotherSize_loseNothing(int words) throws Exception {
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(command(words))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    boolean ended = process.waitFor(120, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as("whether it ended").isTrue();
    String text = Files.readString(out);
    assertThat(process.waitFor()).as(text).isZero();
    assertThat(Integer.parseInt(text.strip())).isGreaterThanOrEqualTo(16);
  }

  private static List<String> command(int words) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Runner.FLAGS);
    command.add("-D" + Words.PROPERTY + "=" + words);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Trials.class.getName());
    return command;
  }

  @Test
  void run_givesEachJvmItsWordsAndRound() throws IOException, InterruptedException {
    Row row = Row.of("sizes-spsc-64");
    List<Trial> trials = List.of(new Trial(row, Contenders.MILLRACE, 1));
    List<Sample> samples = new Runner(trials, 20, 20, 1, Optional.empty()).run(1);
    assertThat(samples).singleElement().extracting(Sample::failure).isNull();
    assertThat(samples.getFirst().round()).isEqualTo(1);
    assertThat(samples.getFirst().measured().perSecond()).isPositive();
  }

  @Test
  void sum_isThatOfTheFields() {
    assertThat(Words.sum(10)).isEqualTo(10 + 11 + 12);
    assertThat(Words.sum(10, 2)).isEqualTo(10 + 11 + 12 + 11 + 12 + 13);
  }
}
