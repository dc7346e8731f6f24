package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;

/**
 * A slot's flag is the lap of its last published event. As listed, the lap is 0 for the first four
 * billion events, so a slot that was published once counts as published from then on.
 */
public class LapFlag extends Ring {
  private LapFlag(Simulation run) {
    super(run);
  }

  @Override
  int lap(long sequence) {
    return (int) (sequence >>> 32);
  }

  private static final class Mended extends LapFlag {
    Mended(Simulation run) {
      super(run);
    }

    @Override
    int lap(long sequence) {
      return (int) (sequence >>> Long.numberOfTrailingZeros(SIZE));
    }
  }

  private void publish() {
    for (long sequence = 0; sequence <= SIZE; sequence++) {
      while (!isFree(sequence)) {
        Thread.onSpinWait();
      }
      put(sequence);
    }
  }

  private void consume() {
    for (long sequence = 0; sequence <= SIZE; sequence++) {
      while (!isPublished(sequence)) {
        Thread.onSpinWait();
      }
      take(sequence);
      finished = sequence;
    }
  }

  public static void asListed(Simulation run) {
    start(run, new LapFlag(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, LapFlag ring) {
    run.thread("publisher", ring::publish);
    run.thread("consumer", ring::consume);
  }
}
