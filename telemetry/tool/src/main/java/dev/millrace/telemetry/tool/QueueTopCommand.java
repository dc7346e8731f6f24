package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code telemetry queue top}. {@link Top} does the work. */
@Command(
    name = "top",
    description = {
      "Shows positions and counts of a queue, in cells, with their change per second since the"
          + " former look, and who takes part, until SIGINT.",
      "If the file is replaced by a new one, it goes on with that."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class QueueTopCommand implements Callable<Integer> {
  private final Streams streams;
  private final Stop stop;

  @Spec private CommandSpec spec;

  @Mixin private QueueCommand.QueueFile file;

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

  QueueTopCommand(Streams streams, Stop stop) {
    this.streams = streams;
    this.stop = stop;
  }

  @Override
  public Integer call() throws IOException {
    if (count < 0) {
      throw new ParameterException(
          spec.commandLine(), "--count must not be negative: --count=" + count);
    }
    Screen screen = new Screen(streams.out(), streams.terminal());
    Top top =
        new Top(
            file.path(), interval, count, () -> new QueueView(file.path(), file.open()), screen);
    file.read(() -> top.run(stop::sleep));
    return TelemetryTool.OK;
  }
}
