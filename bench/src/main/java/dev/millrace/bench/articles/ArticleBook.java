package dev.millrace.bench.articles;

import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.Hashing;
import org.agrona.collections.Long2ObjectHashMap;

/** What has been traded, by symbol: the end of the article's pipeline. One thread's. */
final class ArticleBook {
  private final Long2ObjectHashMap<Totals> symbols =
      new Long2ObjectHashMap<>(4 * ArticleTrades.SYMBOLS, Hashing.DEFAULT_LOAD_FACTOR);

  /** Those of a symbol so far. */
  private static final class Totals {
    private long count;
    private long volume;
    private long notional;
    private long low = Long.MAX_VALUE;
    private long high;
    private long venues;
  }

  /**
   * What has been traded of a symbol.
   *
   * @param venues the sum of the venues' codes
   */
  record Line(long count, long volume, long notional, long low, long high, long venues) {}

  void add(long symbol, long cents, int size, long notional, int venueCode) {
    Totals its = symbols.get(symbol);
    if (its == null) {
      its = new Totals();
      symbols.put(symbol, its);
    }
    its.count++;
    its.volume += size;
    its.notional += notional;
    its.low = Math.min(its.low, cents);
    its.high = Math.max(its.high, cents);
    its.venues += venueCode;
  }

  /** Counts all trades so far as if each had come so many times. */
  void repeat(long times) {
    symbols.forEachLong(
        (_, its) -> {
          its.count *= times;
          its.volume *= times;
          its.notional *= times;
          its.venues *= times;
        });
  }

  /** Adds all to lines by symbol. */
  void addTo(Map<Long, Line> lines) {
    symbols.forEachLong(
        (symbol, its) -> {
          Line line = new Line(its.count, its.volume, its.notional, its.low, its.high, its.venues);
          if (lines.put(symbol, line) != null) {
            throw new AssertionError("symbol must be in one aggregator's book: symbol=" + symbol);
          }
        });
  }

  Map<Long, Line> lines() {
    Map<Long, Line> lines = new TreeMap<>();
    addTo(lines);
    return lines;
  }
}
