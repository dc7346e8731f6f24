package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Rejections;
import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.ohlcv.input.TradeReader.TradeConsumer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges parsed rows by those before them, makes trades of them, and counts. What is not kept, does
 * not belong in candles or is skipped, is counted too.
 *
 * <p><b>Roles.</b> One thread, which takes the rows in the order of the file.
 */
final class RowValidator {
  private static final long DAY_NANOS = 86_400_000_000_000L;

  private final String file;
  private final RowFormat format;
  private final boolean skipBadRows;
  private final Symbols symbols;
  private final ReadCounts counts;
  private final UnitOfFirst unit = new UnitOfFirst();
  private final Map<Integer, BitSet> daysSeen = new HashMap<>(); // of bars, by symbol
  private final TradeRow price = new TradeRow(); // of a bar
  private Rejections rejections = Rejections.NONE;

  RowValidator(
      String file, RowFormat format, boolean skipBadRows, Symbols symbols, ReadCounts counts) {
    this.file = file;
    this.format = format;
    this.skipBadRows = skipBadRows;
    this.symbols = symbols;
    this.counts = counts;
  }

  /** Sets who hears of bad rows, before the first. */
  void onRejected(Rejections listener) {
    rejections = listener;
  }

  /**
   * Takes a row; the consumer gets the trades in it.
   *
   * @throws InputException if the row is bad, unless such rows are skipped
   */
  void take(ParsedRow row, TradeConsumer consumer) throws InputException, InterruptedException {
    counts.rows++;
    try {
      switch (row.use) {
        case NOT_KEPT -> counts.notKept++;
        case LEFT_OUT -> counts.leftOut++;
        case IN_CANDLES -> takeTrades(row, consumer);
      }
    } catch (BadRowException e) {
      reject(row, e.getMessage());
      String message = e.message(file, row.line);
      if (!skipBadRows) {
        throw new InputException(message, true);
      }
      counts.skip(message);
    }
  }

  private void reject(ParsedRow row, String reason) {
    // A bad row gives no number to a new symbol.
    rejections.rejected(row.trade.symbol(symbols.numberIfKnown(row.symbol)), reason);
  }

  private void takeTrades(ParsedRow row, TradeConsumer consumer)
      throws BadRowException, InterruptedException {
    String timeName = format.columns.name(format.time);
    // The time first: it is before all else in which a row can be wrong, but for its shape.
    long at = row.hasTime ? unit.check(timeName, row.timeText, row.timeNanos, row.timeUnit) : 0;
    if (row.problem != null) {
      throw row.problem;
    }
    int symbol = symbols.number(row.symbol);
    if (format.bars) {
      checkNewDay(symbol, at, timeName, row.timeText);
      counts.time(at);
      givePrices(row, symbol, at, consumer);
    } else {
      counts.time(at);
      consumer.accept(row.trade.timeNanos(at).symbol(symbol));
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

  /** A bar goes on its way as four trades of one time, of which the last has volume and count. */
  private void givePrices(ParsedRow row, int symbol, long at, TradeConsumer consumer)
      throws InterruptedException {
    price.line(row.line).timeNanos(at).symbol(symbol).side(Side.UNKNOWN).volume(0, 0).trades(0);
    for (int i = 0; i < DailyBar.PRICES; i++) {
      price.price(row.bar.unscaled(i), row.bar.scale(i));
      if (i == DailyBar.PRICES - 1) {
        price.volume(row.trade.volume(), row.trade.volumeScale()).trades(1);
      }
      consumer.accept(price);
    }
  }
}
