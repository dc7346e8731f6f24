package dev.millrace.stress;

import dev.millrace.queues.KFifoQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A producer of the soak of a {@link KFifoQueue}, which writes down what it did and when. */
final class KFifoProducer {
  private static final long NOT_CLAIMED = -1;
  private static final int ONE_WAIT_IN = 4;
  private static final int ONE_ABORT_IN = 16;
  private static final int ONE_NESTED_IN = 8;
  private static final int ONE_YIELD_IN = 64;
  private static final int ONE_REST_IN = 4_096;
  private static final long MOST_REST_NANOS = 500_000;

  private final KFifoQueue<Entry> queue;
  private final KFifoLedger.Log log;
  private final long step;
  private final long endNumber;
  private final boolean waits;
  private final Entry entry;
  private final Entry second;
  private final SplittableRandom random;
  private long nextNumber;
  private boolean closed;
  private volatile boolean isThrough;

  /**
   * Makes a producer, for one thread.
   *
   * @param producer its index, which is also its first number
   * @param producers how far its numbers are apart
   * @param records how many records all producers make at the most
   * @param waits whether it waits now and then
   */
  KFifoProducer(
      KFifoQueue<Entry> queue,
      KFifoLedger.Log log,
      int producer,
      int producers,
      long records,
      boolean waits,
      long seed) {
    this.queue = queue;
    this.log = log;
    this.nextNumber = producer;
    this.step = producers;
    this.endNumber = records;
    this.waits = waits;
    this.entry = queue.newFlyweight();
    this.second = queue.newFlyweight();
    this.random = new SplittableRandom(seed);
  }

  /** Whether it makes no more records, for any thread. */
  boolean isThrough() {
    return isThrough;
  }

  /** Puts all its records, or until the queue is closed. */
  void run() throws InterruptedException {
    while (!closed && nextNumber < endNumber) {
      long begin = claim(entry, waits && random.nextInt(ONE_WAIT_IN) == 0);
      if (begin == NOT_CLAIMED) {
        Thread.yield();
        continue;
      }
      long number = write(entry);
      if (random.nextInt(ONE_NESTED_IN) == 0) {
        nest();
      }
      linger(random);
      end(entry, begin, number);
    }
    isThrough = true;
  }

  /** A claim while the first is open, and ended before it; without waiting, or all might. */
  private void nest() throws InterruptedException {
    long begin = claim(second, false);
    if (begin != NOT_CLAIMED) {
      end(second, begin, write(second));
    }
  }

  /** Claims; tells when the call that got the claim began. */
  private long claim(Entry claimed, boolean mayWait) throws InterruptedException {
    long begin = log.now();
    try {
      if (queue.tryClaim(claimed)) {
        return begin;
      }
      log.foundFull(log.since(begin));
      if (mayWait) {
        begin = log.now();
        if (waitToClaim(claimed)) {
          return begin;
        }
        log.foundFull(log.since(begin));
      }
    } catch (IllegalStateException e) {
      // it may come before isClosed() tells so
      if (!e.getMessage().startsWith("queue must be open")) {
        throw e;
      }
      log.foundClosed(log.since(begin));
      closed = true;
    }
    return NOT_CLAIMED;
  }

  private boolean waitToClaim(Entry claimed) throws InterruptedException {
    return random.nextBoolean()
        ? queue.claim(claimed)
        : queue.claim(claimed, random.nextLong(MOST_REST_NANOS), TimeUnit.NANOSECONDS);
  }

  private long write(Entry claimed) {
    long number = nextNumber;
    claimed.number(number);
    nextNumber += step;
    return number;
  }

  private void end(Entry claimed, long claimBegin, long number) {
    if (random.nextInt(ONE_ABORT_IN) == 0) {
      claimed.poison();
      long begin = log.now();
      queue.abort(claimed);
      log.aborted(claimBegin, log.since(begin));
    } else {
      long begin = log.now();
      queue.commit(claimed);
      log.committed(number, claimBegin, log.since(begin));
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
