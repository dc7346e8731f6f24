package dev.millrace.ohlcv.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvReader.CsvReaderBuilder;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Rows of a CSV file: comma, semicolon, tab or bar between the fields, whichever the first line has
 * most of. The first row has the names, unless there is a number or a time in it.
 *
 * <p>Each line is a row and is parsed by itself: trades have no line ends in quotes, and a quote
 * that is never closed must not swallow the rows that follow.
 */
final class CsvRows implements Rows {
  private static final int PEEK_BYTES = 8 * 1024;
  private static final char REPLACEMENT = '\ufffd'; // what decoding makes of other bytes
  private static final char[] SEPARATORS = {',', ';', '\t', '|'};

  /** How many bad rows may come before the first that tells what the columns hold. */
  private static final int MAX_AHEAD = 1_000;

  private final Lines lines;
  private final CsvReaderBuilder parser;
  private final CsvReaderBuilder lenientParser; // the line's end closes a quote
  private final CsvRow first;
  private final Deque<CsvRow> ahead = new ArrayDeque<>();
  private final List<String> firstValues;
  private List<String> names = List.of();
  private CsvRow row;

  /** A line's fields; with a problem those that could be told apart. */
  private record CsvRow(long line, List<String> fields, BadRowException problem) {}

  /** Opens a file of which nothing was read yet but a byte order mark. */
  CsvRows(String file, BufferedInputStream bytes) throws IOException, InputException {
    char separator = separator(file, bytes);
    this.parser = CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(false);
    this.lenientParser = CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(true);
    this.lines = new Lines(file, new InputStreamReader(bytes, StandardCharsets.UTF_8));
    this.first = read();
    if (first != null && first.problem != null) { // also if bad rows are skipped: no columns
      throw new InputException(first.problem.message(file, first.line));
    }
    if (first != null && first.fields.stream().noneMatch(CsvRows::isValue)) {
      this.names = first.fields.stream().map(String::strip).toList();
      readToFirstValues();
    } else if (first != null) {
      ahead.add(first);
    }
    this.firstValues = ahead.isEmpty() ? List.of() : ahead.getLast().fields;
  }

  private void readToFirstValues() throws IOException, InputException {
    CsvRow next = read();
    while (next != null) {
      ahead.add(next);
      boolean goesOn = next.problem != null && ahead.size() < MAX_AHEAD;
      next = goesOn ? read() : null;
    }
  }

  @Override
  public List<String> names() {
    return names;
  }

  @Override
  public int width() {
    return first == null ? 0 : first.fields.size();
  }

  @Override
  public long firstLine() {
    return first == null ? 1 : first.line;
  }

  @Override
  public List<String> firstValues() {
    return firstValues;
  }

  @Override
  public boolean next() throws IOException, InputException {
    row = ahead.isEmpty() ? read() : ahead.remove();
    return row != null;
  }

  @Override
  public long line() {
    return row.line;
  }

  @Override
  public BadRowException problem() {
    return row.problem;
  }

  @Override
  public int fieldCount() {
    return row.fields.size();
  }

  @Override
  public String field(int column) {
    return column < row.fields.size() ? row.fields.get(column) : "";
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  private CsvRow read() throws IOException, InputException {
    String line = lines.next();
    while (line != null && line.isEmpty()) {
      line = lines.next();
    }
    if (line == null) {
      return null;
    }
    if (line.indexOf(REPLACEMENT) >= 0) {
      BadRowException problem = new BadRowException("row", "must be UTF-8 text", line);
      return new CsvRow(lines.number(), List.of(line), problem);
    }
    try {
      return new CsvRow(lines.number(), parser.ofSingleCsvRecord(line).getFields(), null);
    } catch (CsvParseException e) {
      return malformed(line);
    }
  }

  private CsvRow malformed(String line) {
    try {
      List<String> fields = lenientParser.ofSingleCsvRecord(line).getFields();
      int last = fields.size() - 1;
      String name = last < names.size() ? names.get(last) : String.valueOf(last + 1);
      String rule = "must have a closing quote on its line";
      return new CsvRow(
          lines.number(), fields, new BadRowException(name, rule, '"' + fields.getLast()));
    } catch (CsvParseException e) {
      String rule = "must have nothing between a closing quote and the next separator";
      return new CsvRow(lines.number(), List.of(line), new BadRowException("row", rule, line));
    }
  }

  private static boolean isValue(String field) {
    return new DecimalField().isNumber(field) || TimeField.isWritten(field);
  }

  private static char separator(String file, BufferedInputStream bytes)
      throws IOException, InputException {
    bytes.mark(PEEK_BYTES);
    int[] counts = new int[SEPARATORS.length];
    int b = bytes.read();
    for (int n = 1; n < PEEK_BYTES && b >= 0 && b != '\n' && b != '\r'; n++) {
      if (b == 0) {
        throw new InputException(
            file
                + ": file must be UTF-8 text, plain or gzip: its first line has a zero byte, as"
                + " archives and UTF-16 have");
      }
      for (int i = 0; i < SEPARATORS.length; i++) {
        counts[i] += b == SEPARATORS[i] ? 1 : 0;
      }
      b = bytes.read();
    }
    bytes.reset();
    int best = 0;
    for (int i = 1; i < counts.length; i++) {
      best = counts[i] > counts[best] ? i : best;
    }
    return SEPARATORS[best];
  }
}
