package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;

/** A consumer waits for a published event. As listed, it is enough that the event is claimed. */
public class Barrier extends Ring {
  private Barrier(Simulation run) {
    super(run);
  }

  /** Waits for an event and returns the last one that can be read with it. */
  long waitFor(long sequence) {
    long available = claimed;
    while (available < sequence) {
      Thread.onSpinWait();
      available = claimed;
    }
    return available;
  }

  private static final class Mended extends Barrier {
    Mended(Simulation run) {
      super(run);
    }

    @Override
    long waitFor(long sequence) {
      while (!isPublished(sequence)) {
        Thread.onSpinWait();
      }
      return isPublished(sequence + 1) ? sequence + 1 : sequence;
    }
  }

  private void publish() {
    put(claimAny());
  }

  private void consume() {
    long next = 0;
    while (next < SIZE) {
      long available = waitFor(next);
      while (next <= available) {
        take(next);
        next++;
      }
    }
  }

  public static void asListed(Simulation run) {
    start(run, new Barrier(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, Barrier barrier) {
    run.thread("publisher", barrier::publish);
    run.thread("other publisher", barrier::publish);
    run.thread("consumer", barrier::consume);
  }
}
