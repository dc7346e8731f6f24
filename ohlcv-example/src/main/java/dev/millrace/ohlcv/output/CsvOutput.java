package dev.millrace.ohlcv.output;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.millrace.ohlcv.candle.CandleView;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;

/** CSV with a header: comma, line feed, quotes only where needed. */
public final class CsvOutput implements CandleOutput {
  private final Columns columns;
  private final Writer writer;
  private final StringWriter line = new StringWriter();
  private final CsvWriter csv =
      CsvWriter.builder().bufferSize(0).lineDelimiter(LineDelimiter.LF).build(line);
  private boolean headed;

  /** Writes nothing yet. */
  public CsvOutput(Columns columns, Writer writer) {
    this.columns = columns;
    this.writer = writer;
  }

  @Override
  public void candle(CandleView candle, String symbol) throws IOException {
    head();
    write(columns.texts(candle, symbol));
  }

  @Override
  public void flush() throws IOException {
    writer.flush();
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

  private void write(List<String> fields) throws IOException {
    csv.writeRecord(fields);
    writer.append(line.getBuffer());
    line.getBuffer().setLength(0);
  }
}
