package dev.millrace.bench.articles;

import java.util.Map;
import java.util.TreeMap;

/** What has been traded, by symbol: the end of the article's pipeline. One thread's. */
final class ArticleBook {
  private static final int SLOTS = 4 * ArticleTrades.SYMBOLS; // a power of two

  private final long[] symbols = new long[SLOTS];
  private final long[] counts = new long[SLOTS];
  private final long[] volumes = new long[SLOTS];
  private final long[] notionals = new long[SLOTS];
  private final long[] lows = new long[SLOTS];
  private final long[] highs = new long[SLOTS];
  private final long[] venues = new long[SLOTS];

  /**
   * What has been traded of a symbol.
   *
   * @param venues the sum of the venues' codes
   */
  record Line(long count, long volume, long notional, long low, long high, long venues) {}

  void add(long symbol, long cents, int size, long notional, int venueCode) {
    int slot = slotOf(symbol);
    if (symbols[slot] == 0) {
      symbols[slot] = symbol;
      lows[slot] = Long.MAX_VALUE;
    }
    counts[slot]++;
    volumes[slot] += size;
    notionals[slot] += notional;
    lows[slot] = Math.min(lows[slot], cents);
    highs[slot] = Math.max(highs[slot], cents);
    venues[slot] += venueCode;
  }

  private int slotOf(long symbol) {
    int slot = (int) ((symbol * 0x9E3779B97F4A7C15L) >>> 40) & (SLOTS - 1);
    while (symbols[slot] != symbol && symbols[slot] != 0) {
      slot = (slot + 1) & (SLOTS - 1);
    }
    return slot;
  }

  /** Adds all to lines by symbol. */
  void addTo(Map<Long, Line> lines) {
    for (int slot = 0; slot < SLOTS; slot++) {
      if (symbols[slot] != 0) {
        Line line =
            new Line(
                counts[slot],
                volumes[slot],
                notionals[slot],
                lows[slot],
                highs[slot],
                venues[slot]);
        if (lines.put(symbols[slot], line) != null) {
          throw new AssertionError(
              "symbol must be in one aggregator's book: symbol=" + symbols[slot]);
        }
      }
    }
  }

  Map<Long, Line> lines() {
    Map<Long, Line> lines = new TreeMap<>();
    addTo(lines);
    return lines;
  }
}
