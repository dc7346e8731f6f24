package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Refusal;
import dev.millrace.ohlcv.output.CandleOutput;
import java.io.IOException;

/**
 * Writes candles as they leave the engine, and counts them. Called by the engine's thread, then,
 * after that has ended, by the one that waited for it.
 */
final class CandleWriter implements CandleSink {
  private static final long FLUSH_NANOS = 200_000_000L;

  private final Feeds feeds;
  private final CandleOutput output;
  private final boolean isLive;
  private Runnable onWrite = () -> {};
  private long written;
  private long lastFlushNanos = System.nanoTime();

  /** A trade that does not fit into its candle, where bad rows are not skipped. */
  static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  CandleWriter(Feeds feeds, CandleOutput output) {
    this.feeds = feeds;
    this.output = output;
    this.isLive = feeds.isLive();
  }

  /** Sets what to do before something is written. */
  void onWrite(Runnable action) {
    onWrite = action;
  }

  long written() {
    return written;
  }

  @Override
  public void candle(CandleView candle) throws IOException {
    onWrite.run();
    output.candle(candle, feeds.symbols().name(candle.symbol()));
    written++;
    // A table's widths depend on the candles before its first flush. Those of a file must not
    // depend on how fast the machine is.
    if (isLive && ((written & 0xff) == 0 || written < 0x100)) {
      flushIfDue();
    }
  }

  @Override
  public void refused(long line, String field) {
    if (!feeds.skipsBadRows()) {
      throw new RefusedException(feeds.where(line) + ": " + Refusal.of(field));
    }
  }

  /** Writes what is left to write. */
  void end() throws IOException {
    output.end();
  }

  /** Writes what was emitted so far, and no end. */
  void stop() throws IOException {
    output.flush();
  }

  private void flushIfDue() throws IOException {
    long now = System.nanoTime();
    if (now - lastFlushNanos > FLUSH_NANOS) { // of a live stream candles are shown soon
      output.flush();
      lastFlushNanos = now;
    }
  }
}
