package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Latencies;
import org.HdrHistogram.Histogram;

/** One record at a time to another thread and back, through two queues; each trip is timed. */
final class RoundTrip {
  private static final int TRIPS_PER_LOOK = 1_024;

  private final Contender there;
  private final Contender back;
  private final Idle idle;
  private volatile boolean stop;

  /**
   * Makes a run.
   *
   * @param there the way there
   * @param back the way back
   * @param idle how often a side pauses after an attempt in vain
   */
  RoundTrip(Contender there, Contender back, int idle) {
    this.there = there;
    this.back = back;
    this.idle = new Idle(idle);
  }

  /** Warms up, then measures for a time. */
  Histogram run(long warmupNanos, long nanos) throws InterruptedException {
    Thread echo = Thread.ofPlatform().name("echo").daemon().start(this::echoAll);
    Ends sender = there.sender();
    Ends receiver = back.receiver();
    Histogram trips =
        Latencies.during(
            warmupNanos, nanos, (first, times) -> askSome(sender, receiver, first, times));
    stop = true;
    echo.join();
    return trips;
  }

  private long askSome(Ends sender, Ends receiver, long first, Histogram trips) {
    long next = first;
    for (int i = 0; i < TRIPS_PER_LOOK; i++) {
      trips.recordValue(ask(sender, receiver, next++));
    }
    return next;
  }

  private long ask(Ends sender, Ends receiver, long number) {
    long begin = System.nanoTime();
    while (!sender.send(number)) {
      idle.pause();
    }
    long sum;
    while ((sum = receiver.receive()) == Ends.NONE) {
      idle.pause();
    }
    long took = System.nanoTime() - begin;
    if (sum != Words.sum(Words.sum(number))) {
      throw new AssertionError("another record: sum=" + sum + ", number=" + number);
    }
    return took;
  }

  /** Sends back the sum of what has come. */
  private void echoAll() {
    Ends receiver = there.receiver();
    Ends sender = back.sender();
    while (true) {
      long sum = receiver.receive();
      if (sum == Ends.NONE) {
        if (stop) {
          return;
        }
        idle.pause();
      } else {
        while (!sender.send(sum)) {
          idle.pause();
        }
      }
    }
  }
}
