package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Rejections;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.io.Closeable;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads a file's trades: {@link RowParser} turns text into numbers, this judges them by the rows
 * before and counts, here in the reading thread, in a {@link RowPipeline} each in threads of its
 * own.
 *
 * <p><b>Roles.</b> One thread reads. The counts and the numbers of symbols belong to the one that
 * judges.
 *
 * <p><b>Failure.</b> What is wrong with the file or, unless bad rows are skipped, with a row, is an
 * {@link InputException} in one line.
 */
public final class TradeReader implements Closeable {
  private static final long DAY_NANOS = 86_400_000_000_000L;

  private final TradeSource source;
  private final Rows rows;
  private final Layout layout;
  private final RowFormat format;
  private final RowParser parser;
  private final boolean skipBadRows;
  private final TimeField times;
  private final Symbols symbols = new Symbols();
  private final ReadCounts counts = new ReadCounts();
  private final Map<Integer, BitSet> daysSeen = new HashMap<>(); // of bars, by symbol
  private final TradeRow trade = new TradeRow();
  private Rejections rejections = Rejections.NONE;

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
    this.rows = source.openRows();
    this.layout = Layout.of(rows.names(), rows.firstValues());
    this.format = new RowFormat(rows, layout, options);
    this.parser = new RowParser(format);
    this.times = new TimeField(options.timeUnit());
    this.skipBadRows = options.skipBadRows();
    if (rows.firstValues().isEmpty()) {
      throw new InputException(
          fileName() + ":" + rows.firstLine() + ": file must have trades: it has only a header");
    }
  }

  /** Whether a row is a day's bar instead of a trade. */
  public boolean isBars() {
    return format.bars;
  }

  /** Whether it is known who took the trades. */
  public boolean hasSides() {
    return format.has(Role.SIDE);
  }

  /** Whether the rows name their symbols. */
  public boolean hasSymbols() {
    return format.has(Role.SYMBOL);
  }

  /** Where the rows come from. */
  public TradeSource source() {
    return source;
  }

  /** What to call the file in messages. */
  public String fileName() {
    return source.name();
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
    rejections = listener;
  }

  /** Reads all rows in this thread. */
  public void readAll(TradeConsumer consumer)
      throws IOException, InputException, InterruptedException {
    for (Row row = nextRow(); row != null; row = nextRow()) {
      judge(parser.parse(row), consumer);
    }
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }

  // ---- for other threads that parse and judge the rows ----

  /** Reads the next row; null if there is none. */
  Row nextRow() throws IOException, InputException {
    try {
      return rows.next();
    } catch (IOException e) {
      throw source.explain(e);
    }
  }

  /** Parses rows, in any thread. */
  RowParser parser() {
    return parser;
  }

  /**
   * Judges a row, in the order of the file; the consumer gets the trades in it.
   *
   * @throws InputException if the row is bad, unless such rows are skipped
   */
  void judge(ParsedRow row, TradeConsumer consumer) throws InputException, InterruptedException {
    counts.rows++;
    try {
      switch (row.use) {
        case NOT_KEPT -> counts.notKept++;
        case LEFT_OUT -> counts.leftOut++;
        case IN_CANDLES -> takeTrades(row, consumer);
      }
    } catch (BadRowException e) {
      BigDecimal price = row.prices.isEmpty() || format.bars ? BigDecimal.ZERO : row.prices.get(0);
      trade
          .line(row.line)
          .symbol(symbols.numberIfKnown(row.symbol)) // a bad row gives no number to a new symbol
          .price(price.unscaledValue().longValue(), price.scale())
          .volume(row.volume.unscaledValue().longValue(), row.volume.scale());
      rejections.rejected(trade, e.getMessage());
      String message = e.message(fileName(), row.line);
      if (!skipBadRows) {
        throw new InputException(message, true);
      }
      counts.skip(message);
    }
  }

  private void takeTrades(ParsedRow row, TradeConsumer consumer)
      throws BadRowException, InterruptedException {
    String timeName = format.field(Role.TIME).name();
    // The time first: it is before all else in which a row can be wrong, but for its shape.
    long at = row.time == null ? 0 : times.nanos(timeName, row.time);
    if (row.problem != null) {
      throw row.problem;
    }
    int symbol = symbols.number(row.symbol == null ? "" : row.symbol);
    if (format.bars) {
      checkNewDay(symbol, at, timeName, row.time.text());
    }
    counts.time(at);
    trade.line(row.line).timeNanos(at).symbol(symbol).side(row.side);
    // A bar goes on its way as four trades of one time, of which the last has volume and count.
    for (int i = 0; i < row.prices.size(); i++) {
      boolean last = i == row.prices.size() - 1;
      BigDecimal price = row.prices.get(i);
      BigDecimal volume = last ? row.volume : BigDecimal.ZERO;
      consumer.accept(
          trade
              .price(price.unscaledValue().longValue(), price.scale())
              .volume(volume.unscaledValue().longValue(), volume.scale())
              .trades(last ? row.trades : 0));
    }
  }

  private void checkNewDay(int symbol, long at, String timeName, String timeText)
      throws BadRowException {
    BitSet seen = daysSeen.computeIfAbsent(symbol, key -> new BitSet());
    int day = (int) (at / DAY_NANOS);
    if (seen.get(day)) {
      throw new BadRowException(timeName, "must be there once for each symbol", timeText);
    }
    seen.set(day);
  }
}
