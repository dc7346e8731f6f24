package dev.millrace.disruptor;

import dev.millrace.disruptor.TestRing.Event;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often it was given each value, and checks that sequences rise. */
final class CountingHandler implements BatchHandler<Event> {
  private final AtomicInteger handled = new AtomicInteger();
  private final int[] times;
  private long last = -1;

  CountingHandler(int count) {
    times = new int[count];
  }

  @Override
  public void onBatch(Batch<Event> batch) {
    while (batch.next()) {
      if (batch.sequence() <= last) {
        throw new AssertionError("sequence " + batch.sequence() + " after " + last);
      }
      last = batch.sequence();
      times[(int) batch.event().value()]++;
      handled.incrementAndGet();
    }
  }

  int handled() {
    return handled.get();
  }

  /** How often each value was given to any of them, when they have ended. */
  static int[] total(Collection<CountingHandler> all) {
    int[] total = new int[all.iterator().next().times.length];
    for (CountingHandler one : all) {
      Arrays.setAll(total, value -> total[value] + one.times[value]);
    }
    return total;
  }

  int[] times() {
    return total(List.of(this));
  }

  static int[] once(int count) {
    int[] times = new int[count];
    Arrays.fill(times, 1);
    return times;
  }
}
