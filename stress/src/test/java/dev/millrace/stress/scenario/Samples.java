package dev.millrace.stress.scenario;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.OffHeapQueue.Counters;
import dev.millrace.simulator.Simulation;

/** Looks at a queue from outside. */
final class Samples {
  private Samples() {}

  /** Takes a picture of one producer's records: they are whole, and in order. */
  static void look(Simulation run, OffHeapQueue<Pair> queue) {
    long[] last = {-1};
    int[] seen = new int[1];
    int shown =
        queue.snapshot(
            pair -> {
              long value = pair.whole();
              run.check(value > last[0], value + " is shown after " + last[0]);
              last[0] = value;
              seen[0]++;
            });
    run.check(shown == seen[0], "shown in all: " + shown);
  }

  /** Takes a picture of a full queue of two while its first slot is used again. */
  static void lookAtReuse(Simulation run, OffHeapQueue<Pair> queue) {
    Records.offerRun(queue, queue.newFlyweight(), 1, 2);
    run.thread("consumer", () -> Records.poll(queue, queue.newFlyweight()));
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          while (!Records.offer(queue, pair, 3)) {
            Thread.onSpinWait();
          }
        });
    run.thread("sampler", () -> look(run, queue));
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
