package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.io.Closeable;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a file's trades. What is not kept, does not belong in candles or is skipped, is counted.
 *
 * <p><b>Roles.</b> One thread.
 *
 * <p><b>Failure.</b> What is wrong with the file or, unless bad rows are skipped, with a row, is an
 * {@link InputException} in one line.
 */
public final class TradeReader implements Closeable {
  private static final String MARKET = "MARKET";
  private static final long DAY_NANOS = 86_400_000_000_000L;

  private final TradeSource source;
  private final String file;
  private final Rows rows;
  private final Layout layout;
  private final Columns columns;
  private final boolean skipBadRows;
  private final List<Columns.Kept> kept;
  private final int time;
  private final int price;
  private final int volume;
  private final int side;
  private final int symbol;
  private final int type;
  private final int firstId;
  private final int lastId;
  private final int[] openHighLowClose; // of bars
  private final TimeField times;
  private final SideField sides;
  private final DecimalField number = new DecimalField();
  private final Symbols symbols = new Symbols();
  private final ReadCounts counts = new ReadCounts();
  private final TradeRow trade = new TradeRow();
  private final Map<Integer, BitSet> daysSeen = new HashMap<>(); // of bars, by symbol
  private final DailyBar bar = new DailyBar();

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
    this.columns = new Columns(file, rows);
    this.skipBadRows = options.skipBadRows();
    if (rows.width() == 0) {
      throw new InputException(file + ": file must have trades: it is empty");
    }
    this.kept = columns.kept(options.keep());
    this.time = columns.required(Role.TIME, options, layout);
    this.price = isBars() ? Columns.NONE : columns.required(Role.PRICE, options, layout);
    this.volume = columns.required(Role.VOLUME, options, layout);
    this.side = columns.optional(Role.SIDE, options, layout);
    this.symbol = columns.optional(Role.SYMBOL, options, layout);
    int typeColumn = columns.named(layout.typeColumn());
    boolean chosen = kept.stream().anyMatch(k -> k.column() == typeColumn);
    this.type = chosen ? Columns.NONE : typeColumn;
    this.firstId = columns.named(layout.firstId());
    this.lastId = columns.named(layout.lastId());
    this.openHighLowClose = isBars() ? barColumns() : new int[0];
    this.times = new TimeField(options.timeUnit() != null ? options.timeUnit() : layout.unit());
    boolean maker =
        options.columns().containsKey(Role.SIDE)
            ? Layout.isOpposite(columns.name(side))
            : layout.sideIsMaker();
    this.sides = new SideField(maker);
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
    return side != Columns.NONE;
  }

  /** Whether the rows name their symbols. */
  public boolean hasSymbols() {
    return symbol != Columns.NONE;
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

  /** Reads all rows. */
  public void readAll(TradeConsumer consumer)
      throws IOException, InputException, InterruptedException {
    while (nextRow()) {
      counts.rows++;
      try {
        read(consumer);
      } catch (BadRowException e) {
        String message = e.message(file, rows.line());
        if (!skipBadRows) {
          throw new InputException(message);
        }
        counts.skip(message);
      }
    }
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }

  private boolean nextRow() throws IOException, InputException {
    try {
      return rows.next();
    } catch (IOException e) {
      throw source.explain(e);
    }
  }

  private void read(TradeConsumer consumer) throws BadRowException, InterruptedException {
    if (rows.fieldCount() != rows.width()) {
      throw new BadRowException(
          "row",
          "must have " + rows.width() + " fields as the first row",
          rows.fieldCount() + " fields");
    }
    for (Columns.Kept condition : kept) {
      if (!condition.values().contains(rows.field(condition.column()))) {
        counts.notKept++;
        return;
      }
    }
    if (type != Columns.NONE && !rows.field(type).equals(MARKET)) {
      counts.leftOut++;
      return;
    }
    trade.line(rows.line());
    if (isBars()) {
      readBar(consumer);
    } else {
      readTrade(consumer);
    }
  }

  private void readTrade(TradeConsumer consumer) throws BadRowException, InterruptedException {
    long at = times.parse(columns.name(time), rows.field(time));
    number.parsePositive(columns.name(price), rows.field(price));
    trade.price(number.unscaled(), number.scale());
    number.parseNotNegative(columns.name(volume), rows.field(volume));
    trade.volume(number.unscaled(), number.scale());
    trade.side(
        side == Columns.NONE ? Side.UNKNOWN : sides.parse(columns.name(side), rows.field(side)));
    trade.trades(firstId == Columns.NONE ? 1 : tradeCount());
    trade.timeNanos(at).symbol(symbolNumber());
    counts.time(at);
    consumer.accept(trade);
  }

  /** A bar goes on its way as four trades of one time, of which the last has volume and count. */
  private void readBar(TradeConsumer consumer) throws BadRowException, InterruptedException {
    long day = times.parseDay(columns.name(time), rows.field(time));
    bar.read(rows, columns, openHighLowClose);
    number.parseNotNegative(columns.name(volume), rows.field(volume));
    int symbolNumber = symbolNumber();
    BitSet seen = daysSeen.computeIfAbsent(symbolNumber, key -> new BitSet());
    int dayNumber = (int) (day / DAY_NANOS);
    if (seen.get(dayNumber)) {
      throw new BadRowException(
          columns.name(time), "must be there once for each symbol", rows.field(time));
    }
    seen.set(dayNumber);
    trade.timeNanos(day).symbol(symbolNumber).side(Side.UNKNOWN).volume(0, 0).trades(0);
    counts.time(day);
    for (int i = 0; i < DailyBar.PRICES; i++) {
      trade.price(bar.unscaled(i), bar.scale(i));
      if (i == DailyBar.PRICES - 1) {
        trade.volume(number.unscaled(), number.scale()).trades(1);
      }
      consumer.accept(trade);
    }
  }

  private int symbolNumber() throws BadRowException {
    if (symbol == Columns.NONE) {
      return symbols.number("");
    }
    String name = rows.field(symbol);
    if (name.isBlank()) {
      throw new BadRowException(columns.name(symbol), "must not be empty", name);
    }
    return symbols.number(name);
  }

  private int tradeCount() throws BadRowException {
    try {
      long first = Long.parseLong(rows.field(firstId).strip());
      long last = Long.parseLong(rows.field(lastId).strip());
      if (last >= first && last - first < Integer.MAX_VALUE) {
        return (int) (last - first + 1);
      }
    } catch (NumberFormatException e) {
      // refused below, as any other pair of numbers that cannot be
    }
    throw new BadRowException(
        columns.name(lastId),
        "must be a number not below " + columns.name(firstId) + " " + rows.field(firstId),
        rows.field(lastId));
  }

  private int[] barColumns() {
    int[] found = new int[DailyBar.PRICES];
    List<String> names = rows.names().stream().map(Layout::plain).toList();
    for (int i = 0; i < found.length; i++) {
      found[i] = names.indexOf(DailyBar.NAMES.get(i));
    }
    return found;
  }
}
