package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.QueueOperations.CAPACITY;
import static dev.millrace.stress.lincheck.QueueOperations.DONE;
import static dev.millrace.stress.lincheck.QueueOperations.EMPTY;
import static dev.millrace.stress.lincheck.QueueOperations.FULL;

import java.util.ArrayDeque;
import java.util.Queue;

/** A plain bounded queue, first in, first out: the specification of the strict forms. */
public class Fifo {
  private final Queue<Long> records = new ArrayDeque<>();
  private final int capacity;
  private boolean isCompleted;

  /** Of the trials' capacity. */
  public Fifo() {
    this(CAPACITY);
  }

  private Fifo(int capacity) {
    this.capacity = capacity;
  }

  public String offer(long value) {
    if (isCompleted) {
      throw new IllegalStateException("completed");
    }
    return records.size() < capacity && records.add(value) ? DONE + 1 : FULL;
  }

  public String strictOffer(long value) {
    return offer(value);
  }

  public String poll() {
    return text(records.poll());
  }

  public String strictPoll() {
    return poll();
  }

  public String peek() {
    return text(records.peek());
  }

  public String peekAtAny() {
    return peek();
  }

  public String peekByPolling() {
    return peek();
  }

  public void complete() {
    isCompleted = true;
  }

  private static String text(Long record) {
    return record == null ? EMPTY : record.toString();
  }

  /** For one record. */
  public static final class OfOne extends Fifo {
    public OfOne() {
      super(1);
    }
  }
}
