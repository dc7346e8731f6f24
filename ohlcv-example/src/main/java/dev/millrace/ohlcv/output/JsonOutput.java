package dev.millrace.ohlcv.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import dev.millrace.ohlcv.candle.Candle;
import java.io.IOException;
import java.io.Writer;
import org.apache.commons.io.output.CloseShieldWriter;

/**
 * A JSON array of objects, one per line, with the names of the CSV columns. Numbers are JSON
 * numbers with all their digits.
 */
public final class JsonOutput implements CandleOutput {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

  private final Columns columns;
  private final Writer writer;
  private String before = "[\n"; // what stands before the next candle

  /** Writes nothing yet. */
  public JsonOutput(Columns columns, Writer writer) {
    this.columns = columns;
    this.writer = writer;
  }

  @Override
  public void candle(Candle candle, String symbol) throws IOException {
    writer.write(before);
    try (JsonGenerator json = JSON.createGenerator(CloseShieldWriter.wrap(writer))) {
      columns.write(candle, symbol, json);
    }
    before = ",\n";
  }

  @Override
  public void flush() throws IOException {
    writer.flush();
  }

  @Override
  public void end() throws IOException {
    writer.write(before.replace(",", "") + "]\n");
    flush();
  }
}
