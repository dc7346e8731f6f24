package dev.millrace.ohlcv.candle;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A thread that makes candles, and the way by which its failure reaches the thread that feeds it:
 * first the failure is noted, then {@code release} lets go of a feeder that waits. Threads of one
 * engine share the note; the first failure stays, for the others follow from it.
 */
final class Aggregator {
  /** What the thread does. */
  interface Body {
    void run() throws Exception;
  }

  private final Thread thread;
  private final AtomicReference<Throwable> failure;

  /** Makes an engine's only thread. */
  Aggregator(String name, Body body, Runnable release) {
    this(name, body, release, new AtomicReference<>());
  }

  /** Makes one of an engine's threads, which note their failure in the same place. */
  Aggregator(String name, Body body, Runnable release, AtomicReference<Throwable> failure) {
    this.failure = failure;
    thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> run(body, release));
  }

  void start() {
    thread.start();
  }

  /** Throws if the thread, or another of the same engine, has failed. */
  void check() {
    Throwable seen = failure.get(); // volatile: the exception as it was thrown
    if (seen != null) {
      throw new EngineException(seen);
    }
  }

  /** Waits for the thread's end; throws as {@link #check} does. */
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
      failure.compareAndSet(null, thrown); // volatile: the exception as it was thrown
      release.run();
    }
  }
}
