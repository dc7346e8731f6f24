package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.queues.KFifoQueue;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** A thread of the soak of a {@link KFifoQueue} that puts, and writes down what and when. */
final class KFifoPutter {
  private static final int ONE_WAIT_IN = 4;
  private static final int ONE_ABORT_IN = 16;
  private static final int ONE_NESTED_IN = 8;
  private static final int ONE_YIELD_IN = 64;
  private static final int ONE_REST_IN = 4_096;
  private static final long MOST_REST_NANOS = 500_000;

  /** A record that was claimed and written; begin is that of the call that got it. */
  private record Claim(Producer<Entry> end, Entry entry, long number, long begin) {}

  private final KFifoLedger.Log log;
  private final long step;
  private final long endNumber;
  private final boolean waits;
  private final Producer<Entry> first;
  private final Producer<Entry> second;
  private final SplittableRandom random;
  private long nextNumber;
  private boolean isCompleted;
  private volatile boolean isThrough;

  /**
   * Makes one, for one thread.
   *
   * @param producer its index, which is also its first number
   * @param producers how far its numbers are apart
   * @param records how many records all producers make at the most
   * @param waits whether it waits now and then
   */
  KFifoPutter(
      KFifoQueue<Entry> queue,
      KFifoLedger.Log log,
      int producer,
      int producers,
      long records,
      boolean waits,
      long seed) {
    this.log = log;
    this.nextNumber = producer;
    this.step = producers;
    this.endNumber = records;
    this.waits = waits;
    this.first = queue.newProducer();
    this.second = queue.newProducer();
    this.random = new SplittableRandom(seed);
  }

  /** Whether it makes no more records, for any thread. */
  boolean isThrough() {
    return isThrough;
  }

  /** Puts all its records, or until the queue is completed. */
  void run() throws InterruptedException {
    while (!isCompleted && nextNumber < endNumber) {
      Claim claim = claim(first, waits && random.nextInt(ONE_WAIT_IN) == 0);
      if (claim == null) {
        Thread.yield();
        continue;
      }
      if (random.nextInt(ONE_NESTED_IN) == 0) {
        nest();
      }
      linger(random);
      end(claim);
    }
    isThrough = true;
  }

  /** A claim while the first is open, and ended before it; without waiting, or all might. */
  private void nest() throws InterruptedException {
    Claim claim = claim(second, false);
    if (claim != null) {
      end(claim);
    }
  }

  /** Claims a record and writes it, or returns null. */
  private Claim claim(Producer<Entry> end, boolean mayWait) throws InterruptedException {
    long begin = log.now();
    try {
      Entry entry = end.tryClaim();
      if (entry == null) {
        log.foundFull(log.since(begin));
      }
      if (entry == null && mayWait) {
        begin = log.now();
        entry = waitToClaim(end);
        if (entry == null) {
          log.foundFull(log.since(begin));
        }
      }
      return entry == null ? null : write(end, entry, begin);
    } catch (IllegalStateException e) {
      if (!e.getMessage().startsWith("queue must not be completed")) {
        throw e;
      }
      log.foundCompleted(log.since(begin));
      isCompleted = true;
      return null;
    }
  }

  private Entry waitToClaim(Producer<Entry> end) throws InterruptedException {
    return random.nextBoolean()
        ? end.claim()
        : end.claim(Duration.ofNanos(random.nextLong(MOST_REST_NANOS)));
  }

  private Claim write(Producer<Entry> end, Entry entry, long begin) {
    long number = nextNumber;
    entry.number(number);
    nextNumber += step;
    return new Claim(end, entry, number, begin);
  }

  private void end(Claim claim) {
    if (random.nextInt(ONE_ABORT_IN) == 0) {
      claim.entry.poison();
      long begin = log.now();
      claim.end.abort();
      log.aborted(claim.begin, log.since(begin));
    } else {
      long begin = log.now();
      claim.end.commit();
      log.committed(claim.number, claim.begin, log.since(begin));
    }
  }

  /** Now and then lets others go first, or stops for a while. */
  static void linger(SplittableRandom random) {
    if (random.nextInt(ONE_YIELD_IN) == 0) {
      Thread.yield();
    } else if (random.nextInt(ONE_REST_IN) == 0) {
      LockSupport.parkNanos(random.nextLong(MOST_REST_NANOS));
    }
  }
}
