package dev.millrace.ohlcv.input;

import static java.util.Comparator.comparingLong;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvReader.CsvReaderBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.LineNumberReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Rows of a CSV file: comma, semicolon, tab or bar between the fields, whichever the first line has
 * most of. The first row has the names, unless there is a number or a time in it.
 *
 * <p>Each line is a row and is parsed by itself: trades have no line ends in quotes, and a quote
 * that is never closed must not swallow the rows that follow.
 */
final class CsvRows extends Rows {
  private static final int MAX_CHARS = 1 << 20; // a file without line ends must not fill the heap
  private static final char REPLACEMENT = '\ufffd'; // what decoding makes of other bytes
  private static final List<Character> SEPARATORS = List.of(',', ';', '\t', '|');

  private final LineNumberReader reader; // makes all line ends one character
  private final StringBuilder chars = new StringBuilder(); // of the line that is being read
  private char separator; // 0 before the first line
  private CsvReaderBuilder parser;

  /** Opens a file of which nothing was read yet but a byte order mark. */
  CsvRows(String file, InputStream bytes) {
    super(file);
    this.reader = new LineNumberReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
  }

  @Override
  List<String> namesIn(Row first) {
    boolean values =
        first.fields().stream().anyMatch(f -> DecimalField.isNumber(f) || TimeField.isWritten(f));
    return values ? List.of() : first.fields().stream().map(String::strip).toList();
  }

  @Override
  Row read() throws IOException, InputException {
    String line = readLine();
    while (line != null && line.isEmpty()) {
      line = readLine();
    }
    if (line == null) {
      return null;
    }
    if (separator == 0) {
      separator = separatorIn(line);
      parser = parser(false);
    }
    if (line.indexOf(REPLACEMENT) >= 0) {
      return bad(List.of(line), "row", "must be UTF-8 text", line);
    }
    try {
      return new Row(reader.getLineNumber(), parser.ofSingleCsvRecord(line).getFields(), null);
    } catch (CsvParseException e) {
      return malformed(line);
    }
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  private String readLine() throws IOException, InputException {
    chars.setLength(0);
    int c = reader.read();
    while (c >= 0 && c != '\n') {
      if (chars.length() == MAX_CHARS) {
        throw new InputException(
            "%s:%d: line must have at most %d characters"
                .formatted(file, reader.getLineNumber() + 1, MAX_CHARS));
      }
      chars.append((char) c);
      c = reader.read();
    }
    return c < 0 && chars.isEmpty() ? null : chars.toString();
  }

  private Row malformed(String line) {
    try {
      List<String> fields = parser(true).ofSingleCsvRecord(line).getFields();
      int last = fields.size() - 1;
      String name = last < names().size() ? names().get(last) : String.valueOf(last + 1);
      return bad(fields, name, "must have a closing quote on its line", '"' + fields.getLast());
    } catch (CsvParseException e) {
      String rule = "must have nothing between a closing quote and the next separator";
      return bad(List.of(line), "row", rule, line);
    }
  }

  private Row bad(List<String> fields, String field, String rule, String value) {
    return new Row(reader.getLineNumber(), fields, new BadRowException(field, rule, value));
  }

  /** A lenient parser takes the line's end for a closing quote. */
  private CsvReaderBuilder parser(boolean lenient) {
    return CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(lenient);
  }

  private static char separatorIn(String line) {
    return SEPARATORS.stream()
        .max(comparingLong(separator -> line.chars().filter(c -> c == separator).count()))
        .orElseThrow();
  }
}
