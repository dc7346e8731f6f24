package dev.millrace.telemetry.tool;

import java.io.IOException;
import java.io.Writer;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** An output for records. */
public interface RecordOutput {
  /**
   * Writes a record.
   *
   * @param record the record
   * @throws IOException if it cannot be written
   */
  void write(TraceRecord record) throws IOException;

  /**
   * Makes everything that was written visible.
   *
   * @throws IOException if it cannot be written
   */
  void flush() throws IOException;

  /** How records are written. */
  enum Format {
    /** For people: {@link TextRecords}. */
    TEXT,

    /** For spreadsheets: {@link CsvRecords}. */
    CSV,

    /** For programs: {@link JsonRecords}. */
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Makes an output.
   *
   * @param format how records are written
   * @param isOfOneType whether all records are of one type, so that CSV has a column for each field
   * @param writer receives the text
   * @return the output
   * @throws IOException if nothing can be written
   */
  static RecordOutput of(Format format, boolean isOfOneType, Writer writer) throws IOException {
    return switch (format) {
      case TEXT -> new TextRecords(writer);
      case CSV -> new CsvRecords(writer, isOfOneType);
      case JSON -> new JsonRecords(writer);
    };
  }

  /**
   * Returns a time as text, as all formats show it.
   *
   * @param time the time
   * @return the time in UTC, always with nine fractional digits of a second
   */
  static String text(Instant time) {
    return Times.ISO_NANOS.format(time);
  }

  /** How times are written. */
  final class Times {
    private static final DateTimeFormatter ISO_NANOS =
        new DateTimeFormatterBuilder().appendInstant(9).toFormatter(Locale.ROOT);

    private Times() {}
  }
}
