package dev.millrace.telemetry.tool;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs the program as a user would, without a process. */
record Cli(int exitCode, String out, String err) {
  static Cli run(Object... arguments) {
    return run(new Stop(), Terminal.NONE, arguments);
  }

  static Cli run(Stop stop, Terminal terminal, Object... arguments) {
    return run(stop, terminal, new StringWriter(), arguments);
  }

  /** The same, with a writer that can be read at the same time. */
  static Cli run(Stop stop, Terminal terminal, StringWriter out, Object... arguments) {
    StringWriter err = new StringWriter();
    Streams streams = new Streams(out, new PrintWriter(err, true), terminal);
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    int exitCode = TelemetryTool.run(streams, stop, texts);
    return new Cli(exitCode, out.toString(), err.toString());
  }

  /** The rows of what it has written, which is CSV. */
  List<NamedCsvRecord> rows() {
    return CsvReader.builder().ofNamedCsvRecord(out).stream().toList();
  }

  List<String> lines() {
    return out.lines().toList();
  }
}
