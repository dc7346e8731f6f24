package dev.millrace.bench.compare;

import dev.millrace.core.Sequence;
import java.util.Arrays;

/**
 * How far apart the cores are at this moment: the time that a cache line takes from one thread to
 * another and back.
 */
final class Probe {
  /**
   * Of near cores a round trip takes less. Those seen took 20 to 80 ns on the two threads of a
   * core, about 100 on cores that share a cache, and 200 to 560 on others.
   */
  static final double NEAR_NANOS = 140;

  private static final int BATCHES = 21;
  private static final int TRIPS = 4_000;
  private static final int WARMUP_BATCHES = 10;

  private final Sequence there = new Sequence();
  private final Sequence back = new Sequence();

  private Probe() {}

  /** The median of some batches of round trips, in nanoseconds. */
  static double roundTripNanos() throws InterruptedException {
    Probe probe = new Probe();
    Thread other = Thread.ofPlatform().name("probe").daemon().start(probe::answerAll);
    double[] nanos = new double[BATCHES];
    for (int i = -WARMUP_BATCHES; i < BATCHES; i++) {
      double took = probe.askBatch((long) (i + WARMUP_BATCHES) * TRIPS);
      nanos[Math.max(0, i)] = took;
    }
    other.join();
    Arrays.sort(nanos);
    return nanos[BATCHES / 2];
  }

  private double askBatch(long first) {
    long begin = System.nanoTime();
    for (long trip = first + 1; trip <= first + TRIPS; trip++) {
      there.setRelease(trip);
      while (back.getAcquire() != trip) {
        Thread.onSpinWait();
      }
    }
    return (double) (System.nanoTime() - begin) / TRIPS;
  }

  private void answerAll() {
    for (long trip = 1; trip <= (long) (BATCHES + WARMUP_BATCHES) * TRIPS; trip++) {
      while (there.getAcquire() != trip) {
        Thread.onSpinWait();
      }
      back.setRelease(trip);
    }
  }
}
