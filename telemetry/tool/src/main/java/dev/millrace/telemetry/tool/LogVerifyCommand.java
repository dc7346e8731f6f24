package dev.millrace.telemetry.tool;

import dev.millrace.queues.log.LogDamage;
import dev.millrace.queues.log.LogReport;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of {@code telemetry log verify}. */
@Command(
    name = "verify",
    description = {
      "Reads each message of a log. Writes each place that is damaged (segment, position, number of"
          + " the first message that cannot be read, how many in a row, reason) and to the standard"
          + " error what there is."
    },
    footer = {"", "Exit codes: 0 all is whole, 1 damaged or refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class LogVerifyCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private LogCommand.Directory directory;

  @Mixin private RowOutput.Choice format;

  LogVerifyCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    directory.segments();
    LogReport report = MessageLog.verify(directory.path());
    if (!report.isWhole() || !format.isTable()) {
      RowOutput out =
          format.open(streams.out(), "segment", "#position", "#number", "#count", "reason");
      for (LogDamage damage : report.damages()) {
        out.write(
            damage.file().getFileName(),
            damage.position(),
            damage.number(),
            damage.count(),
            damage.reason());
      }
      out.flush();
    }
    streams
        .err()
        .printf(
            Locale.ROOT,
            "segments %,d, first number %,d, next number %,d, whole messages %,d,"
                + " damaged places %,d%n",
            report.segments(),
            report.firstNumber(),
            report.endNumber(),
            report.messages(),
            report.damages().size());
    return report.isWhole() ? TelemetryTool.OK : TelemetryTool.REFUSED;
  }
}
