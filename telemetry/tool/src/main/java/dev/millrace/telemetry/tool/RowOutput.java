package dev.millrace.telemetry.tool;

import com.fasterxml.jackson.core.JsonGenerator;
import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** An output for rows of numbers and texts that all have the same columns. */
interface RowOutput {
  /** Writes a row, which has a {@link Long} or an object with a text for each column. */
  void write(Object... row) throws IOException;

  /** Makes everything that was written visible. A table is not written before this call. */
  void flush() throws IOException;

  /** How rows are written. */
  enum Format {
    /** For people: a table with aligned columns. */
    TABLE,

    /** For spreadsheets. */
    CSV,

    /** For programs: a JSON object per line. */
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The format requested, as options that picocli mixes in. */
  final class Choice {
    @Option(
        names = "--format",
        paramLabel = "FORMAT",
        description =
            "${COMPLETION-CANDIDATES}. JSON is an object a line. Default: ${DEFAULT-VALUE}.")
    private Format format = Format.TABLE;

    boolean isTable() {
      return format == Format.TABLE;
    }

    /** Makes an output: see {@link RowOutput#of}. */
    RowOutput open(Writer out, String... columns) throws IOException {
      return of(format, out, columns);
    }
  }

  /** Makes an output. The names of number columns begin with {@code #}. */
  static RowOutput of(Format format, Writer out, String... columns) throws IOException {
    List<String> names = Stream.of(columns).map(name -> name.replace("#", "")).toList();
    return switch (format) {
      case TABLE -> new Table(out, new TextTable(columns));
      case CSV -> new Csv(out, names);
      case JSON -> new Json(JsonRecords.generator(out), names);
    };
  }

  /** A table whose numbers have thousands separators. */
  record Table(Writer out, TextTable table) implements RowOutput {
    @Override
    public void write(Object... row) {
      table.add(Arrays.stream(row).map(Table::text).toArray(String[]::new));
    }

    private static String text(Object value) {
      return value instanceof Long number
          ? String.format(Locale.ROOT, "%,d", number)
          : Escapes.plain(value.toString());
    }

    @Override
    public void flush() throws IOException {
      for (String line : table.lines()) {
        out.write(line + "\n");
      }
      out.flush();
    }
  }

  /** CSV with a header. */
  final class Csv implements RowOutput {
    private final CsvWriter csv;

    Csv(Writer out, List<String> names) throws IOException {
      this.csv = CsvRecords.newWriter(out);
      write(names.toArray());
    }

    @Override
    public void write(Object... row) throws IOException {
      try {
        csv.writeRecord(Arrays.stream(row).map(Object::toString).toList());
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        csv.flush();
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
  }

  /** Writes each row as a JSON object on a line of its own. */
  record Json(JsonGenerator json, List<String> names) implements RowOutput {
    @Override
    public void write(Object... row) throws IOException {
      json.writeStartObject();
      for (int i = 0; i < row.length; i++) {
        if (row[i] instanceof Long number) {
          json.writeNumberField(names.get(i), number);
        } else {
          json.writeStringField(names.get(i), row[i].toString());
        }
      }
      json.writeEndObject();
      json.writeRaw('\n');
    }

    @Override
    public void flush() throws IOException {
      json.flush();
    }
  }
}
