package dev.millrace.ohlcv.candle;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * Copies of the candles of a {@link CandleWindow}, in native memory of the snapshot's own. Taking
 * them allocates nothing.
 */
final class WindowSnapshot implements CandleSnapshot {
  private static final long SLOT_BYTES = CandleFlyweight.LAYOUT.sizeBytes();

  private final IntFunction<CandleWindow> windows; // null where nothing was traded yet
  private final int capacity;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final CandleFlyweight copy;
  private int count;

  WindowSnapshot(IntFunction<CandleWindow> windows, int capacity) {
    this.windows = windows;
    this.capacity = capacity;
    // One slot more: what is tried and found empty is tried in the slot after the last.
    this.memory = arena.allocate((capacity + 1) * SLOT_BYTES, Long.BYTES);
    this.copy = new CandleFlyweight(memory);
  }

  @Override
  public int take(int symbol, int buckets) {
    Objects.checkFromToIndex(0, buckets, capacity);
    count = 0;
    CandleWindow window = windows.apply(symbol);
    if (window == null) {
      return 0;
    }
    long newest = window.newest();
    if (newest == Long.MIN_VALUE) {
      return 0;
    }
    int taken = 0;
    for (long bucket = newest - buckets + 1; bucket <= newest; bucket++) {
      copy.moveTo(taken * SLOT_BYTES);
      if (window.copy(bucket, copy)) {
        taken++;
      }
    }
    count = taken;
    return taken;
  }

  @Override
  public long openTimeNanos(int index) {
    return at(index).openTimeNanos();
  }

  @Override
  public CandleView candle(int index) {
    return at(index);
  }

  @Override
  public boolean sameAs(int index, CandleSnapshot other, int otherIndex) {
    WindowSnapshot that = (WindowSnapshot) other;
    long from = offset(index);
    long otherFrom = that.offset(otherIndex);
    return MemorySegment.mismatch(
            memory, from, from + SLOT_BYTES, that.memory, otherFrom, otherFrom + SLOT_BYTES)
        == -1;
  }

  @Override
  public void close() {
    arena.close();
  }

  private CandleFlyweight at(int index) {
    copy.moveTo(offset(index));
    return copy;
  }

  private long offset(int index) {
    return Objects.checkIndex(index, count) * SLOT_BYTES;
  }
}
