package dev.millrace.ohlcv;

import com.sun.management.ThreadMXBean;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleMaker;
import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.Trade;
import dev.millrace.ohlcv.input.ReadCounts;
import dev.millrace.ohlcv.output.Times;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** What was done, in a few lines. Whatever did not become part of a candle is accounted for. */
final class Summary {
  private Summary() {}

  static String of(Feeds feeds, CandleMaker maker, long written, Interval interval) {
    ReadCounts read = feeds.counts();
    CandleEngine.Counts counts = maker.counts();
    String what = feeds.isBars() ? "daily bars" : "trades";
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %,d rows, %,d %s in %,d candles of %s%n",
            feeds,
            read.rows(),
            counts.trades(),
            what,
            written,
            interval));
    if (read.any()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s to %s UTC",
              Times.text(read.minTimeNanos()),
              Times.text(read.maxTimeNanos())));
      maker.lastTrade().ifPresent(trade -> text.append(", ").append(last(trade)));
      text.append('\n');
    }
    List<String> missing = new ArrayList<>();
    add(missing, read.notKept(), "not kept");
    add(missing, read.leftOut(), "left out by type");
    add(missing, read.skipped() + counts.refused(), "skipped as bad");
    add(missing, counts.late(), "late (before the window; --window makes it longer)");
    if (!missing.isEmpty()) {
      text.append("rows in no candle: ").append(String.join(", ", missing)).append('\n');
    }
    List<Long> byShard = maker.rowsByShard();
    if (byShard.size() > 1) {
      List<String> shares = new ArrayList<>();
      byShard.forEach(rows -> shares.add(String.format(Locale.ROOT, "%,d", rows)));
      text.append("rows by shard: ").append(String.join(" ", shares)).append('\n');
    }
    List<CandleMaker.StageCounts> stages = maker.stages();
    if (!stages.isEmpty()) {
      List<String> all = stages.stream().map(Summary::stage).toList();
      text.append("rows by stage (in a batch): ").append(String.join(", ", all)).append('\n');
    }
    if (read.firstSkipped() != null) {
      text.append("first skipped: ").append(read.firstSkipped()).append('\n');
    }
    return text.toString();
  }

  /** What it took: time, what the whole program allocated, and how full the queue was. */
  static String ofMachine(Feeds feeds, CandleMaker maker, long nanos) {
    ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    OptionalLong most = maker.mostQueued();
    return String.format(
        Locale.ROOT,
        "%.2f s, %,d bytes allocated on the heap per row, by the whole program%s%n",
        nanos / 1e9,
        threads.getTotalThreadAllocatedBytes() / Math.max(1, feeds.counts().rows()),
        most.isEmpty()
            ? ""
            : String.format(Locale.ROOT, "; at most %,d trades in the queue", most.getAsLong()));
  }

  private static String stage(CandleMaker.StageCounts stage) {
    return String.format(
        Locale.ROOT, "%s %,d (%.1f)", stage.name(), stage.processed(), stage.meanBatch());
  }

  private static String last(Trade trade) {
    String side =
        trade.side() == Side.UNKNOWN ? "" : trade.side() == Side.TAKER_BOUGHT ? " bought" : " sold";
    String volume = Decimals.toBigDecimal(trade.volume(), trade.volumeScale()).toPlainString();
    String price = Decimals.toBigDecimal(trade.price(), trade.priceScale()).toPlainString();
    return "last read: " + volume + side + " at " + price;
  }

  private static void add(List<String> missing, long count, String why) {
    if (count > 0) {
      missing.add(String.format(Locale.ROOT, "%,d %s", count, why));
    }
  }
}
