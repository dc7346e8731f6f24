package dev.millrace.ohlcv.candle;

/**
 * The thread that makes candles, and the way by which its failure reaches the thread that feeds it:
 * first the failure is noted, then {@code release} lets go of a feeder that waits.
 */
final class Aggregator {
  /** What the thread does. */
  interface Body {
    void run() throws Exception;
  }

  private final Thread thread;
  // Written once by the thread; volatile: whoever sees it sees the exception as it was thrown.
  private volatile Throwable failure;

  Aggregator(String name, Body body, Runnable release) {
    thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> run(body, release));
  }

  void start() {
    thread.start();
  }

  /** Throws if the thread has failed. */
  void check() {
    Throwable seen = failure;
    if (seen != null) {
      throw new EngineException(seen);
    }
  }

  /** Waits for the thread's end; throws if it failed. */
  void join() throws InterruptedException {
    thread.join();
    check();
  }

  /** Waits for the thread's end, whatever happened to it; an interruption is kept for later. */
  void joinQuietly() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(Body body, Runnable release) {
    try {
      body.run();
    } catch (Throwable thrown) {
      failure = thrown;
      release.run();
    }
  }
}
