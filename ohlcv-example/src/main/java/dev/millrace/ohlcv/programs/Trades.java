package dev.millrace.ohlcv.programs;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What the programs read: trades on Bitstamp, 25 November to 1 December 2013. */
final class Trades {
  private static final String FILE = "/bitstamp_trades_from_20131125_usd.csv";

  private Trades() {}

  /** What to do with a trade. */
  interface Reader {
    void trade(long second, double price, double volume) throws InterruptedException;
  }

  /** Reads all of them. */
  static void read(Reader reader) throws InterruptedException {
    try (InputStream file = Trades.class.getResourceAsStream(FILE);
        CsvReader<NamedCsvRecord> rows =
            CsvReader.builder()
                .ofNamedCsvRecord(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      for (NamedCsvRecord row : rows) {
        reader.trade(
            Long.parseLong(row.getField("timestamp")),
            Double.parseDouble(row.getField("price")),
            Double.parseDouble(row.getField("amount")));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
