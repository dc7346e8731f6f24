package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.HeapUse;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.ReadCounts;
import java.util.Locale;
import java.util.OptionalLong;

/** What was done, in a few lines. Whatever did not become part of a candle is accounted for. */
final class Summary {
  private Summary() {}

  static String of(Feeds feeds, CandleEngine engine, long written, Interval interval) {
    ReadCounts read = feeds.counts();
    CandleEngine.Counts counts = engine.counts();
    String missing = missing(read, counts);
    String what = feeds.isBars() ? "daily bars" : "trades";
    return String.format(
            Locale.ROOT,
            "%s: %,d rows, %,d %s in %,d candles of %s%n",
            feeds,
            read.rows(),
            counts.trades(),
            what,
            written,
            interval)
        + (read.headersAgain() == 0
            ? ""
            : String.format(Locale.ROOT, "header again, passed over: %,d%n", read.headersAgain()))
        + (missing.isEmpty() ? "" : "rows in no candle: " + missing + "\n")
        + (read.firstSkipped() == null ? "" : "first skipped: " + read.firstSkipped() + "\n");
  }

  /** Why a run has no candle though it has rows. */
  static String ofNothing(Feeds feeds, CandleEngine engine) {
    ReadCounts read = feeds.counts();
    return String.format(
        Locale.ROOT,
        "%s: no row of %,d makes a candle: %s%s",
        feeds,
        read.rows(),
        missing(read, engine.counts()),
        read.firstSkipped() == null ? "" : ", first skipped: " + read.firstSkipped());
  }

  private static String missing(ReadCounts read, CandleEngine.Counts counts) {
    String missing =
        count(read.leftOut(), "left out by type")
            + count(read.skipped() + counts.refused(), "skipped as bad")
            + count(counts.late(), "late (before the window; --window makes it longer)");
    return missing.isEmpty() ? "" : missing.substring(2);
  }

  /**
   * What it took: time, how full the queue was, and who allocated how much on the heap.
   *
   * @param feedBytes allocated by all threads from the first trade to the last candle
   */
  static String ofMachine(CandleEngine engine, long nanos, long feedBytes) {
    long trades = engine.counts().trades();
    OptionalLong most = engine.mostQueued();
    String took =
        String.format(
            Locale.ROOT,
            "%,d trades in %.2f s%s%n",
            trades,
            nanos / 1e9,
            most.isEmpty() ? "" : count(most.getAsLong(), "in the queue at most"));
    return took + engine.heapUse().map(use -> ofHeap(use, trades, feedBytes)).orElse("");
  }

  private static String ofHeap(HeapUse use, long trades, long feedBytes) {
    long each = Math.max(1, trades);
    return String.format(
        Locale.ROOT,
        "heap: 0 bytes by Millrace (queue, open candles) after trade %,d, %,d until then; per trade"
            + " %,d by reading and parsing, %,d by writing candles%n",
        use.lastAllocation(),
        use.tradeBytes(),
        (feedBytes - use.totalBytes()) / each,
        use.candleBytes() / each);
  }

  private static String count(long count, String why) {
    return count == 0 ? "" : String.format(Locale.ROOT, ", %,d %s", count, why);
  }
}
