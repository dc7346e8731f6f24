package dev.millrace.stress;

import dev.millrace.queues.KFifoQueue;
import dev.millrace.stress.Overtakes.Span;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A consumer of the soak of a {@link KFifoQueue}, which writes down what it did and when. */
final class KFifoConsumer implements Crew.Watched {
  private static final int MOST_HELD = 4;
  private static final int ONE_DRAIN_IN = 8;
  private static final int ONE_HELD_IN = 4;
  private static final int LONGEST_DRAIN = 16;
  private static final long MOST_WAIT_NANOS = 500_000;

  /** A record that was polled and is not yet released. */
  private record Held(Entry entry, long number, Span poll) {}

  private final KFifoQueue<Entry> queue;
  private final KFifoLedger.Log log;
  private final boolean waits;
  private final Deque<Entry> free = new ArrayDeque<>();
  private final List<Held> held = new ArrayList<>();
  private final SplittableRandom random;
  private boolean isEnd;
  private volatile long rounds;
  private volatile long taken;

  /**
   * Makes a consumer, for one thread.
   *
   * @param waits whether it waits now and then
   */
  KFifoConsumer(KFifoQueue<Entry> queue, KFifoLedger.Log log, boolean waits, long seed) {
    this.queue = queue;
    this.log = log;
    this.waits = waits;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < MOST_HELD; i++) {
      free.add(queue.newFlyweight());
    }
  }

  @Override
  public long rounds() {
    return rounds;
  }

  @Override
  public long seenSum() {
    return taken;
  }

  /** Takes records until the queue tells its end. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  void run() throws InterruptedException {
    while (!isEnd) {
      if (random.nextInt(ONE_DRAIN_IN) == 0) {
        drain(1 + random.nextInt(LONGEST_DRAIN));
      } else {
        poll();
      }
      rounds++;
    }
  }

  private void poll() throws InterruptedException {
    Entry entry = free.remove();
    long begin = log.now();
    if (queue.tryPoll(entry)) {
      take(entry, begin);
      return;
    }
    free.add(entry);
    none(begin);
    if (!isEnd && waits && random.nextBoolean()) {
      entry = free.remove();
      begin = log.now();
      if (waitToPoll(entry)) {
        take(entry, begin);
      } else {
        free.add(entry);
        none(begin);
      }
    }
  }

  private boolean waitToPoll(Entry entry) throws InterruptedException {
    return random.nextBoolean()
        ? queue.poll(entry)
        : queue.poll(entry, random.nextLong(MOST_WAIT_NANOS), TimeUnit.NANOSECONDS);
  }

  /** There was none: gives back all cells, for producers may wait for them. */
  private void none(long begin) {
    log.foundEmpty(log.since(begin));
    while (!held.isEmpty()) {
      release();
    }
    if (queue.isDrained()) {
      log.toldEnd();
      isEnd = true;
    } else {
      Thread.yield();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  private void take(Entry entry, long begin) {
    Span poll = log.since(begin);
    held.add(new Held(entry, entry.wholeNumber(), poll));
    taken++;
    KFifoProducer.linger(random);
    while (held.size() == MOST_HELD || (!held.isEmpty() && random.nextInt(ONE_HELD_IN) != 0)) {
      release();
    }
  }

  /** Gives back one of those that it holds. */
  private void release() {
    Held one = held.remove(random.nextInt(held.size()));
    Ledger.check("number of a record that is held", one.entry.wholeNumber(), one.number);
    long begin = log.now();
    queue.release(one.entry);
    log.taken(one.number, one.poll, log.since(begin));
    free.add(one.entry);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // only the consumer writes it
  private void drain(int limit) {
    Drained drained = new Drained();
    Entry entry = free.remove();
    int count = queue.drain(entry, drained::take, limit);
    free.add(entry);
    drained.endLast(log.now());
    taken += count;
    if (count < limit) {
      none(drained.lastEnd);
    }
  }

  /**
   * The records of a drain. Between two calls of the handler one is released, and then the next is
   * polled, which began and ended no earlier and no later than those calls.
   */
  private final class Drained {
    private long lastEnd = log.now();
    private long number = -1;
    private Span poll;

    void take(Entry entry) {
      long now = log.now();
      endLast(now);
      poll = new Span(lastEnd, now);
      number = entry.wholeNumber();
      lastEnd = log.now();
    }

    void endLast(long now) {
      if (number >= 0) {
        log.taken(number, poll, new Span(lastEnd, now));
        number = -1;
      }
    }
  }
}
