package dev.millrace.bench.candles;

import java.util.concurrent.CountDownLatch;

/** When a run starts, is measured and is over; set once, by the writer when the window is full. */
final class LoadClock {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long HEAD_START_NANOS = 100_000_000; // for all threads to see it

  private final LoadSettings settings;
  private final CountDownLatch started = new CountDownLatch(1);
  private long startNanos; // ordered by the latch

  LoadClock(LoadSettings settings) {
    this.settings = settings;
  }

  /** Says that the run starts in a moment. */
  void start() {
    startNanos = System.nanoTime() + HEAD_START_NANOS;
    started.countDown();
  }

  /** Waits for {@link #start}. */
  void awaitStart() throws InterruptedException {
    started.await();
  }

  boolean isStarted() {
    return started.getCount() == 0;
  }

  /** When the first trade and the first query are due. */
  long startNanos() {
    return startNanos;
  }

  /** When the first that is measured is due. */
  long measuredNanos() {
    return startNanos + settings.warmUpSeconds() * SECOND_NANOS;
  }

  /** When all should be done. */
  long endNanos() {
    return measuredNanos() + settings.seconds() * SECOND_NANOS;
  }

  /**
   * Whether it ends: a run flat out when its time has passed; a paced one, undone, when it has
   * taken twice the time that was asked for.
   */
  boolean isOver(long nowNanos) {
    long patience = settings.paced() ? settings.seconds() * SECOND_NANOS : 0;
    return nowNanos - endNanos() > patience;
  }
}
