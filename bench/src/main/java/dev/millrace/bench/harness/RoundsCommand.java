package dev.millrace.bench.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that measures in JVMs of their own, in rounds, and keeps what they found in a file. */
@Command(mixinStandardHelpOptions = true, showDefaultValues = true)
public abstract class RoundsCommand implements Callable<Integer> {
  /** Where results and reports go; the script knows the module's folder. */
  public static final Path TARGET = Path.of(System.getProperty("millrace.module", "."), "target");

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING);
  private static final int COLUMNS = 110;

  /** When the command began, in UTC. */
  protected final String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();

  @Option(names = "--rounds", description = "how many JVMs each measurement gets")
  protected int rounds = 5;

  @Option(names = "--seed", description = "of the order within rounds, and of all that is random")
  protected long seed = 1;

  @Spec private CommandSpec spec;

  @Option(names = "--out", description = "the results' file, by default named by the time")
  private Path out;

  /** What one JVM does in a round, and what it has found. */
  @FunctionalInterface
  protected interface Measurement<T, S> {
    /** Measures. */
    S of(T trial, int round) throws Exception;
  }

  /** What is done with all samples so far. */
  @FunctionalInterface
  protected interface Keeper<S> {
    /** Keeps them. */
    void keep(List<S> samples) throws IOException;
  }

  /**
   * Measures all in each round, in shuffled order, so that what the machine does meanwhile falls on
   * all alike; shows how far it is.
   *
   * @param keeper gets all samples after each round
   */
  protected final <T, S> List<S> inRounds(
      List<T> trials, Measurement<T, S> measurement, Keeper<S> keeper) throws Exception {
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
        keeper.keep(samples);
      }
    }
    System.out.println("results: " + file().toAbsolutePath().normalize());
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

  /** What a run has found and where, as commands keep it that no page is made of. */
  private record Kept(
      String command,
      String started,
      Machine machine,
      Map<String, String> versions,
      List<String> flags,
      List<?> samples) {}

  /** Writes what was found so far, and by which options of the JVMs. */
  protected final void keep(List<String> flags, List<?> samples) throws IOException {
    write(file(), new Kept(repeat(), started, Machine.here(), versions(), flags, samples));
  }

  /** Removes a folder that was made for a measurement. */
  protected static void remove(Path made) throws IOException {
    try (Stream<Path> files = Files.walk(made)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** The versions of the contenders, by name. */
  protected static Map<String, String> versions() {
    ResourceBundle versions = ResourceBundle.getBundle("dev.millrace.bench.harness.versions");
    Map<String, String> sorted = new TreeMap<>();
    versions.keySet().forEach(name -> sorted.put(name, versions.getString(name)));
    return sorted;
  }

  /** Writes the results of any command. */
  public static void write(Path file, Object results) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    JSON.writeValue(file.toFile(), results);
  }

  /** The results' file: by default without colons, which not every file system takes. */
  protected final Path file() {
    return out == null
        ? TARGET.resolve(folder()).resolve(started.replace(':', '-') + ".json")
        : out;
  }

  /** Where in {@link #TARGET} results go: apart from those that another command reads. */
  protected String folder() {
    return spec.name();
  }

  /** Prints what a reader is told. */
  protected final void print(String text) {
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }

  /** Checks a number that was given. */
  protected final void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw wrongUsage("--%s must be in %d..%d: %1$s=%d".formatted(name, least, most, value));
    }
  }

  /** Checks that all that was given is among what there is. */
  protected final <T> void checkSome(String name, List<T> given, List<T> all) {
    if (!all.containsAll(given)) {
      throw wrongUsage("--%s must be some of %s".formatted(name, all));
    }
  }

  /** Tells that the command was called wrongly. */
  protected final ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /**
   * What repeats the run, anywhere: as it was called, but for where the results go, and in which
   * folder of this machine something is.
   */
  protected final String repeat() {
    List<String> arguments = spec.commandLine().getParseResult().originalArgs();
    return "bench/compare "
        + String.join(" ", arguments)
            .replaceAll(" --out[ =]\\S+", "")
            .replaceAll("(?<=[ =])/\\S*/", "");
  }
}
