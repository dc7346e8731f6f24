package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Runs trials in JVMs of their own, in rounds; the order within a round is left to chance. */
final class Runner {
  private static final long FORK_SECONDS = 60;
  private static final int COLUMNS = 110;

  private final List<Trial> trials;
  private final long warmupMillis;
  private final long millis;
  private final long seed;
  private final Optional<Path> nativeRing;

  /**
   * What one JVM does.
   *
   * @param row which row of the report it is for
   * @param contender who does the work
   * @param idle how often a side pauses after an attempt in vain
   */
  record Trial(Row row, Contenders contender, int idle) {
    @Override
    public String toString() {
      return row.work().id() + " " + contender.id();
    }
  }

  /**
   * Makes a runner.
   *
   * @param nativeRing the program of the ring in C++; without it those trials are left out
   */
  Runner(List<Trial> trials, long warmupMillis, long millis, long seed, Optional<Path> nativeRing) {
    this.trials =
        trials.stream()
            .filter(trial -> nativeRing.isPresent() || trial.contender() != Contenders.CPP)
            .toList();
    this.nativeRing = nativeRing;
    this.warmupMillis = warmupMillis;
    this.millis = millis;
    this.seed = seed;
  }

  List<Sample> run(int rounds) throws Exception {
    return inRounds(trials, rounds, seed, this::fork);
  }

  /** What one JVM does in a round, and what it has found. */
  interface Measurement<T, S> {
    S of(T trial, int round) throws Exception;
  }

  /**
   * Measures all in each round, in an order that is left to chance, so that what the machine does
   * meanwhile falls on all alike; shows how far it is.
   */
  static <T, S> List<S> inRounds(
      List<T> trials, int rounds, long seed, Measurement<T, S> measurement) throws Exception {
    List<T> shuffled = new ArrayList<>(trials);
    Random random = new Random(seed);
    List<S> samples = new ArrayList<>();
    try (ProgressBar progress = newProgress((long) rounds * trials.size())) {
      for (int round = 1; round <= rounds; round++) {
        Collections.shuffle(shuffled, random);
        for (T trial : shuffled) {
          progress.setExtraMessage(trial.toString());
          samples.add(measurement.of(trial, round));
          progress.step();
        }
      }
    }
    return samples;
  }

  /** On a terminal one line that changes, elsewhere a line now and then. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 returns null where there is no terminal
  private static ProgressBar newProgress(long steps) {
    boolean isTerminal = System.console() != null;
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    return new ProgressBarBuilder()
        .setTaskName("compare")
        .setInitialMax(steps)
        .setUpdateIntervalMillis(isTerminal ? 1_000 : 30_000)
        .setStyle(ProgressBarStyle.ASCII)
        .setConsumer(
            new DelegatingProgressBarConsumer(
                line -> err.print(isTerminal ? "\r" + line : line + "\n"), COLUMNS))
        .build();
  }

  private Sample fork(Trial trial, int round) throws InterruptedException {
    Work work = trial.row().work();
    List<Object> arguments =
        List.of(
            work.id(),
            trial.contender().id(),
            round,
            trial.idle(),
            warmupMillis,
            millis,
            nativeRing.map(Path::toString).orElse(""));
    try {
      return Child.run(Fork.class, flags(work), arguments, FORK_SECONDS, Sample.class);
    } catch (IOException e) {
      return Sample.failed(work.id(), trial.contender().id(), round, trial.idle(), e.getMessage());
    }
  }

  /** The options of a work's JVMs beside those of all. */
  static List<String> flags(Work work) {
    String words = "-D" + Words.PROPERTY + "=" + work.words();
    return Stream.concat(work.jvm().flags().stream(), Stream.of(words)).toList();
  }
}
