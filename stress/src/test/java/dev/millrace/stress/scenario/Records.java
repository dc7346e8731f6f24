package dev.millrace.stress.scenario;

import dev.millrace.queues.OffHeapQueue;
import java.util.function.LongConsumer;

/** Steps that many scenarios take. */
final class Records {
  static final long NONE = -1;

  private Records() {}

  /** Commits a record of a value; false if the queue is full. */
  static boolean offer(OffHeapQueue<Pair> queue, Pair pair, long value) {
    if (!queue.tryClaim(pair)) {
      return false;
    }
    pair.set(value);
    queue.commit(pair);
    return true;
  }

  /** Commits a run of records of ascending values; false if there is not room for all. */
  static boolean offerRun(OffHeapQueue<Pair> queue, Pair pair, long first, int count) {
    if (!queue.tryClaim(pair, count)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      pair.set(first + i);
      pair.next();
    }
    queue.commit(pair);
    return true;
  }

  /** Takes a record and returns its value, or {@link #NONE}. */
  static long poll(OffHeapQueue<Pair> queue, Pair pair) {
    if (!queue.tryPoll(pair)) {
      return NONE;
    }
    long value = pair.whole();
    queue.release(pair);
    return value;
  }

  /** Drains, with a handler that tells the value of a record and then throws. */
  static void drainAndThrow(OffHeapQueue<Pair> queue, Pair pair, LongConsumer values) {
    try {
      queue.drain(
          pair,
          record -> {
            values.accept(record.whole());
            throw new IllegalStateException("the handler's");
          },
          4);
    } catch (IllegalStateException e) {
      if (!e.getMessage().equals("the handler's")) {
        throw e;
      }
    }
  }

  /** Whether a use is refused by an exception. */
  static boolean refuses(Runnable use) {
    try {
      use.run();
      return false;
    } catch (IllegalStateException | IllegalArgumentException e) {
      return true;
    }
  }
}
