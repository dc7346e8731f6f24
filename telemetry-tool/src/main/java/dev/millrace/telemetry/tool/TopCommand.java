package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.tool.TelemetryTool.Streams;
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

/** The command line of {@code telemetry top}; the work is {@link Top}'s. */
@Command(
    name = "top",
    description = {
      "Shows the counters, with their change per second since the former look, and the last trace"
          + " records, until SIGINT.",
      "If the file is replaced by a new one, it goes on with that."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class TopCommand implements Callable<Integer> {
  private static final int MOST_RECORDS = 1_000;

  private final Streams streams;
  private final Stop stop;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The telemetry's file.")
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
      defaultValue = "5",
      description = "How many of the last trace records. Default: ${DEFAULT-VALUE}.")
  private int records;

  TopCommand(Streams streams, Stop stop) {
    this.streams = streams;
    this.stop = stop;
  }

  @Override
  public Integer call() throws IOException {
    if (count < 0) {
      throw wrongUsage("--count must not be negative: --count=" + count);
    }
    if (records < 0 || records > MOST_RECORDS) {
      throw wrongUsage("--records must be in 0.." + MOST_RECORDS + ": --records=" + records);
    }
    TopView.Options options = new TopView.Options(labelPrefix, records);
    Screen screen = new Screen(streams.out(), streams.terminal());
    new Top(file, interval, count, options, screen).run(stop::sleep);
    return TelemetryTool.OK;
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
