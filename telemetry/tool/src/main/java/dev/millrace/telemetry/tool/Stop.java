package dev.millrace.telemetry.tool;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Knows whether the program was asked to stop by SIGINT or SIGTERM. The program then has two
 * seconds for its last output. The exit code is the JVM's own, 128 plus the signal's number.
 */
final class Stop {
  private static final long LAST_WORDS_SECONDS = 2;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);

  /** Makes an object that asks the program to stop when a signal arrives. */
  static Stop ofProcess() {
    Stop stop = new Stop();
    Runtime.getRuntime().addShutdownHook(new Thread(stop::askAndWait, "stop"));
    return stop;
  }

  private void askAndWait() {
    ask();
    try {
      boolean _ = done.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks the program to stop. */
  void ask() {
    asked.countDown();
  }

  /** Returns whether the program was asked to stop. */
  boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Sleeps for {@code time}. Returns true at once if the program is asked to stop. */
  boolean sleep(Duration time) {
    try {
      return asked.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Notes that the program has written its last output. */
  void done() {
    done.countDown();
  }
}
