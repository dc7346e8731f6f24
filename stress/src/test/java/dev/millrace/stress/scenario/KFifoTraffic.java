package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.simulator.Simulation;

/**
 * What has gone through a {@link KFifoQueue}, and when: each record comes once, and no more
 * overtake it than k allows. Records are numbered from 1.
 */
final class KFifoTraffic {
  private static final int MOST = 16;

  final KFifoQueue<Duo> queue;
  private final Simulation run;

  // in arrays, which are not shared memory to the simulator: for checks only
  private final long[] clock = new long[1];
  private final long[] commitBegin = new long[MOST];
  private final long[] commitEnd = new long[MOST];
  private final long[] pollBegin = new long[MOST];
  private final long[] pollEnd = new long[MOST];

  KFifoTraffic(Simulation run, KFifoQueue<Duo> queue) {
    this.run = run;
    this.queue = queue;
    run.atEnd(this::checkOrder);
  }

  /** Adds a thread that puts records, if there is room. */
  void addProducer(int first, int count) {
    Producer<Duo> producer = queue.newProducer();
    run.thread(
        "producer of " + first,
        () -> {
          for (int value = first; value < first + count; value++) {
            put(producer, value);
          }
        });
  }

  /** Adds a thread that takes records, if there are some. */
  void addConsumer(String name, int tries) {
    Consumer<Duo> consumer = queue.newConsumer();
    run.thread(
        name,
        () -> {
          for (int i = 0; i < tries; i++) {
            take(consumer);
          }
        });
  }

  void put(Producer<Duo> producer, int value) {
    Duo duo = producer.tryClaim();
    if (duo != null) {
      duo.first(value).second(-value);
      commitBegin[value] = ++clock[0];
      producer.commit();
      commitEnd[value] = ++clock[0];
    }
  }

  boolean take(Consumer<Duo> consumer) {
    long begin = ++clock[0];
    Duo duo = consumer.tryPoll();
    if (duo == null) {
      return false;
    }
    long end = ++clock[0];
    int value = came(duo);
    pollBegin[value] = begin;
    pollEnd[value] = end;
    consumer.release();
    return true;
  }

  /** Notes a record whose time is not known: it neither overtakes nor is overtaken. */
  int came(Duo duo) {
    int number = (int) duo.first();
    run.check(duo.second() == -number, "torn record: " + number + ", " + duo.second());
    run.check(number > 0 && commitBegin[number] > 0, "a record that nobody sent: " + number);
    run.check(pollEnd[number] == 0, "a record that came twice: " + number);
    pollBegin[number] = 0;
    pollEnd[number] = Long.MAX_VALUE;
    return number;
  }

  /** Takes what is left, and checks that everything that was committed came. */
  private void checkOrder() {
    Consumer<Duo> last = queue.newConsumer();
    while (take(last)) {
      // until it is empty
    }
    for (int x = 1; x < MOST; x++) {
      run.check(commitEnd[x] == 0 || pollEnd[x] != 0, "a record that is lost: " + x);
      int overtakes = 0;
      for (int y = 1; y < MOST; y++) {
        boolean isLater = commitEnd[x] > 0 && commitBegin[y] > commitEnd[x];
        overtakes += isLater && pollEnd[y] < pollBegin[x] ? 1 : 0;
      }
      run.check(overtakes < queue.k(), overtakes + " have overtaken " + x);
    }
  }
}
