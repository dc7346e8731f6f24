package dev.millrace.telemetry.tool;

import dev.millrace.queues.log.LogDamagedException;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of {@code telemetry log readers}. */
@Command(
    name = "readers",
    description = {
      "Writes the named readers of a log, living or not: name, number of the message from which it"
          + " continues, how many messages it is behind."
    },
    footer = {"", "Exit codes: 0 done, 1 the log is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class LogReadersCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private LogCommand.Directory directory;

  @Mixin private RowOutput.Choice format;

  LogReadersCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    try (LogReader log = directory.open()) {
      RowOutput out = format.open(streams.out(), "reader", "#position", "#behind");
      for (String name : MessageLog.readerNames(directory.path())) {
        try {
          long position = MessageLog.releasedBy(directory.path(), name);
          if (position >= 0) { // else it has been removed since
            out.write(name, position, Math.max(0, log.endNumber() - position));
          }
        } catch (LogDamagedException e) {
          out.write(name, "damaged", "");
        }
      }
      out.flush();
    }
    return TelemetryTool.OK;
  }
}
