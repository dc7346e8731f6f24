package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command line of {@code telemetry info}. */
@Command(
    name = "info",
    description = "Tells whose telemetry it is, since when, and how much there is room for.",
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class InfoCommand implements Callable<Integer> {
  private final Streams streams;

  @Parameters(paramLabel = "FILE", description = "The telemetry's file.")
  private Path file;

  InfoCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    try (TelemetryReader reader = TelemetryFiles.open(file)) {
      write("file", file + String.format(Locale.ROOT, ", %,d bytes", Files.size(file)));
      write("process", new OwnerProcess(reader).toString().substring("process ".length()));
      write("started", RecordOutput.text(reader.startTime()));
      write("counters", counters(reader));
      writeTrace(reader);
      streams.out().flush();
    }
    return TelemetryTool.OK;
  }

  private void writeTrace(TelemetryReader reader) throws IOException {
    if (reader.traceCapacity() == 0) {
      write("trace", "none");
      return;
    }
    write(
        "trace",
        String.format(
            Locale.ROOT,
            "keeps %,d records of %,d bytes; %,d claimed, %,d of them refused",
            reader.traceCapacity(),
            reader.traceRecordBytes(),
            TelemetryFiles.read(file, reader::traceClaimedCount),
            TelemetryFiles.read(file, reader::traceRefusedCount)));
  }

  private String counters(TelemetryReader reader) throws IOException {
    return String.format(
        Locale.ROOT,
        "%,d, and %,d unfinished, in %,d slots",
        Reading.readAll(file, reader).size(),
        TelemetryFiles.read(file, reader::unfinishedCount),
        reader.capacity());
  }

  private void write(String name, String value) throws IOException {
    streams.out().write(String.format(Locale.ROOT, "%-10s%s\n", name, value));
  }
}
