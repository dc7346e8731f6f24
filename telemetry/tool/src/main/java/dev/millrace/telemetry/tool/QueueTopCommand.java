package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  @Mixin private QueueCommand.QueueFile file;

  @Mixin private Looks looks;

  QueueTopCommand(Streams streams, Stop stop) {
    this.streams = streams;
    this.stop = stop;
  }

  @Override
  public Integer call() throws IOException {
    looks.check();
    Screen screen = new Screen(streams.out(), streams.terminal());
    Top top = looks.newTop(file.path(), () -> new QueueView(file.path(), file.open()), screen);
    file.read(() -> top.run(stop::sleep));
    return TelemetryTool.OK;
  }
}
