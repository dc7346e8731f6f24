package dev.millrace.ohlcv.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of a JSON document, read as a stream. A row is an element of an array, wherever that is: an
 * object, whose keys are the columns, or an array. Kraken's arrays, below {@code result}, have
 * names known from its manual; others have numbers. One object per line is fine, too.
 */
final class JsonRows implements Rows {
  static final List<String> KRAKEN =
      List.of("price", "volume", "time", "side", "type", "misc", "id");

  private final String file;
  private final JsonParser parser;
  private final Map<String, Integer> columns = new HashMap<>(); // of objects, by key
  private final List<String> fields = new ArrayList<>();
  private final boolean any;
  private List<String> names = List.of();
  private int width;
  private boolean inRows;
  private boolean pending;
  private int fieldCount;
  private long line = 1;

  /** Opens a document and reads its first row. */
  JsonRows(String file, InputStream bytes) throws IOException, InputException {
    this.file = file;
    this.parser = new JsonFactory().createParser(bytes);
    this.any = read();
    this.pending = any;
  }

  @Override
  public List<String> names() {
    return names;
  }

  @Override
  public int width() {
    return width;
  }

  @Override
  public long firstLine() {
    return line; // asked before the second row is read
  }

  @Override
  public List<String> firstValues() {
    return any ? List.copyOf(fields) : List.of();
  }

  @Override
  public boolean next() throws IOException, InputException {
    if (pending) {
      pending = false;
      return true;
    }
    return any && read();
  }

  @Override
  public long line() {
    return line;
  }

  @Override
  public BadRowException problem() {
    return null; // what breaks JSON's rules ends the document
  }

  @Override
  public int fieldCount() {
    return fieldCount;
  }

  @Override
  public String field(int column) {
    return column < fields.size() ? fields.get(column) : "";
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }

  private boolean read() throws IOException, InputException {
    try {
      return (inRows && readElement()) || findRows();
    } catch (StreamReadException e) {
      String why = BadRowException.shown(e.getOriginalMessage());
      throw new InputException(
          file + ":" + e.getLocation().getLineNr() + ": document must be JSON: " + why);
    }
  }

  /** Goes on to the next array of objects or of arrays, and reads its first element. */
  private boolean findRows() throws IOException {
    int depth = depth();
    boolean single = false; // whether this may be a row that is not in an array
    while (true) {
      JsonToken token = parser.nextToken();
      if (token == null) {
        return false;
      }
      switch (token) {
        case START_OBJECT -> {
          depth++;
          if (depth == 1) {
            startRow();
            single = true;
          }
        }
        case END_OBJECT -> {
          depth--;
          if (depth == 0 && single) {
            endRow();
            return true;
          }
        }
        case START_ARRAY -> {
          single = false;
          if (startRows()) {
            return true;
          }
        }
        default -> {
          if (depth == 1 && single && token.isScalarValue()) {
            put(parser.currentName(), value(token));
          }
        }
      }
    }
  }

  private int depth() {
    return parser.getParsingContext().getNestingDepth();
  }

  /** After the start of an array: reads its first element, or skips it if that is no row. */
  private boolean startRows() throws IOException {
    JsonToken element = parser.nextToken();
    if (element == JsonToken.START_OBJECT || element == JsonToken.START_ARRAY) {
      inRows = true;
      readElement(element);
      return true;
    }
    while (element != null && element != JsonToken.END_ARRAY) {
      parser.skipChildren();
      element = parser.nextToken();
    }
    return false;
  }

  private boolean readElement() throws IOException {
    JsonToken element = parser.nextToken();
    inRows = element != null && element != JsonToken.END_ARRAY;
    if (inRows) {
      readElement(element);
    }
    return inRows;
  }

  private void readElement(JsonToken element) throws IOException {
    startRow();
    if (element == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = parser.currentName();
        put(key, value(parser.nextToken()));
      }
      endRow();
      return;
    }
    fields.clear();
    if (element == JsonToken.START_ARRAY) {
      for (JsonToken token = parser.nextToken();
          token != null && token != JsonToken.END_ARRAY;
          token = parser.nextToken()) {
        fields.add(value(token));
      }
    }
    fieldCount = fields.size();
    if (width == 0) {
      width = fieldCount;
      names = isKraken() ? KRAKEN.subList(0, width) : List.of();
    }
  }

  private boolean isKraken() {
    // The array of rows is below the name of a pair, which is below "result".
    var pair = parser.getParsingContext().getParent();
    var result = pair == null ? null : pair.getParent();
    return (width == KRAKEN.size() || width == KRAKEN.size() - 1)
        && result != null
        && "result".equals(result.getCurrentName());
  }

  private String value(JsonToken token) throws IOException {
    if (token != null && token.isStructStart()) {
      parser.skipChildren();
      return "";
    }
    return token == null || token == JsonToken.VALUE_NULL ? "" : parser.getText();
  }

  private void startRow() {
    line = parser.currentTokenLocation().getLineNr();
    fields.clear();
    for (int i = 0; i < width; i++) {
      fields.add("");
    }
  }

  private void put(String key, String value) {
    Integer column = columns.get(key);
    if (column != null) {
      fields.set(column, value);
    } else if (width == 0) { // the first row tells the columns
      columns.put(key, fields.size());
      fields.add(value);
    }
  }

  private void endRow() {
    if (width == 0) {
      width = fields.size();
      String[] keys = new String[width];
      columns.forEach((key, column) -> keys[column] = key);
      names = List.of(keys);
    }
    fieldCount = width; // an object may leave out what is empty
  }
}
