package dev.millrace.ohlcv.candle;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the placing threads of an engine keep, seen as one, and the way to the sink: counts the
 * candles and, in the end, emits those that are still open.
 *
 * <p><b>Roles.</b> Each placing thread places in its own {@link OpenCandles}; one thread emits. The
 * feeder says what is not to be emitted, before it completes the engine's queue; any thread may
 * abandon, and read.
 */
final class Emitter implements CandleSink, AutoCloseable {
  private final CandleEngine.Options options;
  private final CandleSink sink;
  private final List<OpenCandles> open;
  private final Tally candles = new Tally();
  private volatile boolean emitsOpen = true; // volatile: written before the queue is completed
  private volatile boolean abandoned; // volatile: who sees what was done after it sees it too

  /** With so many placing threads as there are shards. */
  Emitter(CandleEngine.Options options, CandleSink sink) {
    this.options = options;
    this.sink = sink;
    this.open = Stream.generate(() -> new OpenCandles(options)).limit(options.shards()).toList();
  }

  /** Of each placing thread. */
  List<OpenCandles> open() {
    return open;
  }

  @Override
  public void candle(CandleView candle) throws IOException {
    sink.candle(candle);
    candles.increment();
  }

  @Override
  public void refused(long line, String field) {
    sink.refused(line, field);
  }

  /** Emits what is open, in order of symbols, unless that is not wanted. */
  void emitOpen() throws IOException {
    int symbols = open.stream().mapToInt(OpenCandles::symbols).max().orElseThrow();
    for (int symbol = 0; symbol < symbols; symbol++) {
      CandleWindow window = windowOrNull(symbol);
      if (window != null && emitsOpen && !abandoned) {
        window.emitAll(this);
      }
    }
  }

  /** Says that what is open in the end shall not be emitted. */
  void withholdOpen() {
    emitsOpen = false;
  }

  /** Says that nothing more is wanted. */
  void abandon() {
    abandoned = true;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  CandleSnapshot newSnapshot(int capacity) {
    return new WindowSnapshot(this::windowOrNull, options, capacity);
  }

  /** Of the trades placed, the one with the highest number. */
  Optional<Trade> lastTrade() {
    return open.stream()
        .max(Comparator.comparingLong(OpenCandles::lastNumber))
        .filter(one -> one.lastNumber() > 0)
        .map(OpenCandles::last);
  }

  /** What became of all trades. */
  CandleEngine.Counts counts() {
    return open.stream()
        .map(OpenCandles::counts)
        .reduce(new CandleEngine.Counts(0, 0, 0, candles.get()), CandleEngine.Counts::plus);
  }

  /** How many rows each placing thread has had. */
  List<Long> rows() {
    return open.stream().map(one -> one.counts().rows()).toList();
  }

  /** Frees the memory, when all threads have ended. */
  @Override
  public void close() {
    open.forEach(OpenCandles::close);
  }

  /** A symbol's window, wherever it is; null where nothing was traded yet. */
  private CandleWindow windowOrNull(int symbol) {
    for (OpenCandles one : open) {
      CandleWindow window = one.windowOrNull(symbol);
      if (window != null) {
        return window;
      }
    }
    return null;
  }
}
