package dev.millrace.bench.candles;

import dev.millrace.ohlcv.candle.Side;
import java.util.Arrays;

/**
 * What every candle was after every trade, recomputed from the trades with nothing but additions
 * and comparisons of longs. It shares no code with the engines.
 *
 * <p>Trades reach an engine in one order, hence the state of a candle follows from how many of its
 * own trades it has: {@link #candle}. And how many it must have after the first n trades of all
 * follows from the trades' order: {@link #position}, then {@link #count}.
 *
 * <p><b>Cost.</b> 16 bytes per trade that is held. A state costs a pass over the trades of its
 * minute.
 */
final class Reference {
  /** A symbol's window ends with its own last trade, which is no older than that. */
  private static final int SILENT_MINUTES = 60;

  private final Traded[] symbols;
  private final long trades;

  /** One symbol's trades in order, and where each minute's begin. */
  private static final class Traded {
    final int[] sequences; // among all symbols' trades
    final int[] prices;
    final int[] volumes; // twice the volume, and one more if the taker bought
    final int[] minutes;
    final int[] starts; // by minute
    final int skipped; // trades before them, which are not held

    Traded(int size, int minutes, int skipped) {
      this.skipped = skipped;
      sequences = new int[size];
      prices = new int[size];
      volumes = new int[size];
      this.minutes = new int[size];
      starts = new int[minutes + 1];
    }
  }

  /**
   * Makes the trades once more.
   *
   * @param trades how many were written
   */
  Reference(LoadSettings settings, long trades) {
    this(settings, 0, trades);
  }

  /**
   * Makes the trades once more, and holds those from one on. It knows nothing of minutes that have
   * trades before that one.
   */
  private Reference(LoadSettings settings, long first, long trades) {
    this.trades = trades;
    int minutes = (int) minute(settings.timeNanos(Math.max(trades, 1) - 1)) + 1;
    int[] sizes = new int[settings.symbols()];
    int[] skipped = new int[settings.symbols()];
    TradeGenerator generator = new TradeGenerator(settings);
    for (long i = 0; i < trades; i++) {
      generator.advance();
      (i < first ? skipped : sizes)[generator.symbol()]++;
    }
    symbols = new Traded[settings.symbols()];
    Arrays.setAll(symbols, i -> new Traded(sizes[i], minutes, skipped[i]));
    fill(new TradeGenerator(settings), first);
  }

  /**
   * Of a run flat out, whose trades may be too many to hold: of those only the ones that the last
   * windows are made of, which can be checked.
   */
  static Reference ofLastWindows(LoadSettings settings, long trades) {
    long minutes = LoadSettings.WINDOW + SILENT_MINUTES;
    long first = trades - minutes * LoadSettings.MINUTE_NANOS / LoadSettings.FLAT_OUT_TRADE_NANOS;
    // Those that fill the window are fewer a minute.
    return new Reference(settings, first < settings.fillTrades() ? 0 : first, trades);
  }

  private void fill(TradeGenerator generator, long first) {
    int[] filled = new int[symbols.length];
    for (int i = 0; i < trades; i++) {
      generator.advance();
      if (i < first) {
        continue;
      }
      Traded traded = symbols[generator.symbol()];
      int position = filled[generator.symbol()]++;
      traded.sequences[position] = i;
      traded.prices[position] = (int) generator.price();
      traded.volumes[position] =
          (int) generator.volume() << 1 | (generator.side() == Side.TAKER_BOUGHT ? 1 : 0);
      traded.minutes[position] = (int) minute(generator.timeNanos());
      traded.starts[traded.minutes[position] + 1] = position + 1;
    }
    for (Traded traded : symbols) {
      Arrays.parallelPrefix(traded.starts, Math::max); // a minute without trades is empty
    }
  }

  /** Minutes since the first trade's. */
  static long minute(long timeNanos) {
    return Math.floorDiv(timeNanos - LoadSettings.START_NANOS, LoadSettings.MINUTE_NANOS);
  }

  /** How many minutes there are. */
  int minutes() {
    return symbols[0].starts.length - 1;
  }

  /** How many of the first {@code prefix} trades of all are the symbol's. */
  int position(int symbol, long prefix) {
    Traded traded = symbols[symbol];
    if (prefix >= trades) {
      return traded.skipped + traded.sequences.length;
    }
    int found = Arrays.binarySearch(traded.sequences, (int) prefix);
    return traded.skipped + (found >= 0 ? found : -found - 1);
  }

  /** How many trades a minute has when the symbol has {@code position}. */
  int count(int symbol, int minute, int position) {
    int[] starts = symbols[symbol].starts;
    int held = position - symbols[symbol].skipped;
    return Math.clamp(held, starts[minute], starts[minute + 1]) - starts[minute];
  }

  /** The newest minute in which the symbol was traded, -1 if none. */
  int newestMinute(int symbol, int position) {
    int held = position - symbols[symbol].skipped;
    return held <= 0 ? -1 : symbols[symbol].minutes[held - 1];
  }

  /** How many trades a minute has in the end. */
  int fullCount(int symbol, int minute) {
    return count(symbol, minute, Integer.MAX_VALUE);
  }

  /** A minute's candle after the given number of its trades, at least one. */
  ScaledCandle candle(int symbol, int minute, int count) {
    return candleOf(symbol, minute, symbols[symbol].starts[minute], count);
  }

  /**
   * The candle of several minutes as it is when the symbol has {@code position} trades.
   *
   * @return null if none of those is in it
   */
  ScaledCandle candle(int symbol, int minute, int minutes, int position) {
    int[] starts = symbols[symbol].starts;
    int first = starts[Math.max(minute, 0)];
    int held = position - symbols[symbol].skipped;
    int count = Math.min(held, starts[Math.min(minute + minutes, minutes())]) - first;
    return count <= 0 ? null : candleOf(symbol, minute, first, count);
  }

  private ScaledCandle candleOf(int symbol, int minute, int first, int count) {
    Traded traded = symbols[symbol];
    long high = Long.MIN_VALUE;
    long low = Long.MAX_VALUE;
    long volume = 0;
    long quote = 0;
    long takerBuy = 0;
    long takerBuyQuote = 0;
    for (int i = first; i < first + count; i++) {
      long price = traded.prices[i];
      int amount = traded.volumes[i] >>> 1;
      high = Math.max(high, price);
      low = Math.min(low, price);
      volume += amount;
      quote += price * amount;
      if ((traded.volumes[i] & 1) != 0) {
        takerBuy += amount;
        takerBuyQuote += price * amount;
      }
    }
    return ScaledCandle.of(
        symbol,
        LoadSettings.START_NANOS + minute * LoadSettings.MINUTE_NANOS,
        traded.prices[first],
        high,
        low,
        traded.prices[first + count - 1],
        volume,
        count,
        quote,
        takerBuy,
        takerBuyQuote);
  }
}
