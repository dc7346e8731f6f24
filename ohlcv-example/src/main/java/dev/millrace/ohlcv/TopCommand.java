package dev.millrace.ohlcv;

import dev.millrace.ohlcv.output.OutputTarget;
import dev.millrace.ohlcv.trace.JobView;
import dev.millrace.telemetry.tool.DurationConverter;
import dev.millrace.telemetry.tool.Screen;
import dev.millrace.telemetry.tool.Terminal;
import dev.millrace.telemetry.tool.Top;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code ohlcv top}; what it shows is {@link JobView}'s. */
@Command(
    name = "top",
    description = {
      "Shows the telemetry of ohlcv candles or ohlcv load, while it runs and after, until SIGINT:"
          + " counters with their change per second, percentiles of the latencies seen, the last"
          + " trades rejected and candles closed.",
      "If the file is replaced by that of a new run, it goes on with that."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = Ohlcv.Version.class,
    sortOptions = false)
final class TopCommand implements Callable<Integer> {
  private static final int MOST_RECORDS = 1_000;

  private final Environment environment;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "What --telemetry was given.")
  private Path file;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "The time between two looks. Default: ${DEFAULT-VALUE}.")
  private Duration interval;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many looks; 0 for no end. Default: ${DEFAULT-VALUE}.")
  private long count;

  @Option(
      names = "--label",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Only counters whose labels begin so.")
  private String labelPrefix;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How many rejected trades, and how many candles, the last ones. Default:"
              + " ${DEFAULT-VALUE}.")
  private int records;

  TopCommand(Environment environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    if (count < 0) {
      throw wrongUsage("--count must not be negative: --count=" + count);
    }
    if (records < 0 || records > MOST_RECORDS) {
      throw wrongUsage("--records must be in 0.." + MOST_RECORDS + ": --records=" + records);
    }
    Terminal terminal = new Terminal(environment.outRows(), environment.outColumns());
    try (OutputTarget target = environment.out().get()) {
      Screen screen = new Screen(target.writer(), terminal);
      new Top(
              file,
              interval,
              count,
              reader -> new JobView(file, reader, labelPrefix, records),
              screen)
          .run(TopCommand::sleep);
      return Ohlcv.OK;
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("Broken pipe")) {
        return Ohlcv.OK; // who read has gone
      }
      environment.err().println("ohlcv top: " + e.getMessage());
      environment.err().flush();
      return Ohlcv.BAD_INPUT;
    }
  }

  private static boolean sleep(Duration time) {
    try {
      Thread.sleep(time);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
