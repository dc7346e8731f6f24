package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Child;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.Interval;
import java.io.IOException;

/**
 * What a JVM of its own does for {@link LoadRounds}, and the clock of its trades.
 *
 * <p>A run is paced, so that latencies can be measured, or {@linkplain #flatOut flat out}: trades
 * as fast as the engine takes them, queries at their rate meanwhile.
 *
 * <p>Simulated time runs faster than real time: the measured seconds cover {@value #RUN_HOURS}
 * hours of trading, so that the window of 24 hours is replaced as a whole while it is queried.
 * Before that it is filled, as fast as the engine takes it, and the load runs for some seconds
 * unmeasured, so that each measured query meets a full window and compiled code.
 *
 * @param engine which engine
 * @param rate trades a second, if it is paced
 * @param queries queries a second, of all threads
 * @param seconds how long it is measured
 * @param warmUpSeconds how long it runs at the same rates before
 * @param threads writer, the engine's own thread and queriers together
 * @param seed what trades follow from
 * @param symbols how many symbols are traded
 * @param paced whether trades are written at the rate
 */
record LoadSettings(
    CandleContender engine,
    int rate,
    int queries,
    int seconds,
    int warmUpSeconds,
    int threads,
    long seed,
    int symbols,
    boolean paced)
    implements Child.Job<LoadResult> {
  /** How many candles a query asks for: 24 hours of minutes. */
  static final int WINDOW = CandleEngine.Options.DEFAULT_WINDOW;

  /** How many hours of simulated time the measured part covers. */
  static final int RUN_HOURS = 30;

  /** Threads that are no queriers: the writer and the engine's own. */
  static final int OTHER_THREADS = 2;

  /** Simulated time between two trades of a run flat out: that of the article's 3,000,000. */
  static final long FLAT_OUT_TRADE_NANOS = RUN_HOURS * 3_600_000_000_000L / 3_000_000;

  static final long MINUTE_NANOS = 60_000_000_000L;

  /** 2024-01-01T00:00:00Z, when the first trade happens. */
  static final long START_NANOS = 1_704_067_200L * 1_000_000_000;

  /** What the reference can hold in arrays, and its sums in longs. */
  static final long MAX_TRADES = 500_000_000;

  private static final int FILL_TRADES_PER_CANDLE = 20;
  private static final long HOUR_NANOS = 60 * MINUTE_NANOS;
  private static final long SECOND_NANOS = 1_000_000_000;

  /**
   * The same with trades as fast as they go.
   *
   * @param callers threads that use the engine, which has one of its own besides: the first writes,
   *     the others query; a single one does both
   */
  LoadSettings flatOut(int callers, int flatOutSeconds) {
    return new LoadSettings(
        engine, rate, queries, flatOutSeconds, warmUpSeconds, callers + 1, seed, symbols, false);
  }

  /** Threads that use the engine. */
  int callers() {
    return threads - 1;
  }

  /** Threads that only query. */
  int queriers() {
    return threads - OTHER_THREADS;
  }

  /** Threads that query; the one that writes, if there is no other. */
  int askers() {
    return Math.max(1, queriers());
  }

  /** Trades that fill the window, not paced. */
  long fillTrades() {
    return (long) symbols * WINDOW * FILL_TRADES_PER_CANDLE;
  }

  long warmUpTrades() {
    return (long) rate * warmUpSeconds;
  }

  long measuredTrades() {
    return (long) rate * seconds;
  }

  long warmUpQueries() {
    return (long) queries * warmUpSeconds;
  }

  long measuredQueries() {
    return (long) queries * seconds;
  }

  /** All trades, counted from 0: those that fill, warm up and are measured. */
  long totalTrades() {
    return fillTrades() + warmUpTrades() + measuredTrades();
  }

  /** When a trade happens, in simulated nanoseconds since 1970; it never decreases. */
  long timeNanos(long trade) {
    long fill = fillTrades();
    if (trade < fill) {
      return START_NANOS + trade * (WINDOW * MINUTE_NANOS / fill);
    }
    long nanosPerTrade = paced ? RUN_HOURS * HOUR_NANOS / measuredTrades() : FLAT_OUT_TRADE_NANOS;
    return START_NANOS + WINDOW * MINUTE_NANOS + (trade - fill) * nanosPerTrade;
  }

  /** When the n-th of events at a fixed rate is due, in nanoseconds from the first. */
  static long dueNanos(long event, int perSecond) {
    long second = event / perSecond;
    return second * SECOND_NANOS + (event % perSecond) * SECOND_NANOS / perSecond;
  }

  CandleEngine.Options engineOptions() {
    return new CandleEngine.Options(Interval.parse("1m"), 1, WINDOW - 1, true, 1);
  }

  @Override
  public LoadResult run() throws IOException, InterruptedException {
    try (LoadRun run = new LoadRun(this)) {
      return run.run();
    }
  }

  @Override
  public String toString() {
    return engine + (paced ? ", at the fixed rate" : ", flat out, threads: " + callers());
  }
}
