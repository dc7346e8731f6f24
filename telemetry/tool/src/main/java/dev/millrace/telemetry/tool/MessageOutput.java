package dev.millrace.telemetry.tool;

import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.io.Writer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How many messages are written and how, as options that picocli mixes in. */
final class MessageOutput {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(names = "--limit", paramLabel = "N", description = "Ends after so many messages.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "${COMPLETION-CANDIDATES}. JSON is an object a line. Default: ${DEFAULT-VALUE}.")
  private RecordOutput.Format format = RecordOutput.Format.TEXT;

  private RowOutput out;
  private long written;

  /** Throws {@link ParameterException} if a number is out of its range. */
  void check() {
    if (limit < 0) {
      throw new ParameterException(
          spec.commandLine(), "--limit must not be negative: --limit=" + limit);
    }
  }

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
    written++;
  }

  /** Returns how many messages were written. */
  long written() {
    return written;
  }

  /** Returns whether there may be more. */
  boolean isBelowLimit() {
    return written < limit;
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
