package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.RecordConsumer;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.internal.Checks;

/**
 * The consumer of an {@link SpscQueue}. Each method that does not wait is wait-free.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class SpscConsumer<T> extends RecordConsumer<T> {
  /*
   * SpscQueue describes the protocol.
   *
   * A  STAMP.setRelease in           ->  STAMP.getAcquire in         slot bytes, of this and all
   *    SpscProducer.commit               isPublished                 commits before
   * B  head.setRelease in release    ->  head.getAcquire in          slot is free again; in isConsumed
   *                                      Gate.slowest, and in        what the consumer did
   *                                      SpscQueue.isConsumed
   */
  private static final int STEP = 16; // the most records between two reads ahead

  private final SpscQueue<T> queue;
  private final Sequence head;
  private final int ahead; // how far to read ahead: a power of two, minus 1
  private final boolean signals;

  SpscConsumer(SpscQueue<T> queue, T view) {
    super(queue, queue.ring, view, queue.consumerWaiters, ANY_RUN);
    this.queue = queue;
    this.ahead = Math.min(queue.capacity(), STEP) - 1;
    this.head = queue.head;
    this.signals = queue.producerWaiters.needSignals();
  }

  @Override
  protected long next() {
    return head.getPlain(); // plain: only the consumer writes it
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryPoll() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = next();
    if (own.end() != sequence) {
      throw isOpen();
    }
    if (sequence >= own.limitSeen() && !hasMore(sequence)) { // seen: the closer writes it too
      assert role.end(call);
      return null;
    }
    own.end(sequence + 1);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (T) view;
  }

  /**
   * Whether there is a record. Now and then this reads ahead: if a later record is published, so
   * are all before it, and their stamps need not be read.
   */
  private boolean hasMore(long sequence) {
    return ((sequence & ahead) == 0 && isPublished(sequence + ahead)) || isPublished(sequence);
  }

  private boolean isPublished(long sequence) {
    try {
      // acquire A: sees commit, hence the slot bytes; linearizes
      long end = (long) Ring.STAMP.getAcquire(ring.memory(), ring.offset(sequence));
      if (end <= sequence) {
        return false;
      }
      own.limit(end);
      return !isFreed();
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is closed
    }
  }

  @Override
  public int tryPoll(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    long sequence = next();
    if (own.end() != sequence) {
      throw isOpen();
    }
    long most = Math.min(limit, ring.contiguous(sequence));
    long seen = own.limitSeen();
    while (seen - sequence < most && hasMore(seen)) {
      seen = own.limitSeen();
    }
    if (seen <= sequence) {
      assert role.end(call);
      return 0;
    }
    long count = Math.min(most, seen - sequence);
    own.end(sequence + count);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (int) count;
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long end = own.end();
    if (end <= next()) {
      throw noneOpen();
    }
    view.leave();
    head.setRelease(end); // release B: the reads of the slots
    assert role.end(call);
    if (signals) {
      queue.producerWaiters.signal();
    }
  }

  /** To be called by the thread that has freed the memory. */
  void memoryFreed() {
    forgetRecords();
  }

  /** The end of the committed records that it has last seen; for other threads. */
  long seenEnd() {
    return own.limitSeen();
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }
}
