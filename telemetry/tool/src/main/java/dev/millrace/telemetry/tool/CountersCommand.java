package dev.millrace.telemetry.tool;

import com.fasterxml.jackson.core.JsonGenerator;
import de.siegmar.fastcsv.writer.CsvWriter;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
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

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "${COMPLETION-CANDIDATES}. JSON is an object a line. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.TABLE;

  @Option(
      names = "--label",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Only those whose labels begin so.")
  private String prefix;

  /** How counters are written. */
  enum Format {
    TABLE,
    CSV,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  CountersCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    try (TelemetryReader reader = TelemetryFiles.open(file)) {
      OwnerProcess process = OwnerProcess.of(reader);
      boolean isRunning = process.isRunning();
      List<Reading> readings =
          Reading.readAll(file, reader).stream()
              .filter(one -> one.label().startsWith(prefix))
              .toList();
      write(readings);
      streams.out().flush();
      if (!isRunning) {
        int unfinished = TelemetryFiles.read(file, reader::unfinishedCount);
        streams.err().println(process + ": " + Unfinished.text(unfinished));
      }
    }
    return TelemetryTool.OK;
  }

  private void write(List<Reading> readings) throws IOException {
    switch (format) {
      case TABLE -> writeTable(readings, streams.out());
      case CSV -> writeCsv(readings, streams.out());
      case JSON -> writeJson(readings, streams.out());
    }
  }

  private static void writeTable(List<Reading> readings, Writer out) throws IOException {
    TextTable table = new TextTable("label", "kind", "#value");
    for (Reading one : readings) {
      String value = String.format(Locale.ROOT, "%,d", one.value());
      table.add(Escapes.plain(one.label()), one.kind(), value);
    }
    for (String line : table.lines()) {
      out.write(line + "\n");
    }
  }

  private static void writeCsv(List<Reading> readings, Writer out) throws IOException {
    try {
      CsvWriter csv = CsvRecords.newWriter(out);
      csv.writeRecord("label", "kind", "value");
      for (Reading one : readings) {
        csv.writeRecord(one.label(), one.kind(), Long.toString(one.value()));
      }
      csv.flush();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void writeJson(List<Reading> readings, Writer out) throws IOException {
    JsonGenerator json = JsonRecords.generator(out);
    for (Reading one : readings) {
      json.writeStartObject();
      json.writeStringField("label", one.label());
      json.writeStringField("kind", one.kind());
      json.writeNumberField("value", one.value());
      json.writeEndObject();
      json.writeRaw('\n');
    }
    json.flush();
  }
}
