package dev.millrace.telemetry.tool;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CSV with a header: {@code time}, {@code writer}, {@code type}, {@code text}, and the fields.
 *
 * <p>If all records are of one type, each field has a column of its own, named by its path, such as
 * {@code fields.price} or {@code fields.levels[0].bid}. The first record determines the columns, so
 * the header is written with it. Otherwise a single column {@code fields} shows all fields as
 * {@link TextRecords} does.
 */
public final class CsvRecords implements RecordOutput {
  private static final List<String> HEAD = List.of("time", "writer", "type", "text");
  private static final String FIELDS = "fields";

  private final CsvWriter csv;
  private final boolean isOfOneType;
  private List<String> paths = List.of();
  private boolean isHeaded;

  /**
   * Makes an output that has written nothing yet.
   *
   * @param writer receives the text
   * @param isOfOneType whether all records are of one type
   */
  public CsvRecords(Writer writer, boolean isOfOneType) {
    this.csv = newWriter(writer);
    this.isOfOneType = isOfOneType;
  }

  /**
   * Makes a writer that separates values by commas and rows by line feeds, with quotes only where
   * needed.
   */
  static CsvWriter newWriter(Writer writer) {
    return CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(writer);
  }

  @Override
  public void write(TraceRecord record) throws IOException {
    Map<String, String> fields = new LinkedHashMap<>();
    if (isOfOneType) {
      flatten(FIELDS, record.fields(), fields);
    } else {
      fields.put(FIELDS, TextRecords.fields(record));
    }
    if (!isHeaded) {
      head(List.copyOf(fields.keySet()));
    }
    checkPaths(record, fields);
    List<String> row = new ArrayList<>();
    row.add(RecordOutput.text(record.time()));
    row.add(record.writer());
    row.add(record.type());
    row.add(record.text());
    row.addAll(fields.values());
    writeRow(row);
  }

  private void head(List<String> fields) throws IOException {
    isHeaded = true;
    paths = fields;
    List<String> names = new ArrayList<>(HEAD);
    names.addAll(fields);
    writeRow(names);
  }

  private void checkPaths(TraceRecord record, Map<String, String> fields) throws IOException {
    if (!paths.equals(List.copyOf(fields.keySet()))) {
      throw new IOException(
          "fields of a type must be the same in CSV: type="
              + record.type()
              + ", writer="
              + record.writer()
              + ", fields="
              + fields.keySet()
              + ", those of the first record="
              + paths
              + "; --writer chooses one");
    }
  }

  private static void flatten(String path, Object value, Map<String, String> out) {
    switch (value) {
      case Map<?, ?> struct ->
          struct.forEach((name, member) -> flatten(path + '.' + name, member, out));
      case List<?> list -> {
        for (int i = 0; i < list.size(); i++) {
          flatten(path + '[' + i + ']', list.get(i), out);
        }
      }
      default -> out.put(path, value.toString());
    }
  }

  private void writeRow(List<String> row) throws IOException {
    try {
      csv.writeRecord(row);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      if (!isHeaded && !isOfOneType) {
        head(List.of(FIELDS));
      }
      csv.flush();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
