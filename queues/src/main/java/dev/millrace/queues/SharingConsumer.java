package dev.millrace.queues;

import dev.millrace.flyweight.internal.Checks;

/**
 * Common part of the consumers of queues that admit many. How records are found and how their slots
 * are freed differs by kind.
 *
 * <p>Public methods are not final, so that javac adds bridges to the public subclasses.
 *
 * @param <T> the view of a record
 */
abstract sealed class SharingConsumer<T> extends QueueConsumer<T>
    permits MpmcConsumer, KFifoConsumer {
  SharingConsumer(OffHeapQueue<T> queue) {
    super(queue, 1); // records that a handler which throws has left stay for other consumers
  }

  /**
   * Takes the next adjacent records, up to a limit, and notes them in {@link #own}. Returns false
   * if there is none.
   */
  abstract boolean take(int limit);

  /** Frees the slots of the records in hand, and notes that none are. */
  abstract void free(long sequence, int count);

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryPoll() {
    return pollUpTo(1) ? (T) view : null;
  }

  @Override
  public int tryPoll(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return pollUpTo(limit) ? (int) (own.end() - next()) : 0;
  }

  private boolean pollUpTo(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != next()) {
      throw isOpen();
    }
    boolean isPolled = take(limit);
    if (isPolled) {
      view.moveTo(ring.recordOffset(next()));
    }
    assert role.end(call);
    return isPolled;
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = next();
    long end = own.end();
    if (end <= sequence) {
      throw noneOpen();
    }
    view.leave();
    free(sequence, (int) (end - sequence));
    assert role.end(call);
    signalProducers();
  }
}
