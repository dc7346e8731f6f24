package dev.millrace.ohlcv.input;

import de.siegmar.fastcsv.reader.CloseableIterator;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Rows of a CSV file: comma, semicolon, tab or bar between the fields, whichever the first line has
 * most of. The first row has the names, unless there is a number or a time in it.
 */
final class CsvRows implements Rows {
  private static final int PEEK_BYTES = 8 * 1024;
  private static final char[] SEPARATORS = {',', ';', '\t', '|'};

  private final String file;
  private final CsvReader<CsvRecord> reader;
  private final CloseableIterator<CsvRecord> records;
  private final CsvRecord first;
  private final boolean named;
  private CsvRecord ahead;
  private CsvRecord record;
  private long lastLine;

  /** Opens a file of which nothing was read yet but a byte order mark. */
  CsvRows(String file, BufferedInputStream bytes) throws IOException, InputException {
    this.file = file;
    this.reader =
        CsvReader.builder()
            .fieldSeparator(separator(bytes))
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .ofCsvRecord(new InputStreamReader(bytes, StandardCharsets.UTF_8));
    this.records = reader.iterator();
    this.first = read();
    this.named = first != null && first.getFields().stream().noneMatch(CsvRows::isValue);
    this.ahead = named ? read() : first;
  }

  @Override
  public List<String> names() {
    return named ? first.getFields().stream().map(String::strip).toList() : List.of();
  }

  @Override
  public int width() {
    return first == null ? 0 : first.getFieldCount();
  }

  @Override
  public long firstLine() {
    return first == null ? 1 : first.getStartingLineNumber();
  }

  @Override
  public List<String> firstValues() {
    return ahead == null ? List.of() : ahead.getFields();
  }

  @Override
  public boolean next() throws IOException, InputException {
    record = ahead != null ? ahead : read();
    ahead = null;
    return record != null;
  }

  @Override
  public long line() {
    return record.getStartingLineNumber();
  }

  @Override
  public int fieldCount() {
    return record.getFieldCount();
  }

  @Override
  public String field(int column) {
    return column < record.getFieldCount() ? record.getField(column) : "";
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  private CsvRecord read() throws IOException, InputException {
    try {
      if (!records.hasNext()) {
        return null;
      }
      CsvRecord next = records.next();
      lastLine = next.getStartingLineNumber();
      return next;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (CsvParseException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      String why = BadRowException.shown(String.valueOf(e.getMessage()));
      throw new InputException(file + ":" + (lastLine + 1) + ": row must be CSV: " + why);
    }
  }

  private static boolean isValue(String field) {
    return new DecimalField().isNumber(field) || TimeField.isWritten(field);
  }

  private static char separator(BufferedInputStream bytes) throws IOException {
    bytes.mark(PEEK_BYTES);
    byte[] start = bytes.readNBytes(PEEK_BYTES - 1);
    bytes.reset();
    int[] counts = new int[SEPARATORS.length];
    for (byte b : start) {
      if (b == '\n' || b == '\r') {
        break;
      }
      for (int i = 0; i < SEPARATORS.length; i++) {
        counts[i] += b == SEPARATORS[i] ? 1 : 0;
      }
    }
    int best = 0;
    for (int i = 1; i < counts.length; i++) {
      best = counts[i] > counts[best] ? i : best;
    }
    return SEPARATORS[best];
  }
}
