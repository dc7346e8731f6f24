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
  private final Random random;
  private final Optional<Path> nativeRing;

  /**
   * What one JVM does.
   *
   * @param row which row of the report it is for
   * @param contender who does the work
   * @param idle how often a side pauses after an attempt in vain
   */
  record Trial(Row row, Contenders contender, int idle) {}

  /**
   * Makes a runner.
   *
   * @param nativeRing the program of the ring in C++; without it those trials are left out
   */
  Runner(List<Trial> trials, long warmupMillis, long millis, long seed, Optional<Path> nativeRing) {
    this.trials = new ArrayList<>(trials);
    if (nativeRing.isEmpty()) {
      this.trials.removeIf(trial -> trial.contender() == Contenders.CPP);
    }
    this.nativeRing = nativeRing;
    this.warmupMillis = warmupMillis;
    this.millis = millis;
    this.random = new Random(seed);
  }

  /** Runs all rounds, showing how far it is. */
  List<Sample> run(int rounds) throws IOException, InterruptedException {
    List<Sample> samples = new ArrayList<>();
    try (ProgressBar progress = newProgress((long) rounds * trials.size())) {
      for (int round = 1; round <= rounds; round++) {
        Collections.shuffle(trials, random);
        for (Trial trial : trials) {
          progress.setExtraMessage(trial.row().work().id() + " " + trial.contender().id());
          samples.add(fork(trial, round));
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
    List<Object> arguments = new ArrayList<>();
    arguments.addAll(
        List.of(work.id(), trial.contender().id(), round, trial.idle(), warmupMillis, millis));
    nativeRing.ifPresent(arguments::add);
    try {
      return Child.run(Fork.class, flags(work), arguments, FORK_SECONDS, Sample.class);
    } catch (IOException e) {
      return Sample.failed(work.id(), trial.contender().id(), round, trial.idle(), e.getMessage());
    }
  }

  /** The options of a work's JVMs beside those of all. */
  static List<String> flags(Work work) {
    List<String> flags = new ArrayList<>(work.jvm().flags());
    flags.add("-D" + Words.PROPERTY + "=" + work.words());
    return flags;
  }
}
