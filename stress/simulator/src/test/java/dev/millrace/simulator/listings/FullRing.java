package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;
import java.util.concurrent.locks.LockSupport;

/** Publishers claim a number when its slot is free. As listed, they claim it anyway. */
public class FullRing extends Ring {
  private FullRing(Simulation run) {
    super(run);
  }

  @SuppressWarnings("RedundantControlFlow") // which it is: that is the mistake
  long claim() {
    long last;
    do {
      last = claimed;
      if (!isFree(last + 1)) {
        LockSupport.parkNanos(1);
        continue; // the condition is next, and claims
      }
    } while (!CLAIMED.compareAndSet(this, last, last + 1));
    return last + 1;
  }

  private static final class Mended extends FullRing {
    Mended(Simulation run) {
      super(run);
    }

    @Override
    long claim() {
      long last = claimed;
      while (!isFree(last + 1) || !CLAIMED.compareAndSet(this, last, last + 1)) {
        Thread.onSpinWait();
        last = claimed;
      }
      return last + 1;
    }
  }

  private void publish() {
    put(claim());
  }

  private void consume() {
    for (long sequence = 0; sequence < SIZE; sequence++) {
      take(sequence);
      finished = sequence;
    }
  }

  public static void asListed(Simulation run) {
    start(run, new FullRing(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, FullRing ring) {
    ring.fill();
    run.thread("publisher", ring::publish);
    run.thread("other publisher", ring::publish);
    run.thread("consumer", ring::consume);
  }
}
