package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line of {@code telemetry counters}. */
@Command(
    name = "counters",
    description = {
      "Writes all counters and gauges once, sorted by label.",
      "Of a process that has ended, what it left unfinished is told to the standard error."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class CountersCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "FILE", description = "The telemetry's file.")
  private Path file;

  @Mixin private RowOutput.Choice format;

  @Option(
      names = "--label",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Only those whose labels begin so.")
  private String prefix;

  CountersCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    try (TelemetryReader reader = TelemetryFiles.open(file)) {
      boolean isRunning = reader.isProcessRunning();
      List<Reading> readings =
          Reading.readAll(file, reader).stream()
              .filter(one -> one.label().startsWith(prefix))
              .toList();
      RowOutput out = format.open(streams.out(), "label", "kind", "#value");
      for (Reading one : readings) {
        out.write(one.label(), one.kind(), one.value());
      }
      out.flush();
      if (!isRunning) {
        int unfinished = TelemetryFiles.read(file, reader::unfinishedCount);
        streams.err().println(new OwnerProcess(reader) + ": " + Unfinished.text(unfinished));
      }
    }
    return TelemetryTool.OK;
  }
}
