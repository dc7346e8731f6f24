package dev.millrace.bench.compare;

import dev.millrace.bench.onethread.Contender;
import dev.millrace.bench.onethread.Measurement;
import dev.millrace.bench.onethread.Measurement.Trial;
import dev.millrace.bench.onethread.OneThreadResults;
import dev.millrace.bench.onethread.Style;
import dev.millrace.bench.onethread.WarmUp;
import dev.millrace.bench.onethread.Work;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that measures the time of a record in one thread. */
@Command(
    name = "onethread",
    description = "The time of a record in one thread, by each kind of queue beside its peers.",
    mixinStandardHelpOptions = true)
final class OneThreadCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--rounds", description = "how many JVMs each measurement gets")
  private int rounds = 5;

  @Option(names = "--work", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
  private Set<Work> works = EnumSet.allOf(Work.class);

  @Option(names = "--style", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
  private Set<Style> styles = EnumSet.allOf(Style.class);

  @Option(names = "--warm-up", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
  private Set<WarmUp> warmUps = EnumSet.allOf(WarmUp.class);

  @Option(names = "--contender", split = ",", description = "only these")
  private Set<Contender> contenders = EnumSet.allOf(Contender.class);

  @Option(names = "--seed", description = "of the order within rounds")
  private long seed = 1;

  @Option(names = "--out", description = "the results' file, by default named by the time")
  private Path out;

  @Override
  public Integer call() throws IOException, RunnerException {
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    List<Trial> trials = trials();
    int[] done = new int[1];
    OneThreadResults results =
        new OneThreadResults(
            repeat(),
            started,
            Machine.here(),
            RunCommand.versions(),
            new Measurement(trials, Runner.FLAGS)
                .run(
                    rounds,
                    seed,
                    sample ->
                        System.err.printf(
                            "%d of %d: %s %s %s %.2f ns%n",
                            ++done[0],
                            trials.size() * rounds,
                            sample.contender(),
                            sample.style(),
                            sample.warmUp(),
                            sample.nanos())));
    Path file = out == null ? Compare.resultsFile(started) : out;
    results.write(file);
    results.print();
    System.out.println("results: " + file.toAbsolutePath());
    return 0;
  }

  /** What repeats the run, anywhere: all options as given but where the results go. */
  private String repeat() {
    StringBuilder command = new StringBuilder("bench/compare ").append(spec.name());
    for (OptionSpec option : spec.options()) {
      if (!option.longestName().equals("--out")) {
        for (String value : option.originalStringValues()) {
          command.append(' ').append(option.longestName()).append(' ').append(value);
        }
      }
    }
    return command.toString();
  }

  private List<Trial> trials() {
    List<Trial> trials = new ArrayList<>();
    for (Contender contender : Contender.values()) {
      for (Style style : contender.styles()) {
        if (contenders.contains(contender)
            && works.contains(contender.work())
            && styles.contains(style)) {
          warmUps.forEach(warmUp -> trials.add(new Trial(contender, style, warmUp)));
        }
      }
    }
    return trials;
  }
}
