package dev.millrace.ohlcv.candle;

import java.util.concurrent.locks.LockSupport;

/**
 * How one thread waits while it finds nothing to do: it spins, then sleeps, longer each time, but
 * never for longer than a millisecond.
 */
final class Backoff {
  private static final int SPINS = 100;
  private static final int SLEEPS = 20;
  private static final long SLEEP_NANOS = 50_000;

  private int tries;

  /** Says that there was something to do. */
  void reset() {
    tries = 0;
  }

  /** Waits a little. */
  void pause() {
    if (tries < SPINS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(SLEEP_NANOS * (tries - SPINS + 1));
    }
    tries = Math.min(tries + 1, SPINS + SLEEPS - 1);
  }
}
