package dev.millrace.telemetry.tool;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Whether the program was asked to stop, by SIGINT or SIGTERM. It has two seconds then to say what
 * it has to say; the exit code is the JVM's own, 128 and the signal's number.
 */
final class Stop {
  private static final long LAST_WORDS_SECONDS = 2;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);

  /** Asks at a signal. */
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

  /** Whether it was asked. */
  boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Sleeps; returns true at once if the program is asked to stop. */
  boolean sleep(Duration time) {
    try {
      return asked.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Says that all is said. */
  void done() {
    done.countDown();
  }
}
