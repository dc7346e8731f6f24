package dev.millrace.ohlcv.candle;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.HistoryReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Copies of the candles of a {@link CandleWindow}, in native memory of the snapshot's own: the open
 * ones slot by slot, the closed ones from the history by time. Taking them allocates nothing, but
 * for a reader of each symbol that is asked for.
 */
final class WindowSnapshot implements CandleSnapshot {
  private static final long SLOT_BYTES = CandleWindow.SLOT_BYTES;

  private final OpenCandles candles;
  private final CandleEngine.Options options;
  private final int capacity;
  private final Arena arena = Arena.ofShared();
  private final CandleRecord open;
  private final Map<Integer, HistoryReader<CandleRecord>> readers = new HashMap<>();
  private HistoryReader<CandleRecord> closed; // of the symbol taken last
  private int closedCount;
  private int openSkipped; // they were closed meanwhile
  private int closedSkipped; // they are too old
  private int count;

  WindowSnapshot(OpenCandles candles, CandleEngine.Options options, int capacity) {
    this.candles = candles;
    this.options = options;
    this.capacity = capacity;
    // One slot more: what is tried and found empty is tried in the slot after the last.
    long slots = options.windowCandles() + 1L;
    this.open = CandleWindow.TYPE.newFlyweight(arena.allocate(slots * SLOT_BYTES, Long.BYTES));
  }

  @Override
  public int take(int symbol, int buckets) {
    Objects.checkFromToIndex(0, buckets, capacity);
    count = 0;
    CandleWindow window = candles.windowOrNull(symbol);
    if (window == null || window.newest() == CandleWindow.NOTHING_YET) {
      return 0;
    }
    do {
      copy(window, symbol, Math.max(1, buckets));
    } while (count == 0); // all of it was overwritten meanwhile: the newest always has a trade
    return count;
  }

  private void copy(CandleWindow window, int symbol, int buckets) {
    long newest = window.newest();
    int openCount = 0;
    int openBuckets = Math.min(buckets, options.windowCandles());
    for (long bucket = newest - openBuckets + 1; bucket <= newest; bucket++) {
      if (window.copy(bucket, openAt(openCount))) {
        openCount++;
      }
    }
    // The history after the slots: what has left a slot since then is in it.
    closed = readers.computeIfAbsent(symbol, _ -> window.newClosedReader());
    closedCount = closed == null ? 0 : closed.latest(options.historyCandles());
    openSkipped = 0;
    long last = closedCount == 0 ? Long.MIN_VALUE : closed.at(closedCount - 1).openTimeNanos();
    while (openSkipped < openCount && openAt(openSkipped).openTimeNanos() <= last) {
      openSkipped++;
    }
    // The history keeps a number of candles, which is more time where nothing was traded.
    Interval interval = options.interval();
    long newestTaken = openSkipped < openCount ? newest : interval.bucket(last);
    // In numbers of candles: so many candles back, a time may be less than a long can hold.
    long first = newestTaken - (buckets - 1);
    closedSkipped = 0;
    while (closedSkipped < closedCount
        && interval.bucket(closed.at(closedSkipped).openTimeNanos()) < first) {
      closedSkipped++;
    }
    count = closedCount - closedSkipped + openCount - openSkipped;
  }

  @Override
  public long openTimeNanos(int index) {
    return at(index).openTimeNanos();
  }

  @Override
  public Candle candle(int index) {
    return at(index).toCandle();
  }

  @Override
  public boolean sameAs(int index, CandleSnapshot other, int otherIndex) {
    Flyweight one = (Flyweight) at(index);
    Flyweight another = (Flyweight) ((WindowSnapshot) other).at(otherIndex);
    return MemorySegment.mismatch(
            one.memory(),
            one.offset(),
            one.offset() + SLOT_BYTES,
            another.memory(),
            another.offset(),
            another.offset() + SLOT_BYTES)
        == -1;
  }

  @Override
  public void close() {
    readers.values().forEach(HistoryReader::close);
    arena.close();
  }

  private CandleRecord at(int index) {
    Objects.checkIndex(index, count);
    int place = index + closedSkipped;
    return place < closedCount ? closed.at(place) : openAt(place - closedCount + openSkipped);
  }

  private CandleRecord openAt(int place) {
    ((Flyweight) open).moveTo(place * SLOT_BYTES);
    return open;
  }
}
