package dev.millrace.bench.onethread;

import dev.millrace.bench.onethread.OneThreadResults.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.openjdk.jmh.profile.LinuxPerfNormProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link OneThreadBenchmark}, each time in a JVM of its own, in rounds whose order is left to
 * chance: what the machine does meanwhile then falls on all alike.
 */
public final class Measurement {
  private static final Path PROCESSOR_TIMES = Path.of("/proc/stat");
  private static final int STEAL_COLUMN = 8;
  private static final int TRIES = 3;

  private final List<Trial> trials;
  private final List<String> flags;
  private final boolean countsInstructions;

  /**
   * What one JVM does.
   *
   * @param contender what it measures
   * @param style how records are moved
   * @param warmUp what it has seen before
   */
  public record Trial(Contender contender, Style style, WarmUp warmUp) {}

  /**
   * Makes a measurement.
   *
   * @param trials what is measured in each round
   * @param flags of the JVMs
   */
  public Measurement(List<Trial> trials, List<String> flags) {
    this.trials = List.copyOf(trials);
    this.flags = List.copyOf(flags);
    this.countsInstructions = isCounting();
  }

  /** Whether JMH can ask this machine for counts. */
  private static boolean isCounting() {
    try {
      new LinuxPerfNormProfiler("");
      return true;
    } catch (ProfilerException e) {
      return false;
    }
  }

  /**
   * Measures.
   *
   * @param rounds how many JVMs each trial gets
   * @param seed of the order
   * @param progress is told of each sample
   * @return the samples
   * @throws RunnerException if a JVM fails
   * @throws IOException if the processors' times cannot be read
   */
  public List<Sample> run(int rounds, long seed, Consumer<Sample> progress)
      throws RunnerException, IOException {
    Random random = new Random(seed);
    List<Sample> samples = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      List<Trial> shuffled = new ArrayList<>(trials);
      Collections.shuffle(shuffled, random);
      for (Trial trial : shuffled) {
        Sample sample = sample(trial, round);
        samples.add(sample);
        progress.accept(sample);
      }
    }
    return samples;
  }

  /** Measures once more if the host took the processors away, but not for ever. */
  private Sample sample(Trial trial, int round) throws RunnerException, IOException {
    Sample sample = null;
    for (int i = 0; i < TRIES; i++) {
      sample = once(trial, round);
      if (sample.stolen() <= Sample.MOST_STOLEN) {
        break;
      }
    }
    return sample;
  }

  private Sample once(Trial trial, int round) throws RunnerException, IOException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(OneThreadBenchmark.class.getName())
            .param("contender", trial.contender().name())
            .param("style", trial.style().name())
            .param("warmUp", trial.warmUp().name())
            .jvmArgs(flags.toArray(String[]::new))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (countsInstructions) {
      options.addProfiler(LinuxPerfNormProfiler.class);
    }
    long[] before = processorTimes();
    RunResult result = new Runner(options.build()).runSingle();
    return new Sample(
        trial.contender(),
        trial.style(),
        trial.warmUp(),
        round,
        result.getPrimaryResult().getScore(),
        instructions(result.getSecondaryResults().values()),
        stolen(before, processorTimes()));
  }

  @SuppressWarnings("rawtypes") // as JMH has them
  private static Double instructions(Collection<Result> results) {
    return results.stream()
        .filter(one -> one.getLabel().startsWith("instructions"))
        .map(Result::getScore)
        .findFirst()
        .orElse(null);
  }

  /** The times of all processors in all states, where the system tells them. */
  private static long[] processorTimes() throws IOException {
    if (!Files.exists(PROCESSOR_TIMES)) {
      return new long[STEAL_COLUMN];
    }
    String all = Files.readAllLines(PROCESSOR_TIMES).getFirst(); // "cpu", then numbers
    return Arrays.stream(all.split(" +")).skip(1).mapToLong(Long::parseLong).toArray();
  }

  private static double stolen(long[] before, long[] after) {
    double passed = Arrays.stream(after).sum() - Arrays.stream(before).sum();
    return passed == 0 ? 0 : (after[STEAL_COLUMN - 1] - before[STEAL_COLUMN - 1]) / passed;
  }
}
