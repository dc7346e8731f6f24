package dev.millrace.telemetry.tool;

import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.io.Writer;
import picocli.CommandLine.Option;

/** How messages are written, as an option that picocli mixes in. */
final class MessageOutput {
  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "${COMPLETION-CANDIDATES}. JSON is an object a line. Default: ${DEFAULT-VALUE}.")
  private RecordOutput.Format format = RecordOutput.Format.TEXT;

  private RowOutput out;

  /** Begins to write to {@code writer}. {@code number} names the column of the numbers. */
  void begin(Writer writer, String number) throws IOException {
    String[] columns = {"#" + number, "time", "#type", "#length", "bytes"};
    out =
        switch (format) {
          case TEXT -> new Lines(writer);
          case CSV -> RowOutput.of(RowOutput.Format.CSV, writer, columns);
          case JSON -> RowOutput.of(RowOutput.Format.JSON, writer, columns);
        };
  }

  /** Writes a message with its number, and its time as it is to be shown. */
  void write(long number, Object time, Message message) throws IOException {
    byte[] bytes = new byte[message.length()];
    message.getBytes(0, bytes, 0, bytes.length);
    out.write(
        number,
        time,
        (long) message.type(),
        (long) bytes.length,
        RecordFields.textOrRaw(bytes, bytes.length, MessageOutput::isOfText));
  }

  void flush() throws IOException {
    out.flush();
  }

  private static boolean isOfText(int codePoint) {
    return Escapes.isPrintable(codePoint) || "\t\n\r".indexOf(codePoint) >= 0;
  }

  /** Writes a line for each message. */
  private record Lines(Writer writer) implements RowOutput {
    @Override
    public void write(Object... row) throws IOException {
      String bytes = row[4] instanceof String text ? Escapes.quoted(text) : row[4].toString();
      writer.write("%s %s %s %s %s\n".formatted(row[0], row[1], row[2], row[3], bytes));
    }

    @Override
    public void flush() throws IOException {
      writer.flush();
    }
  }
}
