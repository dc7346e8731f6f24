package dev.millrace.ohlcv.output;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.millrace.ohlcv.candle.Candle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;

/** CSV with a header: comma, line feed, quotes only where needed. */
public final class CsvOutput implements CandleOutput {
  private final Columns columns;
  private final CsvWriter csv;

  /** Begins with the header. */
  public CsvOutput(Columns columns, Writer writer) {
    this.columns = columns;
    this.csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(writer);
    csv.writeRecord(columns.names());
  }

  @Override
  public void candle(Candle candle, String symbol) throws IOException {
    try {
      csv.writeRecord(columns.texts(candle, symbol));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void flush() throws IOException {
    csv.flush();
  }

  @Override
  public void end() throws IOException {
    flush();
  }
}
