package dev.millrace.stress.lincheck;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.SpscQueue;

/**
 * The operations on an {@link SpscQueue} that the trials choose from, each from claim to commit or
 * from poll to release. Answers are texts, so that a result that is none of a record's shows.
 */
class SpscOperations {
  static final String DONE = "done";
  static final String FULL = "full";
  static final String EMPTY = "empty";
  static final String CLOSED = "closed";

  /** The least, so that positions wrap after two records. */
  static final int CAPACITY = 2;

  final SpscQueue<Triple> queue = SpscQueue.of(CAPACITY, Triple::new);
  final Triple claimed = queue.newFlyweight();
  final Triple polled = queue.newFlyweight();

  String tryOffer(long value) {
    if (queue.isClosed()) { // only the producer completes, so this does not change meanwhile
      return CLOSED;
    }
    if (!queue.tryClaim(claimed)) {
      return FULL;
    }
    claimed.write(value);
    queue.commit(claimed);
    return DONE;
  }

  String tryOfferRun(long value) {
    if (!queue.tryClaim(claimed, 2)) {
      return FULL;
    }
    claimed.write(value);
    claimed.next();
    claimed.write(-value);
    queue.commit(claimed);
    return DONE;
  }

  String tryAbort(long value) {
    long offset = queue.tryClaim();
    if (offset < 0) {
      return nothing(offset);
    }
    claimed.moveTo(offset);
    claimed.write(value);
    queue.abort(offset);
    return DONE;
  }

  String tryPoll() {
    long offset = queue.tryPoll();
    if (offset < 0) {
      return nothing(offset);
    }
    polled.moveTo(offset);
    String record = polled.read();
    queue.release(offset);
    return record;
  }

  String tryPollRun(int limit) {
    int count = queue.tryPoll(polled, limit);
    if (count <= 0) {
      return nothing(count);
    }
    StringBuilder records = new StringBuilder(polled.read());
    for (int i = 1; i < count; i++) {
      polled.next();
      records.append(' ').append(polled.read());
    }
    queue.release(polled);
    return records.toString();
  }

  String tryDrain(int limit) {
    StringBuilder records = new StringBuilder();
    int count =
        queue.drain(
            polled,
            record -> records.append(records.isEmpty() ? "" : " ").append(record.read()),
            limit);
    return count <= 0 ? nothing(count) : records.toString();
  }

  private static String nothing(long code) {
    if (code == OffHeapQueue.FULL) {
      return FULL;
    }
    return code == OffHeapQueue.CLOSED ? CLOSED : EMPTY;
  }
}
