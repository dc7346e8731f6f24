package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Latencies;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One event at a time from the handler of one ring to that of another and back; each trip is timed.
 * There is no pause between trips.
 */
final class PingPong {
  private static final long END_SECONDS = 10;

  private final Stages<?> there;
  private final Stages<?> back;
  private final Ends pings;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Histogram trips = Latencies.newHistogram();
  private volatile boolean stop;

  // the pinging handler's
  private long number;
  private long sentAt;
  private long others;

  PingPong(Stages<?> there, Stages<?> back) {
    this.there = there;
    this.back = back;
    this.pings = there.sender();
  }

  /** Warms up, then measures for a time. */
  Histogram run(long warmupNanos, long nanos) throws InterruptedException {
    Ends pongs = back.sender();
    there.relayTo(pongs::send);
    back.relayTo(this::returned);
    back.first(this::send); // the first one too, for a ring may have but one thread to publish
    there.start();
    back.start();
    TimeUnit.NANOSECONDS.sleep(warmupNanos);
    Histogram measured = Latencies.newHistogram();
    trips = measured;
    TimeUnit.NANOSECONDS.sleep(nanos);
    stop = true;
    if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("no event has come back within " + END_SECONDS + " s");
    }
    Traffic.check("events that were not the one sent", others, 0);
    return measured;
  }

  private void send() {
    sentAt = System.nanoTime();
    pings.send(number);
  }

  private void returned(long value) {
    trips.recordValue(System.nanoTime() - sentAt);
    if (value != number) {
      others++;
    }
    if (stop) {
      ended.countDown();
    } else {
      number++;
      send();
    }
  }
}
