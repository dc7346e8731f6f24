package dev.millrace.ohlcv.trace;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Takes the time of one of {@value #EVERY} things that go from one thread to others, without a
 * place in what is handed over.
 *
 * <p><b>Roles.</b> One thread feeds, in order of the numbers from 1. Each number is placed by one
 * thread, any, that got it from the feeder.
 *
 * <p><b>Progress.</b> Wait-free. If as many samples as there is room for are under way, the next is
 * left out.
 */
final class LatencyProbe {
  /** Of so many things one is timed; a power of two. */
  static final int EVERY = 128;

  /** What {@link #placed} returns for what is not timed. */
  static final long NONE = -1;

  private static final int SLOTS = 1_024; // times EVERY: more than is under way usually
  private static final long FREE = 0;

  /*
   * A slot has the number that it is taken by; its time belongs to the feeder while it is free, and
   * to who places that number while it is taken.
   *
   * A  numbers.setRelease, a number, in feeding  ->  numbers.getAcquire in placed   the time
   * B  numbers.setRelease, FREE, in placed       ->  numbers.getAcquire in feeding  time was read
   */
  private final AtomicLongArray numbers = new AtomicLongArray(SLOTS);
  private final long[] times = new long[SLOTS];

  /** Notes when a thing began. */
  void feeding(long number) {
    if ((number & (EVERY - 1)) != 0) {
      return;
    }
    int slot = slot(number);
    if (numbers.getAcquire(slot) == FREE) { // acquire B: the former time was read
      times[slot] = System.nanoTime();
      numbers.setRelease(slot, number); // release A: the time
    }
  }

  /** Returns how long ago the thing began, or {@link #NONE}. */
  long placed(long number) {
    if ((number & (EVERY - 1)) != 0) {
      return NONE;
    }
    int slot = slot(number);
    if (numbers.getAcquire(slot) != number) { // acquire A: the time of this number
      return NONE;
    }
    long began = times[slot];
    numbers.setRelease(slot, FREE); // release B: the time was read
    return System.nanoTime() - began;
  }

  private static int slot(long number) {
    return (int) (number / EVERY) & (SLOTS - 1);
  }
}
