package dev.millrace.stress;

import dev.millrace.queues.OffHeapQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;

/** A consumer of the soaks that uses every form of poll, and checks each record. */
final class SoakConsumer implements Crew.Watched {
  private static final int ONE_THROW_IN = 64;

  /** Thrown by a handler, now and then. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown() {
      super("handler", null, false, false);
    }
  }

  private final OffHeapQueue<Entry> queue;
  private final Ledger.Taken taken;
  private final int producers;
  private final int run;
  private final Entry entry;
  private final SplittableRandom random;
  private final AtomicLongArray seen;
  private volatile long rounds;
  private boolean asksForEnd;

  /**
   * Makes a consumer, for one thread.
   *
   * @param run the longest run that it polls
   */
  SoakConsumer(OffHeapQueue<Entry> queue, int producers, int run, long seed) {
    this.queue = queue;
    this.producers = producers;
    this.taken = new Ledger.Taken(producers);
    this.run = run;
    this.entry = queue.newFlyweight();
    this.random = new SplittableRandom(seed);
    this.seen = new AtomicLongArray(producers);
    for (int i = 0; i < producers; i++) {
      seen.set(i, -1);
    }
  }

  Ledger.Taken taken() {
    return taken;
  }

  @Override
  public long rounds() {
    return rounds;
  }

  /** A number at or below the last one that was taken of a producer's, for any thread. */
  long seen(int producer) {
    return seen.get(producer);
  }

  @Override
  public long seenSum() {
    long sum = 0;
    for (int i = 0; i < producers; i++) {
      sum += seen.get(i);
    }
    return sum;
  }

  /** Takes records, in a form of its choice; returns how many, or that there will be none. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  int step() throws InterruptedException {
    // only some forms tell the end from an empty queue
    int form = asksForEnd ? 0 : random.nextInt(6);
    int count =
        switch (form) {
          case 0 -> polledRun(queue.poll(entry, 1 + random.nextInt(run)));
          case 1 -> drained(1 + random.nextInt(run));
          case 2 -> byOffset();
          case 3 -> polled(queue.tryPoll(entry));
          case 4 -> polled(queue.poll(entry));
          default -> strict();
        };
    asksForEnd = count == 0;
    rounds++;
    return count;
  }

  private int polledRun(int count) {
    for (int i = 0; i < count; i++, entry.next()) {
      take(entry);
    }
    if (count > 0) {
      queue.release(entry);
    }
    return count;
  }

  private int drained(int limit) {
    long before = taken.count();
    int throwAt = random.nextInt(ONE_THROW_IN) == 0 ? 1 + random.nextInt(limit) : 0;
    try {
      return queue.drain(
          entry,
          record -> {
            take(record);
            if (taken.count() - before == throwAt) {
              throw new Thrown();
            }
          },
          limit);
    } catch (Thrown e) {
      return (int) (taken.count() - before);
    }
  }

  private int byOffset() {
    long offset = queue.tryPoll();
    if (offset < 0) {
      return offset == OffHeapQueue.CLOSED ? OffHeapQueue.CLOSED : 0;
    }
    entry.moveTo(offset);
    take(entry);
    queue.release(offset);
    return 1;
  }

  private int strict() throws InterruptedException {
    try {
      return polled(queue.strictPoll(entry));
    } catch (TimeoutException e) {
      return 0;
    }
  }

  private int polled(boolean isRecord) {
    if (isRecord) {
      take(entry);
      queue.release(entry);
    }
    return isRecord ? 1 : 0;
  }

  private void take(Entry record) {
    long number = record.wholeNumber();
    taken.take(number);
    seen.lazySet((int) (number % producers), number);
  }
}
