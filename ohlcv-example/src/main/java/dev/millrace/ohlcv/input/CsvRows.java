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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rows of a CSV file: comma, semicolon, tab or bar between the fields, whichever the first line has
 * most of, or which a line {@code sep=;} before it names. Lines before it that begin with {@code #}
 * are comments.
 *
 * <p>Each line is a row and is parsed by itself: trades have no line ends in quotes, and a quote
 * that is never closed must not swallow the rows that follow.
 */
final class CsvRows implements Rows {
  private static final char QUOTE = '"';
  private static final char BYTE_ORDER_MARK = '\ufeff';
  private static final char REPLACEMENT = '\ufffd'; // what decoding makes of other bytes
  private static final List<Character> SEPARATORS = List.of(',', ';', '\t', '|');
  private static final Pattern SEPARATOR_LINE = Pattern.compile("(?i)\"?sep=[,;\t|]\"?");

  private final BufferedReader reader;
  private long lineNumber;
  private List<String> names; // of the first row; null before it
  private final Set<String> before = new HashSet<>(); // lines before the header
  private Row firstAfterHeader; // read already, until it is asked for
  private char separator;
  private int width = 1; // how many fields the last row had
  private CsvReaderBuilder parser;
  private CsvReaderBuilder lenient; // takes the line's end for a closing quote

  CsvRows(InputStream bytes) {
    this.reader = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public Row read() throws IOException {
    if (names == null) {
      Row first = readFirst();
      names = first == null ? null : first.fields();
      return first;
    }
    if (firstAfterHeader != null) {
      Row row = firstAfterHeader;
      firstAfterHeader = null;
      return row;
    }
    String line = readLine();
    while (line != null && before.contains(line)) { // once more, where files were joined
      line = readLine();
    }
    return line == null ? null : split(line);
  }

  @Override
  public boolean isReady() throws IOException {
    return firstAfterHeader != null || reader.ready();
  }

  /** Reads what tells the columns: the header, or the first row. */
  private Row readFirst() throws IOException {
    String line = readLine();
    if (line != null && SEPARATOR_LINE.matcher(line).matches()) { // Excel's
      separateBy(line.replace("\"", "").charAt("sep=".length()));
      before.add(line);
      line = readLine();
    }
    String comment = null;
    long commentLine = 0;
    while (line != null && line.startsWith("#")) {
      before.add(line);
      comment = line;
      commentLine = lineNumber;
      line = readLine();
    }
    if (line == null && comment == null) {
      return null;
    }
    if (parser == null) {
      separateBy(separatorIn(line == null ? comment : line));
    }
    Row row = line == null ? null : split(line);
    if (comment == null || (row != null && row.isHeader())) {
      return row;
    }
    // Without a header behind it the comment is the header if it has as many fields.
    Row header = split(comment);
    if (row != null
        && (header.problem() != null || header.fields().size() != row.fields().size())) {
      return row;
    }
    before.remove(comment);
    firstAfterHeader = row;
    return new Row(commentLine, header.fields(), header.problem());
  }

  private String readLine() throws IOException {
    String line;
    do {
      line = reader.readLine();
      lineNumber++;
    } while (line != null && line.isEmpty());
    boolean isJoined = line != null && line.charAt(0) == BYTE_ORDER_MARK; // to another file
    return isJoined ? line.substring(1) : line;
  }

  private void separateBy(char character) {
    separator = character;
    parser = CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(false);
    lenient = CsvReader.builder().fieldSeparator(separator).allowUnclosedQuote(true);
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
