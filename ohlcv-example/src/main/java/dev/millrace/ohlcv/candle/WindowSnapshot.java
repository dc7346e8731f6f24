package dev.millrace.ohlcv.candle;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.history.HistoryReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Copies of the candles of a {@link CandleWindow}, in native memory of the snapshot's own: the open
 * ones of one moment, the closed ones from the history by time. Taking them allocates nothing, but
 * for a reader of the history of each symbol whose closed candles are asked for.
 */
final class WindowSnapshot implements CandleSnapshot {
  private static final long SLOT_BYTES = CandleWindow.SLOT_BYTES;

  private final OpenCandles candles;
  private final CandleEngine.Options options;
  private final int capacity;
  private final Arena arena = Arena.ofShared();
  private final CandleWindow.Copy open;
  private final int[] places; // of the open candles, in the copy
  private final Map<Integer, ClosedReader> readers = new HashMap<>(); // by symbol
  private HistoryReader<CandleRecord> closed; // of the symbol taken last
  private int closedFrom; // those before are too old
  private int closedCount;
  private int openCount;
  private boolean isAll;

  private record ClosedReader(HistoryReader<CandleRecord> reader, int most) {}

  WindowSnapshot(OpenCandles candles, CandleEngine.Options options, int capacity) {
    this.candles = candles;
    this.options = options;
    this.capacity = capacity;
    int window = Math.min(capacity, options.windowCandles());
    this.places = new int[window];
    this.open = new CandleWindow.Copy(arena.allocate(window * SLOT_BYTES, Long.BYTES), window);
  }

  @Override
  public int take(int symbol, int buckets) {
    Objects.checkFromToIndex(0, buckets, capacity);
    closedCount = 0;
    openCount = 0;
    boolean hasLost;
    CandleWindow window = candles.windowOrNull(symbol);
    if (window == null || window.newest() == CandleWindow.NOTHING_YET) {
      open.trades = 0;
      isAll = true;
      return 0;
    }
    do {
      window.copy(Math.min(buckets, options.windowCandles()), open);
      // The history after the slots: what had left by then is in it.
      int asked = Math.min(buckets - open.count, options.historyCandles());
      int kept = readClosed(symbol, window, asked);
      closedFrom = firstClosed(kept, open.newest - buckets + 1);
      closedCount = firstClosed(kept, open.newest - open.count + 1) - closedFrom;
      hasLost = closedFrom == 0 && closedCount < Math.min(asked, open.left);
    } while (hasLost); // so many have closed since that the history has no room for the oldest
    for (int place = 0; place < open.count; place++) {
      if (open.at(place, options.interval()) != null) {
        places[openCount++] = place;
      }
    }
    boolean isWindowWhole = open.count == options.windowCandles();
    isAll = isWindowWhole && closedFrom == 0 && closedCount == open.left;
    return closedCount + openCount;
  }

  /** Reads closed candles, among them so many that had left before the copy. */
  private int readClosed(int symbol, CandleWindow window, int candles) {
    if (candles == 0) {
      return 0;
    }
    int most = candles + CandleWindow.SLACK;
    ClosedReader known = readers.get(symbol);
    if (known == null || known.most() < most) {
      if (known != null) {
        known.reader().close();
      }
      int room = roomFor(most);
      known = new ClosedReader(window.newClosedReader(room), room);
      readers.put(symbol, known);
    }
    closed = known.reader();
    return closed.latest(most);
  }

  /** So much that a reader grows seldom. */
  private int roomFor(int candles) {
    int all = options.historyCandles() + CandleWindow.SLACK;
    return candles > all / 2 ? all : Integer.highestOneBit(candles) * 2;
  }

  /** The first of the closed candles that is not before a bucket. */
  private int firstClosed(int kept, long bucket) {
    int low = 0;
    int high = kept;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (options.interval().bucket(closed.at(middle).openTimeNanos()) < bucket) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public boolean isAll() {
    return isAll;
  }

  @Override
  public long trades() {
    return open.trades;
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
    readers.values().forEach(each -> each.reader().close());
    arena.close();
  }

  private CandleRecord at(int index) {
    Objects.checkIndex(index, closedCount + openCount);
    return index < closedCount
        ? closed.at(closedFrom + index)
        : open.at(places[index - closedCount], options.interval());
  }
}
