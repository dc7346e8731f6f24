package dev.millrace.ohlcv.candle;

import java.lang.foreign.Arena;
import java.util.function.IntFunction;

/** Reads windows through a copy of one candle, in native memory of its own. For one thread. */
final class WindowReader implements CandleEngine.Reader {
  private final IntFunction<CandleWindow> windows; // null where nothing was traded yet
  private final Arena arena = Arena.ofShared();
  private final CandleFlyweight copy =
      new CandleFlyweight(arena.allocate(CandleFlyweight.LAYOUT.sizeBytes(), Long.BYTES));

  WindowReader(IntFunction<CandleWindow> windows) {
    this.windows = windows;
    copy.moveTo(0);
  }

  @Override
  public int latest(int symbol, int buckets, CandleEngine.CandleReader reader) {
    CandleWindow window = windows.apply(symbol);
    if (window == null) {
      return 0;
    }
    long newest = window.newest();
    if (newest == Long.MIN_VALUE) {
      return 0;
    }
    int shown = 0;
    long first = newest - Math.min(buckets, window.capacity()) + 1;
    for (long bucket = first; bucket <= newest; bucket++) {
      if (window.copy(bucket, copy)) {
        reader.candle(copy);
        shown++;
      }
    }
    return shown;
  }

  @Override
  public void close() {
    arena.close();
  }
}
