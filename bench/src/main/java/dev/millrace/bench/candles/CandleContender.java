package dev.millrace.bench.candles;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import java.util.List;
import java.util.Locale;

/** The engines that are measured: the example's and the article's. */
enum CandleContender implements CandleEngine.Factory {
  /** Trades and candles in native memory. */
  OFF_HEAP(CandleEngine.Kind.OFF_HEAP),
  /** Trades as objects of doubles in a queue of the JDK, walked by each query. */
  NAIVE(NaiveEngine::new),
  /** The candles of {@link #OFF_HEAP}, made by stages on one ring. */
  PIPELINE(CandleEngine.Kind.PIPELINE);

  /** The article's comparison. */
  static final List<CandleContender> COMPARED = List.of(OFF_HEAP, NAIVE);

  @SuppressWarnings("ImmutableEnumChecker") // method references have no state
  private final CandleEngine.Factory factory;

  CandleContender(CandleEngine.Factory factory) {
    this.factory = factory;
  }

  @Override
  public CandleEngine start(CandleEngine.Options options, CandleSink sink) {
    return factory.start(options, sink);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
