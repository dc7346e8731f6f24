package dev.millrace.stress.lincheck;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.QueueOptions;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeoutException;

/**
 * The operations on a queue of many producers, whose slots are handed on by stamps, that the trials
 * choose from. Answers are texts, so that a result that is none of a record's shows.
 */
class StampedOperations {
  static final String DONE = "done";
  static final String FULL = "full";
  static final String EMPTY = "empty";
  static final String CLOSED = "closed";
  static final String NONE_OPEN = "none open";
  static final String ONE_OPEN = "one open";

  /** The least, so that positions wrap after two records. */
  static final int CAPACITY = 2;

  /** Both sides spin: the model checker makes another thread go on. */
  static final QueueOptions OPTIONS =
      QueueOptions.ofCapacity(CAPACITY)
          .withProducerWaits(WaitStrategy.busySpin())
          .withConsumerWaits(WaitStrategy.busySpin());

  final OffHeapQueue<Triple> queue;

  StampedOperations(OffHeapQueue<Triple> queue) {
    this.queue = queue;
  }

  /** Any thread may be a producer or a consumer, with a flyweight of its own for each call. */
  final Triple flyweight() {
    return new Triple(queue.memory()); // newFlyweight() refuses once the queue is drained
  }

  final Triple on(long offset) {
    Triple flyweight = flyweight();
    flyweight.moveTo(offset);
    return flyweight;
  }

  // ---- relaxed ----

  String tryPut(long value) {
    long offset = queue.tryClaim();
    if (offset < 0) {
      return nothing(offset);
    }
    on(offset).write(value);
    return end(queue.commit(offset));
  }

  String tryAbort(long value) {
    long offset = queue.tryClaim();
    if (offset < 0) {
      return nothing(offset);
    }
    on(offset).write(value);
    queue.abort(offset);
    return DONE;
  }

  String tryPutRun(long value) {
    Triple claimed;
    try {
      claimed = queue.newFlyweight();
      if (!queue.tryClaim(claimed, 2)) {
        return FULL;
      }
    } catch (IllegalStateException e) {
      return CLOSED;
    }
    claimed.write(value);
    claimed.next();
    claimed.write(-value);
    return end(queue.commit(claimed));
  }

  String tryTake() {
    long offset = queue.tryPoll();
    if (offset < 0) {
      return nothing(offset);
    }
    String record = on(offset).read();
    queue.release(offset);
    return record;
  }

  String tryTakeRun(int limit) {
    Triple polled;
    try {
      polled = queue.newFlyweight();
    } catch (IllegalStateException e) {
      return CLOSED;
    }
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

  String tryDrainOne() {
    StringBuilder records = new StringBuilder();
    int count = queue.drain(flyweight(), record -> records.append(record.read()), 1);
    return count <= 0 ? nothing(count) : records.toString();
  }

  // ---- strict ----

  /** A put that says "full" truthfully. */
  String put(long value) throws InterruptedException, TimeoutException {
    Triple claimed = flyweight();
    try {
      if (!queue.strictClaim(claimed)) {
        return FULL;
      }
    } catch (IllegalStateException e) {
      return CLOSED;
    }
    claimed.write(value);
    return end(queue.commit(claimed));
  }

  /** A take that says "empty" truthfully, be the queue closed or not. */
  String take() throws InterruptedException, TimeoutException {
    Triple polled = flyweight();
    if (!queue.strictPoll(polled)) {
      return EMPTY;
    }
    String record = polled.read();
    queue.release(polled);
    return record;
  }

  // ---- planted bugs ----

  /** A put whose record is written after its commit. */
  final String putCommittedFirst(long value) {
    long offset = queue.tryClaim();
    if (offset < 0) {
      return nothing(offset);
    }
    boolean committed = queue.commit(offset);
    on(offset).write(value);
    return end(committed);
  }

  /** A take whose record is read after its slot was given back. */
  final String takeReleasedFirst() {
    long offset = queue.tryPoll();
    if (offset < 0) {
      return nothing(offset);
    }
    queue.release(offset);
    return on(offset).read();
  }

  /** A take's answer, where closed, and nothing there, is taken for drained. */
  final String endedEarly(String answer) {
    return answer.equals(EMPTY) && queue.isClosed() ? CLOSED : answer;
  }

  // ---- answers ----

  static String end(boolean committed) {
    return committed ? DONE : "refused"; // no queue here has a stall limit
  }

  static String nothing(long code) {
    if (code == OffHeapQueue.FULL) {
      return FULL;
    }
    return code == OffHeapQueue.CLOSED ? CLOSED : EMPTY;
  }

  /** A producer that keeps a claim open from one call to another. */
  final class Producer {
    private static final long NONE = -1;

    private long open = NONE;

    String claim() {
      if (open != NONE) {
        return ONE_OPEN;
      }
      long offset = queue.tryClaim();
      if (offset < 0) {
        return nothing(offset);
      }
      open = offset;
      return DONE;
    }

    String commit(long value) {
      if (open == NONE) {
        return NONE_OPEN;
      }
      long offset = open;
      open = NONE;
      on(offset).write(value);
      return end(queue.commit(offset));
    }

    String abort() {
      if (open == NONE) {
        return NONE_OPEN;
      }
      queue.abort(open);
      open = NONE;
      return DONE;
    }
  }

  /** A plain bounded queue, first in, first out: the specification of the strict forms. */
  public static final class Fifo {
    private final Queue<Long> records = new ArrayDeque<>();
    private boolean closed;

    public String offer(long value) {
      if (closed) {
        return CLOSED;
      }
      if (records.size() == CAPACITY) {
        return FULL;
      }
      records.add(value);
      return DONE;
    }

    public String poll() {
      return records.isEmpty() ? EMPTY : Long.toString(records.remove());
    }

    public void complete() {
      closed = true;
    }
  }
}
