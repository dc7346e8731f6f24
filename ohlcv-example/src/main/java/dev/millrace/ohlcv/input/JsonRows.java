package dev.millrace.ohlcv.input;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of a JSON document, read as a stream. A row is an element of an array, wherever that is: an
 * object, whose keys are the columns, or an array. One object per line is fine, too, also if what
 * it is about is in a field {@code data}, as in messages of streams.
 */
final class JsonRows implements Rows {
  // Numbers with all their digits.
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  private final String file;
  private final JsonParser parser;
  private List<String> keys; // those of the first row; null before it, empty if it is an array
  private Row firstRow; // until it has followed its keys
  private boolean inRows;
  private long line;

  JsonRows(String file, InputStream bytes) throws IOException {
    this.file = file;
    this.parser = JSON.createParser(bytes);
  }

  @Override
  public Row read() throws IOException {
    Row row = firstRow;
    firstRow = null;
    try {
      return row == null ? find() : row;
    } catch (StreamReadException e) {
      String why = BadRowException.shown(e.getOriginalMessage());
      throw new InputException(
          file + ":" + e.getLocation().getLineNr() + ": document must be JSON: " + why);
    }
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }

  /** Goes to the next row in the array of rows at hand, or in the next such array. */
  private Row find() throws IOException {
    Map<String, Object> alone = null; // an object that is in no array of rows: a row itself
    int aloneDepth = 1; // 2 in the data of a message, as streams send it
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      int depth = parser.getParsingContext().getNestingDepth();
      if (inRows) {
        if (token != JsonToken.END_ARRAY) {
          return element();
        }
        inRows = false;
      } else if (token == JsonToken.START_ARRAY) {
        inRows = parser.nextToken().isStructStart();
        if (inRows) {
          return element();
        }
      } else if (token == JsonToken.START_OBJECT && isMessage(depth, alone)) {
        line = parser.currentTokenLocation().getLineNr();
        alone = new LinkedHashMap<>();
        aloneDepth = depth;
      } else if (alone != null && token == JsonToken.END_OBJECT && depth == aloneDepth - 1) {
        Map<String, Object> row = alone;
        alone = null;
        if (!row.isEmpty()) {
          return row(row);
        }
      } else if (alone != null && token.isScalarValue() && depth == aloneDepth) {
        alone.put(parser.currentName(), parser.readValueAs(Object.class));
      }
    }
    return null;
  }

  /** Whether an object that begins is a row, or the part of one that has the values. */
  private boolean isMessage(int depth, Map<String, Object> alone) throws IOException {
    boolean isData = alone != null && depth == 2 && "data".equals(parser.currentName());
    return depth == 1 || isData;
  }

  private Row element() throws IOException {
    line = parser.currentTokenLocation().getLineNr();
    Object element = parser.readValueAs(Object.class);
    if (element instanceof Map<?, ?> object) {
      return row(object);
    }
    keys = keys == null ? List.of() : keys;
    List<?> values = element instanceof List<?> list ? list : List.of();
    return new Row(line, values.stream().map(JsonRows::text).toList(), null);
  }

  /** An object may leave out what is empty. */
  private Row row(Map<?, ?> object) {
    boolean first = keys == null;
    keys = first ? object.keySet().stream().map(String::valueOf).toList() : keys;
    Row row = new Row(line, keys.stream().map(key -> text(object.get(key))).toList(), null);
    firstRow = first ? row : null;
    return first ? new Row(line, keys, null) : row;
  }

  private static String text(Object value) {
    boolean empty = value == null || value instanceof Map || value instanceof List;
    return empty ? "" : value.toString();
  }
}
