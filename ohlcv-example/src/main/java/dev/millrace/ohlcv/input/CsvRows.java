package dev.millrace.ohlcv.input;

import static java.util.Comparator.comparingLong;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvReader.CsvReaderBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Rows of a CSV file: comma, semicolon, tab or bar between the fields, whichever the first line has
 * most of.
 *
 * <p>Each line is a row and is parsed by itself: trades have no line ends in quotes, and a quote
 * that is never closed must not swallow the rows that follow.
 */
final class CsvRows implements Rows {
  private static final char QUOTE = '"';
  private static final char BYTE_ORDER_MARK = '\ufeff';
  private static final char REPLACEMENT = '\ufffd'; // what decoding makes of other bytes
  private static final List<Character> SEPARATORS = List.of(',', ';', '\t', '|');

  private final BufferedReader reader;
  private long lineNumber;
  private List<String> names; // of the first row; null before it
  private char separator;
  private int width = 1; // how many fields the last row had
  private CsvReaderBuilder parser;
  private CsvReaderBuilder lenient; // takes the line's end for a closing quote

  CsvRows(InputStream bytes) {
    this.reader = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public Row read() throws IOException {
    String line = reader.readLine();
    lineNumber++;
    while (line != null && line.isEmpty()) {
      line = reader.readLine();
      lineNumber++;
    }
    if (line == null) {
      return null;
    }
    if (line.charAt(0) == BYTE_ORDER_MARK) { // a file that was joined to another
      line = line.substring(1);
    }
    if (names == null) {
      separator = separatorIn(line);
      parser = CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(false);
      lenient = CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(true);
    }
    Row row = split(line);
    names = names == null ? row.fields() : names;
    return row;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  private Row split(String line) {
    if (line.indexOf(REPLACEMENT) >= 0) {
      return bad(List.of(line), "row", "must be UTF-8 text", line);
    }
    if (line.indexOf(QUOTE) < 0) { // nearly all: a parser for each would take longer than the rest
      return new Row(lineNumber, unquoted(line), null);
    }
    try {
      return new Row(lineNumber, parser.ofSingleCsvRecord(line).getFields(), null);
    } catch (CsvParseException e) {
      return malformed(line);
    }
  }

  private List<String> unquoted(String line) {
    String[] fields = new String[width];
    int count = 0;
    int from = 0;
    for (int at; (at = line.indexOf(separator, from)) >= 0; from = at + 1) {
      if (count == fields.length - 1) { // there is one more behind the last separator
        fields = Arrays.copyOf(fields, 2 * fields.length);
      }
      fields[count++] = line.substring(from, at);
    }
    fields[count++] = line.substring(from);
    width = count;
    return Arrays.asList(count == fields.length ? fields : Arrays.copyOf(fields, count));
  }

  private Row malformed(String line) {
    try {
      List<String> fields = lenient.ofSingleCsvRecord(line).getFields();
      int last = fields.size() - 1;
      String name =
          names != null && last < names.size() ? names.get(last) : String.valueOf(last + 1);
      return bad(fields, name, "must have a closing quote on its line", '"' + fields.getLast());
    } catch (CsvParseException e) {
      String rule = "must have nothing between a closing quote and the next separator";
      return bad(List.of(line), "row", rule, line);
    }
  }

  private Row bad(List<String> fields, String field, String rule, String value) {
    return new Row(lineNumber, fields, new BadRowException(field, rule, value));
  }

  private static char separatorIn(String line) {
    return SEPARATORS.stream()
        .max(comparingLong(separator -> line.chars().filter(c -> c == separator).count()))
        .orElseThrow();
  }
}
