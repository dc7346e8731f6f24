package dev.millrace.ohlcv.candle;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the threads of an engine keep for their symbols, seen as one.
 *
 * <p><b>Roles.</b> Each thread places in its own. Any number look.
 *
 * @param all of each thread
 */
record OpenShards(List<OpenCandles> all) {
  OpenShards {
    all = List.copyOf(all);
  }

  /** A symbol's window, wherever it is; null where nothing was traded yet. */
  CandleWindow windowOrNull(int symbol) {
    for (OpenCandles one : all) {
      CandleWindow window = one.windowOrNull(symbol);
      if (window != null) {
        return window;
      }
    }
    return null;
  }

  /** The number after that of the last symbol that has a window. */
  int symbols() {
    return all.stream().mapToInt(OpenCandles::symbols).max().orElseThrow();
  }

  /** Of the trades placed, the one with the highest number. */
  Optional<CandleEngine.LastTrade> last() {
    return all.stream()
        .flatMap(one -> one.last().stream())
        .max(Comparator.comparingLong(OpenCandles.Numbered::number))
        .map(OpenCandles.Numbered::trade);
  }

  /** What became of all trades, with the number of candles emitted. */
  CandleEngine.Counts counts(long candles) {
    long trades = 0;
    long late = 0;
    long refused = 0;
    for (OpenCandles one : all) {
      trades += one.trades();
      late += one.late();
      refused += one.refused();
    }
    return new CandleEngine.Counts(trades, late, refused, candles);
  }

  /** How many rows each has had. */
  List<Long> rows() {
    return all.stream().map(one -> one.trades() + one.late() + one.refused()).toList();
  }
}
