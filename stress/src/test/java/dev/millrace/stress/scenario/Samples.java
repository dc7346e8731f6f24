package dev.millrace.stress.scenario;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.OffHeapQueue.Counters;
import dev.millrace.simulator.Simulation;

/** Looks at a queue from outside. */
final class Samples {
  private Samples() {}

  /** Takes a picture: records are whole, each is there once, and no more than fit. */
  static void look(Simulation run, OffHeapQueue<Pair> queue) {
    long[] seen = new long[1];
    int shown =
        queue.snapshot(
            pair -> {
              long bit = 1L << pair.whole();
              run.check((seen[0] & bit) == 0, "shown twice: " + pair.whole());
              seen[0] |= bit;
            });
    run.check(shown == Long.bitCount(seen[0]), "shown in all: " + shown);
  }

  /** Takes counts twice, of a queue that not more than so many slots are ever claimed of. */
  static void count(Simulation run, OffHeapQueue<Pair> queue, int most) {
    int size = queue.sizeEstimate();
    run.check(size >= 0 && size <= queue.capacity(), "of size " + size);
    Counters first = queue.counters();
    check(run, queue, first, most);
    Counters second = queue.counters();
    check(run, queue, second, most);
    run.check(
        second.claimed() >= first.claimed()
            && second.consumed() >= first.consumed()
            && second.aborted() >= first.aborted()
            && second.highWater() >= first.highWater(),
        first + " became " + second);
  }

  private static void check(Simulation run, OffHeapQueue<Pair> queue, Counters counters, int most) {
    run.check(
        counters.claimed() <= most
            && counters.committed() <= most
            && counters.consumed() <= most
            && counters.consumed() >= 0
            && counters.aborted() <= counters.claimed()
            && counters.highWater() <= queue.capacity(),
        counters.toString());
  }

  static void expect(Simulation run, OffHeapQueue<Pair> queue, Counters expected) {
    Counters counters = queue.counters();
    run.check(counters.equals(expected), "is " + counters + ", should be " + expected);
  }

  /** The records that a picture shows. */
  static String shown(OffHeapQueue<Pair> queue) {
    StringBuilder values = new StringBuilder();
    queue.snapshot(pair -> values.append(' ').append(pair.whole()));
    return values.toString().strip();
  }
}
