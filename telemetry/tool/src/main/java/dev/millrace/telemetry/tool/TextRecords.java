package dev.millrace.telemetry.tool;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A line for each record: time, writer, type, fields, text.
 *
 * <pre>
 * 2026-11-22T09:30:00.000000125Z feed-1 rejected price=1.5 levels=[{bid=1, ask=2}] "no symbol"
 * </pre>
 *
 * <p>Text is in quotes, characters in single ones, bytes that are no text in hex. What does not
 * show is escaped as in Java, so that a record never takes more than its line.
 */
public final class TextRecords implements RecordOutput {
  private final Writer writer;

  /**
   * Writes nothing yet.
   *
   * @param writer where to
   */
  public TextRecords(Writer writer) {
    this.writer = writer;
  }

  @Override
  public void write(TraceRecord record) throws IOException {
    writer.write(line(record));
    writer.write('\n');
  }

  @Override
  public void flush() throws IOException {
    writer.flush();
  }

  /**
   * Makes the line of a record.
   *
   * @param record the record
   * @return the line, without an end
   */
  public static String line(TraceRecord record) {
    StringBuilder line = new StringBuilder(RecordOutput.text(record.time()));
    line.append(' ').append(Escapes.word(record.writer()));
    line.append(' ').append(Escapes.word(record.type()));
    line.append(' ').append(fields(record));
    if (!record.text().isEmpty()) {
      line.append(' ').append(Escapes.quoted(record.text()));
    }
    return line.toString();
  }

  /** The fields alone. */
  static String fields(TraceRecord record) {
    return members(record.fields(), " ");
  }

  private static String members(Map<?, ?> members, String separator) {
    return members.entrySet().stream()
        .map(one -> Escapes.word((String) one.getKey()) + '=' + value(one.getValue()))
        .collect(Collectors.joining(separator));
  }

  private static String value(Object value) {
    return switch (value) {
      case Map<?, ?> struct -> '{' + members(struct, ", ") + '}';
      case List<?> list ->
          list.stream().map(TextRecords::value).collect(Collectors.joining(", ", "[", "]"));
      case String text -> Escapes.quoted(text);
      case Character one -> "'" + one + "'";
      default -> value.toString();
    };
  }
}
