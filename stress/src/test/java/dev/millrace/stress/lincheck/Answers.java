package dev.millrace.stress.lincheck;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What operations of queues answer: texts, so that a result that is none of a record's shows. And
 * what is the same in all of their trials.
 */
final class Answers {
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

  private Answers() {}

  static String end(boolean published) {
    return published ? DONE : "refused"; // nothing here has a stall limit
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
