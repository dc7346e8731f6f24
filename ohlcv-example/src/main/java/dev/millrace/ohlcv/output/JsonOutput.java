package dev.millrace.ohlcv.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.millrace.ohlcv.candle.CandleView;
import java.io.IOException;
import java.io.Writer;
import java.util.List;

/**
 * A JSON array of objects, one per line, with the names of the CSV columns. Numbers are JSON
 * numbers with all their digits.
 */
public final class JsonOutput implements CandleOutput {
  private final Columns columns;
  private final List<String> names;
  private final Writer writer;
  private final JsonGenerator json;
  private boolean begun;

  /** Writes nothing yet. */
  public JsonOutput(Columns columns, Writer writer) throws IOException {
    this.columns = columns;
    this.names = columns.names();
    this.writer = writer;
    this.json = new JsonFactory().createGenerator(writer);
    json.setRootValueSeparator(new SerializedString(",\n"));
  }

  @Override
  public void candle(CandleView candle, String symbol) throws IOException {
    begin();
    List<String> values = columns.values(candle, symbol);
    json.writeStartObject();
    for (int i = 0; i < values.size(); i++) {
      json.writeFieldName(names.get(i));
      if (names.get(i).equals("symbol")) {
        json.writeString(values.get(i));
      } else {
        json.writeNumber(values.get(i)); // as it is: no digit is lost or added
      }
    }
    json.writeEndObject();
  }

  @Override
  public void flush() throws IOException {
    json.flush();
  }

  @Override
  public void end() throws IOException {
    begin();
    json.flush();
    writer.write("\n]\n");
    writer.flush();
  }

  private void begin() throws IOException {
    if (!begun) {
      begun = true;
      writer.write("[\n");
    }
  }
}
