package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;

/**
 * A monitor reads how many slots are in use. As listed, events that come and go between its two
 * reads make the number too small, even negative.
 */
public class FillLevel extends Ring {
  private FillLevel(Simulation run) {
    super(run);
  }

  long level() {
    long head = claimed;
    long tail = finished;
    return head - tail;
  }

  private static final class Mended extends FillLevel {
    Mended(Simulation run) {
      super(run);
    }

    @Override
    long level() {
      long tail = finished; // first: no tail is ahead of what is claimed by then
      return claimed - tail;
    }
  }

  private void publish() {
    put(claimAny());
  }

  private void consume() {
    while (!isPublished(0)) {
      Thread.onSpinWait();
    }
    take(0);
    finished = 0;
  }

  private void sample() {
    long level = level();
    run.check(level >= 0, "fill level is negative: " + level);
  }

  public static void asListed(Simulation run) {
    start(run, new FillLevel(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, FillLevel ring) {
    run.thread("publisher", ring::publish);
    run.thread("consumer", ring::consume);
    run.thread("monitor", ring::sample);
  }
}
