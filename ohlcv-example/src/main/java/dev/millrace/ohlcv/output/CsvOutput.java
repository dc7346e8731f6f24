package dev.millrace.ohlcv.output;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.millrace.ohlcv.candle.CandleView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;

/** CSV with a header: comma, line feed, quotes only where needed. */
public final class CsvOutput implements CandleOutput {
  private final Columns columns;
  private final CsvWriter csv;
  private boolean headed;

  /** Writes nothing yet. */
  public CsvOutput(Columns columns, Writer writer) {
    this.columns = columns;
    this.csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(writer);
  }

  @Override
  public void candle(CandleView candle, String symbol) throws IOException {
    head();
    write(columns.values(candle, symbol));
  }

  @Override
  public void flush() throws IOException {
    try {
      csv.flush();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void end() throws IOException {
    head();
    flush();
  }

  private void head() throws IOException {
    if (!headed) {
      headed = true;
      write(columns.names());
    }
  }

  private void write(Iterable<String> fields) throws IOException {
    try {
      csv.writeRecord(fields);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
