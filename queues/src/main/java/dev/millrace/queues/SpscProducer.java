package dev.millrace.queues;

import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.RecordProducer;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.internal.Checks;

/**
 * The producer of an {@link SpscQueue}. Each method that does not wait is wait-free.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class SpscProducer<T> extends RecordProducer<T> {
  /*
   * SpscQueue describes the protocol. A claim is noted before the gate is read, so that either the
   * thread that completes the queue sees the claim, or the claim sees the closed gate: pair C of
   * SpscQueue.
   *
   * A  STAMP.setRelease in commit       ->  STAMP.getAcquire in        slot bytes, of this and all
   *                                         SpscConsumer.isPublished   commits before
   * B  head.setRelease in               ->  head.getAcquire in         slot is free again
   *    SpscConsumer.release                 Gate.slowest
   */
  private final SpscQueue<T> queue;
  private final Gate gate;
  private final boolean signals;

  SpscProducer(SpscQueue<T> queue, T view) {
    super(queue, queue.ring, queue.claims, view, queue.producerWaiters);
    this.queue = queue;
    this.gate = queue.gate;
    this.signals = queue.consumerWaiters.needSignals();
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryClaim() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = own.next();
    if (own.end() != sequence) {
      throw isOpen();
    }
    own.end(sequence + 1); // before the gate is read
    if (!gate.admits(sequence + 1)) { // acquire B: slot is free
      refused(sequence);
      assert role.end(call);
      return null;
    }
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (T) view;
  }

  @Override
  public int tryClaim(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    long sequence = own.next();
    if (own.end() != sequence) {
      throw isOpen();
    }
    long most = Math.min(limit, ring.contiguous(sequence));
    own.end(sequence + most); // before the gate is read
    long count =
        Math.min(most, gate.limit(sequence + most) - sequence); // acquire B: slots are free
    if (count <= 0) {
      refused(sequence);
      assert role.end(call);
      return 0;
    }
    own.end(sequence + count);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (int) count;
  }

  /** Takes back a noted claim; once the queue is completed, the consumer may wait for that. */
  private void refused(long sequence) {
    own.end(sequence); // taken back
    if (gate.isClosed()) {
      queue.consumerWaiters.signal();
      throw completed();
    }
  }

  @Override
  public void commit() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = own.next();
    long end = own.end();
    if (end == sequence) {
      throw noneOpen();
    }
    own.next(end);
    view.leave();
    try {
      // release A: slot bytes; linearizes. The JIT has just checked view.memory()
      Ring.STAMP.setRelease(view.memory(), ring.offset(sequence), end);
    } catch (IllegalStateException e) {
      throw closed(e);
    }
    assert role.end(call);
    if (signals) {
      queue.consumerWaiters.signal();
    }
  }

  @Override
  public void abort() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = own.next();
    if (own.end() == sequence) {
      throw noneOpen();
    }
    view.leave();
    own.end(sequence); // taken back
    assert role.end(call);
    queue.consumerWaiters.signal(); // once the queue is completed, the consumer may wait for it
  }

  /** Completes the queue; an open claim is aborted. May be called repeatedly. */
  @Override
  public void close() {
    if (own.end() != own.next()) {
      abort();
    }
    gate.close();
    queue.completed();
  }

  @Override
  protected boolean refuses(int count) {
    return queue.refuses(count);
  }
}
