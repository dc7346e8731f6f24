package dev.millrace.bench.compare;

import dev.millrace.bench.compare.OneThread.Style;
import dev.millrace.bench.compare.OneThread.Subject;
import dev.millrace.bench.compare.OneThread.WarmUp;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.bench.harness.Samples;
import dev.millrace.bench.harness.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.openjdk.jmh.profile.LinuxPerfNormProfiler;
import org.openjdk.jmh.profile.ProfilerException;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command that measures the time of a record in one thread: JMH, each time in a JVM of its own,
 * in shuffled rounds, so that what the machine does meanwhile falls on all alike.
 */
@Command(
    name = "onethread",
    description = "The time of a record in one thread, by each kind of queue beside its peers.")
final class OneThreadCommand extends RoundsCommand {
  private static final Path PROCESSOR_TIMES = Path.of("/proc/stat");
  private static final int STEAL_COLUMN = 8;

  /** Above this share of stolen time a sample says more of the host than of the code. */
  private static final double MOST_STOLEN = 0.02;

  private static final int TRIES = 3;

  private static final List<String> FLAGS =
      Stream.concat(Child.FLAGS.stream(), Stream.of("-D" + Ends.ISOLATED + "=true")).toList();

  @Option(
      names = "--work",
      description = "only what begins so, such as queue/spsc; by default all but messages")
  private String work = "";

  @Option(names = "--style", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
  private Set<Style> styles = EnumSet.allOf(Style.class);

  @Option(names = "--warm-up", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
  private Set<WarmUp> warmUps = EnumSet.allOf(WarmUp.class);

  private final boolean countsInstructions = isCounting();

  /** What one JVM does. */
  private record Trial(Subject subject, Style style, WarmUp warmUp) {
    @Override
    public String toString() {
      return "%s %s after %s".formatted(subject.id(), style, warmUp);
    }
  }

  /**
   * What a JVM has found.
   *
   * @param nanos per record, the mean of its iterations
   * @param instructions per record, or null where the machine does not count them
   * @param stolen the share of the time in which the host took the processors away
   */
  private record Sample(
      String subject,
      Style style,
      WarmUp warmUp,
      int round,
      double nanos,
      Double instructions,
      double stolen) {}

  /** Whether JMH can ask this machine for counts. */
  private static boolean isCounting() {
    try {
      new LinuxPerfNormProfiler("");
      return true;
    } catch (ProfilerException e) {
      return false;
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Sample> samples = inRounds(trials(), this::sample, some -> keep(FLAGS, some));
    for (Style style : Style.values()) {
      print(table(style, samples));
    }
    return 0;
  }

  private List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (Subject subject : OneThread.SUBJECTS) {
      for (Style style : subject.styles()) {
        if (isAskedFor(subject) && styles.contains(style)) {
          warmUps.forEach(warmUp -> trials.add(new Trial(subject, style, warmUp)));
        }
      }
    }
    return trials;
  }

  /** Messages take longer than all the others, so they are named if they are wanted. */
  private boolean isAskedFor(Subject subject) {
    return work.isEmpty() ? subject.lengths() == null : subject.id().startsWith(work);
  }

  /** Measures once more if the host took the processors away, but not for ever. */
  private Sample sample(Trial trial, int round) throws RunnerException, IOException {
    Sample sample = once(trial, round);
    for (int i = 1; i < TRIES && sample.stolen() > MOST_STOLEN; i++) {
      sample = once(trial, round);
    }
    return sample;
  }

  private Sample once(Trial trial, int round) throws RunnerException, IOException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(OneThreadBenchmark.class.getName())
            .param("subject", trial.subject().id())
            .param("style", trial.style().name())
            .param("warmUp", trial.warmUp().name())
            .jvmArgs(FLAGS.toArray(String[]::new))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    if (countsInstructions) {
      options.addProfiler(LinuxPerfNormProfiler.class);
    }
    long[] before = processorTimes();
    RunResult result = new Runner(options.build()).runSingle();
    return new Sample(
        trial.subject().id(),
        trial.style(),
        trial.warmUp(),
        round,
        result.getPrimaryResult().getScore(),
        result.getSecondaryResults().values().stream()
            .filter(one -> one.getLabel().startsWith("instructions"))
            .map(one -> one.getScore())
            .findFirst()
            .orElse(null),
        stolen(before, processorTimes()));
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

  /** A table of a style: the median JVM, and in brackets the slowest. */
  private static String table(Style style, List<Sample> samples) {
    Map<String, Map<String, String>> rows = new LinkedHashMap<>();
    for (Subject subject : OneThread.SUBJECTS) {
      for (WarmUp warmUp : WarmUp.values()) {
        double[] nanos =
            samples.stream()
                .filter(one -> one.style() == style && one.warmUp() == warmUp)
                .filter(one -> one.subject().equals(subject.id()))
                .mapToDouble(Sample::nanos)
                .sorted()
                .toArray();
        if (nanos.length > 0) {
          rows.computeIfAbsent(subject.id(), _ -> new LinkedHashMap<>())
              .put(
                  warmUp.name().toLowerCase(Locale.ROOT),
                  Table.format("%.1f (%.1f)", Samples.median(nanos), nanos[nanos.length - 1]));
        }
      }
    }
    return rows.isEmpty() ? "" : Table.ofCells(style.title + ", ns", rows).markdown() + "\n";
  }
}
