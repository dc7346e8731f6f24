package dev.millrace.stress;

import dev.millrace.core.Consumer;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.stress.Overtakes.Span;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/** A thread of the soak of a {@link KFifoQueue} that takes, and writes down what and when. */
final class KFifoTaker implements Crew.Watched {
  private static final int MOST_HELD = 4;
  private static final int ONE_DRAIN_IN = 8;
  private static final int ONE_HELD_IN = 4;
  private static final int LONGEST_DRAIN = 16;
  private static final long MOST_WAIT_NANOS = 500_000;

  /** A record that was polled and is not yet released. */
  private record Held(Consumer<Entry> end, Entry entry, long number, Span poll) {}

  private final KFifoLedger.Log log;
  private final boolean waits;
  private final Deque<Consumer<Entry>> free = new ArrayDeque<>();
  private final List<Held> held = new ArrayList<>();
  private final SplittableRandom random;
  private boolean isEnd;
  private volatile long rounds;
  private volatile long taken;

  /**
   * Makes one, for one thread.
   *
   * @param waits whether it waits now and then
   */
  KFifoTaker(KFifoQueue<Entry> queue, KFifoLedger.Log log, boolean waits, long seed) {
    this.log = log;
    this.waits = waits;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < MOST_HELD; i++) {
      free.add(queue.newConsumer());
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
  @SuppressWarnings("NonAtomicVolatileUpdate") // only this thread writes it
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
    if (!poll(false) && !isEnd && waits && random.nextBoolean()) {
      poll(true);
    }
  }

  private boolean poll(boolean mayWait) throws InterruptedException {
    Consumer<Entry> end = free.element();
    long begin = log.now();
    Entry entry = mayWait ? waitToPoll(end) : end.tryPoll();
    if (entry == null) {
      none(begin);
    } else {
      take(free.remove(), entry, begin);
    }
    return entry != null;
  }

  private Entry waitToPoll(Consumer<Entry> end) throws InterruptedException {
    return random.nextBoolean()
        ? end.poll()
        : end.poll(Duration.ofNanos(random.nextLong(MOST_WAIT_NANOS)));
  }

  /** There was none: gives back all cells, for producers may wait for them. */
  private void none(long begin) {
    log.foundEmpty(log.since(begin));
    while (!held.isEmpty()) {
      release();
    }
    if (free.element().isDrained()) {
      log.toldEnd();
      isEnd = true;
    } else {
      Thread.yield();
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // only this thread writes it
  private void take(Consumer<Entry> end, Entry entry, long begin) {
    Span poll = log.since(begin);
    held.add(new Held(end, entry, entry.wholeNumber(), poll));
    taken++;
    KFifoPutter.linger(random);
    while (held.size() == MOST_HELD || (!held.isEmpty() && random.nextInt(ONE_HELD_IN) != 0)) {
      release();
    }
  }

  /** Gives back one of those that it holds. */
  private void release() {
    Held one = held.remove(random.nextInt(held.size()));
    Ledger.check("number of a record that is held", one.entry.wholeNumber(), one.number);
    long begin = log.now();
    one.end.release();
    log.taken(one.number, one.poll, log.since(begin));
    free.add(one.end);
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // only this thread writes it
  private void drain(int limit) {
    Drained drained = new Drained();
    int count = free.element().drain(drained::take, limit);
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
