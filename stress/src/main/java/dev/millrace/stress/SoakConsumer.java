package dev.millrace.stress;

import dev.millrace.core.Consumer;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpscConsumer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;

/** A consumer of the soaks that uses every form of poll, and checks each record. */
final class SoakConsumer implements Crew.Watched {
  /** What {@link #step} returns when there will be no more. */
  static final int DRAINED = -1;

  private static final int ONE_THROW_IN = 64;
  private static final Duration LONGEST_WAIT = Duration.ofNanos(500_000);

  /** Thrown by a handler, now and then. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown() {
      super("handler", null, false, false);
    }
  }

  private final Consumer<Entry> end;
  private final Ledger.Taken taken;
  private final int producers;
  private final int run;
  private final boolean staysToTheEnd;
  private final SplittableRandom random;
  private final AtomicLongArray seen;
  private volatile long rounds;
  private MemorySegment memory;

  /**
   * Makes a consumer, for one thread.
   *
   * @param run the longest run that it polls
   * @param staysToTheEnd whether it may wait until there is a record, or the queue is drained
   */
  SoakConsumer(Consumer<Entry> end, int producers, int run, boolean staysToTheEnd, long seed) {
    this.end = end;
    this.producers = producers;
    this.taken = new Ledger.Taken(producers);
    this.run = run;
    this.staysToTheEnd = staysToTheEnd;
    this.random = new SplittableRandom(seed);
    this.seen = new AtomicLongArray(producers);
    for (int i = 0; i < producers; i++) {
      seen.set(i, -1);
    }
  }

  Ledger.Taken taken() {
    return taken;
  }

  /** The memory that the records were in; null if there was none. */
  MemorySegment memory() {
    return memory;
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

  /** Takes records, in a form of its choice; returns how many, or {@link #DRAINED}. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  int step() throws InterruptedException {
    int limit = 1 + random.nextInt(run);
    int count =
        switch (random.nextInt(6)) {
          case 0 -> polledRun(staysToTheEnd ? end.poll(limit) : end.tryPoll(limit));
          case 1 -> drained(limit);
          case 2 -> polled(end.poll(LONGEST_WAIT));
          case 3 -> polled(end.tryPoll());
          case 4 -> polled(staysToTheEnd ? end.poll() : end.poll(LONGEST_WAIT));
          default -> polled(strict());
        };
    rounds++;
    return count == 0 && end.isDrained() ? DRAINED : count;
  }

  private Entry strict() throws InterruptedException {
    return switch (end) {
      case MpscConsumer<Entry> mpsc -> mpsc.strictPoll();
      case MpmcConsumer<Entry> mpmc -> mpmc.strictPoll();
      default -> end.tryPoll();
    };
  }

  private int polledRun(int count) {
    for (int i = 0; i < count; i++) {
      take(end.at(i));
    }
    if (count > 0) {
      end.release();
    }
    return count;
  }

  private int drained(int limit) {
    long before = taken.count();
    int throwAt = random.nextInt(ONE_THROW_IN) == 0 ? 1 + random.nextInt(limit) : 0;
    try {
      return end.drain(
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

  private int polled(Entry record) {
    if (record == null) {
      return 0;
    }
    take(record);
    end.release();
    return 1;
  }

  private void take(Entry record) {
    long number = record.wholeNumber();
    taken.take(number);
    seen.lazySet((int) (number % producers), number);
    memory = record.memory();
  }
}
