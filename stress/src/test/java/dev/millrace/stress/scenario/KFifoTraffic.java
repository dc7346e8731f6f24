package dev.millrace.stress.scenario;

import dev.millrace.queues.KFifoQueue;
import dev.millrace.simulator.Simulation;

/**
 * What has gone through a {@link KFifoQueue}, and when: each record comes once, and no more
 * overtake it than k allows. Records are numbered from 1.
 */
final class KFifoTraffic {
  private static final int MOST = 16;

  private final Simulation run;
  private final KFifoQueue<Pair> queue;

  // in arrays, which are not shared memory to the simulator: for checks only
  private final long[] clock = new long[1];
  private final long[] commitBegin = new long[MOST];
  private final long[] commitEnd = new long[MOST];
  private final long[] pollBegin = new long[MOST];
  private final long[] pollEnd = new long[MOST];

  KFifoTraffic(Simulation run, KFifoQueue<Pair> queue) {
    this.run = run;
    this.queue = queue;
    run.atEnd(this::checkOrder);
  }

  /** Adds a thread that puts records, if there is room. */
  void addProducer(int first, int count) {
    run.thread(
        "producer of " + first,
        () -> {
          Pair pair = queue.newFlyweight();
          for (int value = first; value < first + count; value++) {
            put(pair, value);
          }
        });
  }

  /** Adds a thread that takes records, if there are some. */
  void addConsumer(String name, int tries) {
    run.thread(
        name,
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < tries; i++) {
            take(pair);
          }
        });
  }

  void put(Pair pair, int value) {
    if (queue.tryClaim(pair)) {
      commit(pair, value);
    }
  }

  void commit(Pair pair, int value) {
    pair.set(value);
    commitBegin[value] = ++clock[0];
    queue.commit(pair);
    commitEnd[value] = ++clock[0];
  }

  boolean take(Pair pair) {
    long begin = ++clock[0];
    if (!queue.tryPoll(pair)) {
      return false;
    }
    long end = ++clock[0];
    int value = (int) pair.whole();
    came(value);
    pollBegin[value] = begin;
    pollEnd[value] = end;
    queue.release(pair);
    return true;
  }

  /** Notes a record whose time is not known: it neither overtakes nor is overtaken. */
  void came(long value) {
    int number = (int) value;
    run.check(number > 0 && commitBegin[number] > 0, "a record that nobody sent: " + value);
    run.check(pollEnd[number] == 0, "a record that came twice: " + value);
    pollBegin[number] = 0;
    pollEnd[number] = Long.MAX_VALUE;
  }

  /** Takes what is left, and checks that everything that was committed came. */
  private void checkOrder() {
    if (!queue.isDrained()) {
      Pair pair = queue.newFlyweight();
      while (take(pair)) {
        // until it is empty
      }
    }
    checkAllCame();
    for (int x = 1; x < MOST; x++) {
      int overtakes = 0;
      for (int y = 1; y < MOST; y++) {
        boolean isLater = commitEnd[x] > 0 && commitBegin[y] > commitEnd[x];
        overtakes += isLater && pollEnd[y] < pollBegin[x] ? 1 : 0;
      }
      run.check(overtakes < queue.k(), overtakes + " have overtaken " + x);
    }
  }

  void checkAllCame() {
    for (int value = 1; value < MOST; value++) {
      run.check(commitEnd[value] == 0 || pollEnd[value] != 0, "a record that is lost: " + value);
    }
  }
}
