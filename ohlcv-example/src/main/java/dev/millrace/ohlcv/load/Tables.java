package dev.millrace.ohlcv.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Both engines, flat out by threads and at the fixed rate, in rounds: what was run, and where.
 *
 * @param started when, in UTC
 * @param command that repeats it, from the root of the checkout
 * @param machine what it ran on, by name
 * @param flags the options of the JVMs
 * @param ranks which percentiles were taken
 * @param runs one for each JVM, in the order in which they ran
 */
record Tables(
    String started,
    String command,
    Map<String, String> machine,
    List<String> flags,
    List<Double> ranks,
    List<Run> runs) {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING);

  /**
   * A run.
   *
   * @param round counted from 1
   * @param result what it showed
   */
  record Run(int round, LoadResult result) {}

  /** Runs in a JVM of its own. */
  @FunctionalInterface
  interface Runner {
    LoadResult run(LoadSettings settings) throws IOException, InterruptedException;
  }

  /** Of nothing run yet, by this JVM on this machine. */
  static Tables begin(String command) throws IOException {
    List<String> flags = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
    flags.removeIf(flag -> flag.startsWith("-Dohlcv.")); // the script's
    flags.add(HeldMemory.TRACKING);
    return new Tables(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        command,
        Machine.facts(),
        flags,
        Latencies.RANKS,
        new ArrayList<>());
  }

  /**
   * Runs all trials once in each round, in an order of its own.
   *
   * @param progress told before each what comes and how long all may take
   * @param roundDone called after each round
   */
  void run(
      List<LoadSettings> trials,
      int rounds,
      long seed,
      Runner runner,
      Consumer<String> progress,
      RoundDone roundDone)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    TimeLeft left = new TimeLeft(trials, rounds);
    for (int round = 1; round <= rounds; round++) {
      List<LoadSettings> order = new ArrayList<>(trials);
      Collections.shuffle(order, random);
      for (LoadSettings trial : order) {
        progress.accept(
            "run %d of %d, round %d: %s; %s"
                .formatted(
                    runs.size() + 1, trials.size() * rounds, round, name(trial), left.text()));
        runs.add(new Run(round, runner.run(trial)));
        left.passed(trial);
      }
      roundDone.run();
    }
  }

  /** What follows a round. */
  @FunctionalInterface
  interface RoundDone {
    void run() throws IOException;
  }

  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    JSON.writeValue(file.toFile(), this);
  }

  private static String name(LoadSettings trial) {
    return trial.engine()
        + (trial.paced()
            ? ", at the fixed rate"
            : ", flat out, %d thread%s"
                .formatted(trial.callers(), trial.callers() == 1 ? "" : "s"));
  }
}
