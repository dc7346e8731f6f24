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

/** The command line of {@code telemetry tail}. {@link Tail} does the work. */
@Command(
    name = "tail",
    description = {
      "Writes the records of the trace log in order, and at the end, to the standard error, how"
          + " many there were.",
      "Of a process that has ended what it left unfinished is passed and counted."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class TailCommand implements Callable<Integer> {
  private static final int MOST_LAST = 10_000_000;

  private final Streams streams;
  private final Stop stop;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The telemetry's file.")
  private Path file;

  @Option(
      names = {"-f", "--follow"},
      description = "Goes on with new records until the process ends, or SIGINT.")
  private boolean follow;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "100ms",
      converter = DurationConverter.class,
      description = "How often to look for new ones. Default: ${DEFAULT-VALUE}.")
  private Duration interval;

  @Option(
      names = {"-n", "--last"},
      paramLabel = "N",
      description = "Only the last N of those that are there; with --follow the new ones too.")
  private Integer last;

  @Option(names = "--type", paramLabel = "TYPE", description = "Only records of that type.")
  private String type;

  @Option(names = "--writer", paramLabel = "WRITER", description = "Only those of that writer.")
  private String writer;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "${COMPLETION-CANDIDATES}. JSON is an object a line. CSV has a column for each field with"
              + " --type. Default: ${DEFAULT-VALUE}.")
  private RecordOutput.Format format = RecordOutput.Format.TEXT;

  @Option(
      names = "--skip-unfinished",
      description =
          "Passes records that are not finished, though the process runs; else it waits for them"
              + " with --follow, and stops there without.")
  private boolean skipsUnfinished;

  TailCommand(Streams streams, Stop stop) {
    this.streams = streams;
    this.stop = stop;
  }

  @Override
  public Integer call() throws IOException {
    if (last != null && (last < 0 || last > MOST_LAST)) {
      throw new ParameterException(
          spec.commandLine(), "--last must be in 0.." + MOST_LAST + ": --last=" + last);
    }
    Tail.Options options = new Tail.Options(follow, interval, last, type, writer, skipsUnfinished);
    RecordOutput out = RecordOutput.of(format, type != null, streams.out());
    Tail.run(file, options, out, streams.err(), stop);
    return TelemetryTool.OK;
  }
}
