package dev.millrace.ohlcv.output;

import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.millrace.ohlcv.candle.Candle;
import java.io.IOException;
import java.io.Writer;

/**
 * A JSON array of objects, one per line, with the names of the CSV columns. Numbers are JSON
 * numbers with all their digits.
 */
public final class JsonOutput implements CandleOutput {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();

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
    writer.write(before + JSON.writeValueAsString(columns.values(candle, symbol)));
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
