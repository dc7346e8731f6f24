package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Rejections;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import java.io.Closeable;
import java.io.IOException;

/**
 * Reads a file's trades: {@link RowParser} turns text into numbers, {@link RowValidator} judges and
 * counts, here in the reading thread, in a {@link RowPipeline} each in threads of its own.
 *
 * <p><b>Roles.</b> One thread reads. The counts and the numbers of symbols belong to the one that
 * judges.
 *
 * <p><b>Failure.</b> What is wrong with the file or, unless bad rows are skipped, with a row, is an
 * {@link InputException} in one line.
 */
public final class TradeReader implements Closeable {
  private final TradeSource source;
  private final String file;
  private final Rows rows;
  private final Layout layout;
  private final RowFormat format;
  private final boolean skipBadRows;
  private final Symbols symbols = new Symbols();
  private final ReadCounts counts = new ReadCounts();
  private final RowValidator validator;

  /** Where trades go. */
  public interface TradeConsumer {
    /** Takes a trade, which is only lent. */
    void accept(TradeRow trade) throws InterruptedException;
  }

  /**
   * Opens a file and finds its columns.
   *
   * @throws InputException if there is no trade in it, or a column is not there
   */
  public TradeReader(TradeSource source, ReadOptions options) throws IOException, InputException {
    this.source = source;
    this.file = source.name();
    this.rows = source.openRows();
    this.layout = Layout.of(rows.names(), rows.firstValues());
    this.skipBadRows = options.skipBadRows();
    if (rows.width() == 0) {
      throw new InputException(file + ": file must have trades: it is empty");
    }
    this.format = new RowFormat(file, rows, layout, options);
    this.validator = new RowValidator(file, format, skipBadRows, symbols, counts);
    if (rows.firstValues().isEmpty()) {
      throw new InputException(
          file + ":" + rows.firstLine() + ": file must have trades: it has only a header");
    }
  }

  /** Whether a row is a day's bar instead of a trade. */
  public boolean isBars() {
    return layout.bars();
  }

  /** Whether it is known who took the trades. */
  public boolean hasSides() {
    return format.side != Columns.NONE;
  }

  /** Whether the rows name their symbols. */
  public boolean hasSymbols() {
    return format.symbol != Columns.NONE;
  }

  /** Where the rows come from. */
  public TradeSource source() {
    return source;
  }

  /** What to call the file in messages. */
  public String fileName() {
    return file;
  }

  /** Whether bad rows are counted instead of ending the reading. */
  public boolean skipsBadRows() {
    return skipBadRows;
  }

  /** What the file was taken for. */
  public String layoutName() {
    return layout.name();
  }

  /** The symbols' names by number. */
  public Symbols symbols() {
    return symbols;
  }

  /** How much was read so far. */
  public ReadCounts counts() {
    return counts;
  }

  /** Sets who hears of bad rows, in the thread that judges them; before the first is read. */
  public void onRejected(Rejections listener) {
    validator.onRejected(listener);
  }

  /** Reads all rows in this thread. */
  public void readAll(TradeConsumer consumer)
      throws IOException, InputException, InterruptedException {
    RowParser parser = newParser();
    ParsedRow parsed = new ParsedRow();
    while (nextRow()) {
      parser.parse(rows, parsed);
      validator.take(parsed, consumer);
    }
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }

  // ---- for who parses and judges the rows in other threads ----

  /** Goes to the next row; false if there is none. */
  boolean nextRow() throws IOException, InputException {
    try {
      return rows.next();
    } catch (IOException e) {
      throw source.explain(e);
    }
  }

  /** The row in hand. */
  Row row() {
    return rows;
  }

  /** Makes room for a copy of a row. */
  RawRow newRawRow() {
    return new RawRow(format.width);
  }

  /** Makes a parser of the rows. */
  RowParser newParser() {
    return new RowParser(format);
  }

  /** The only one who judges the rows. */
  RowValidator validator() {
    return validator;
  }
}
