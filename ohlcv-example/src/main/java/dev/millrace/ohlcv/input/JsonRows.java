package dev.millrace.ohlcv.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows of a JSON document, read as a stream. A row is an element of an array, wherever that is: an
 * object, whose keys are the columns, or an array. One object per line is fine, too.
 */
final class JsonRows extends Rows {
  private final JsonParser parser;
  private List<String> keys; // those of the first row; null before it, empty if it is an array
  private Row firstRow; // until it has followed its keys
  private boolean inRows;
  private long line;

  JsonRows(String file, InputStream bytes) throws IOException {
    super(file);
    this.parser = new JsonFactory().createParser(bytes);
  }

  @Override
  List<String> namesIn(Row first) {
    return keys;
  }

  @Override
  Row read() throws IOException, InputException {
    if (firstRow != null) {
      Row row = firstRow;
      firstRow = null;
      return row;
    }
    try {
      return find();
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
    Map<String, String> alone = null; // an object that is in no array and has none: a row itself
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      int depth = parser.getParsingContext().getNestingDepth();
      if (inRows) {
        if (token != JsonToken.END_ARRAY) {
          return element();
        }
        inRows = false;
      } else if (token == JsonToken.START_ARRAY) {
        alone = null;
        inRows = parser.nextToken().isStructStart();
        if (inRows) {
          return element();
        }
      } else if (token == JsonToken.START_OBJECT && depth == 1) {
        line = parser.currentTokenLocation().getLineNr();
        alone = new LinkedHashMap<>();
      } else if (alone != null && token == JsonToken.END_OBJECT && depth == 0) {
        return row(alone);
      } else if (alone != null && token.isScalarValue() && depth == 1) {
        alone.put(parser.currentName(), value());
      }
    }
    return null;
  }

  private Row element() throws IOException {
    line = parser.currentTokenLocation().getLineNr();
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      Map<String, String> object = new LinkedHashMap<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = parser.currentName();
        parser.nextToken();
        object.put(key, value());
      }
      return row(object);
    }
    List<String> values = new ArrayList<>();
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        values.add(value());
      }
    }
    keys = keys == null ? List.of() : keys;
    return new Row(line, values, null);
  }

  /** An object may leave out what is empty. */
  private Row row(Map<String, String> object) {
    boolean first = keys == null;
    keys = first ? List.copyOf(object.keySet()) : keys;
    Row row = new Row(line, keys.stream().map(key -> object.getOrDefault(key, "")).toList(), null);
    firstRow = first ? row : null;
    return first ? new Row(line, keys, null) : row;
  }

  private String value() throws IOException {
    if (parser.currentToken().isStructStart()) {
      parser.skipChildren();
      return "";
    }
    return parser.currentToken() == JsonToken.VALUE_NULL ? "" : parser.getText();
  }
}
