package dev.millrace.telemetry.tool;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes a line for each record, with its time, writer, type, fields and text.
 *
 * <pre>
 * 2026-11-22T09:30:00.000000125Z feed-1 rejected price=1.5 levels=[{bid=1, ask=2}] "no symbol"
 * </pre>
 *
 * <p>Text is in quotes, characters are in single quotes, and bytes that are not text are in hex.
 * Unprintable characters are escaped as in Java, so that a record never takes more than one line.
 */
public final class TextRecords implements RecordOutput {
  private final Writer writer;

  /**
   * Makes an output that has written nothing yet.
   *
   * @param writer receives the text
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
   * Returns the line for a record.
   *
   * @param record the record
   * @return the line, without a line terminator
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

  /** Returns the fields of {@code record}. */
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
