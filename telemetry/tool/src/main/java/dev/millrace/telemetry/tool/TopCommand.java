package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of {@code telemetry top}. {@link Top} does the work. */
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
  private final Streams streams;
  private final Stop stop;

  @Parameters(paramLabel = "FILE", description = "The telemetry's file.")
  private Path file;

  @Mixin private TopOptions options;

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
    TopView.Options shown = options.checked(records);
    Screen screen = new Screen(streams.out(), streams.terminal());
    options.newTop(file, reader -> new TopView(file, reader, shown), screen).run(stop::sleep);
    return TelemetryTool.OK;
  }
}
