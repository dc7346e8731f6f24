package dev.millrace.ohlcv.serve;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.TradeConsumer;
import dev.millrace.ohlcv.input.TradeLog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives an engine the trades of inputs, as fast as they came when they were made, or so many times
 * as fast. Those that a log has of an earlier run are given at once.
 *
 * <p>One thread reads.
 */
final class Replay implements TradeConsumer {
  /** As a speed: without waiting. */
  static final double MAX = Double.POSITIVE_INFINITY;

  private static final long LEAST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final CandleEngine engine;
  private final Symbols symbols;
  private final double speed;
  private Feeds feeds;
  private TradeLog log; // or null
  private long firstNanos; // the time of the trade from which time is counted
  private long startNanos; // when it was given
  private boolean isStarted;
  private long shiftNanos; // of this round's times
  private long earliestNanos = Long.MAX_VALUE;
  private long latestNanos = Long.MIN_VALUE;

  Replay(CandleEngine engine, Symbols symbols, double speed) {
    this.engine = engine;
    this.symbols = symbols;
    this.speed = speed;
  }

  /**
   * Gives all trades of inputs.
   *
   * @param inputs which; to be closed by the caller
   * @param keeping keeps them, or null
   */
  void play(Feeds inputs, TradeLog keeping) throws IOException, InterruptedException {
    feeds = inputs;
    log = keeping;
    feeds.readAll(this);
  }

  /** Moves the times of what is played next behind those of what was. */
  void moveOn(Interval interval) {
    long candles = (latestNanos - earliestNanos) / interval.nanos() + 1;
    shiftNanos += candles * interval.nanos();
    earliestNanos += candles * interval.nanos();
  }

  @Override
  public void accept(TradeRow trade) throws IOException, InterruptedException {
    boolean isKept = log != null && log.isBehind();
    if (log != null) {
      log.keep(trade);
    }
    long time = trade.timeNanos() + shiftNanos;
    earliestNanos = Math.min(earliestNanos, time);
    latestNanos = Math.max(latestNanos, time);
    if (!isKept) {
      awaitDue(time);
    }
    int symbol = symbols.number(name(feeds.symbol(trade.symbol())));
    engine.accept(TradeRow.of(trade, trade.line(), symbol, time));
  }

  /** Where the input names no symbols there is one. */
  private static String name(String symbol) {
    return symbol.isEmpty() ? "trades" : symbol;
  }

  private void awaitDue(long timeNanos) throws InterruptedException {
    if (!isStarted) {
      isStarted = true;
      firstNanos = timeNanos;
      startNanos = System.nanoTime();
    }
    long due = (long) ((timeNanos - firstNanos) / speed);
    while (due - (System.nanoTime() - startNanos) > LEAST_PAUSE_NANOS) {
      LockSupport.parkNanos(due - (System.nanoTime() - startNanos));
      if (Thread.interrupted()) {
        throw new InterruptedException("replay was stopped");
      }
    }
  }
}
