package dev.millrace.queues.ends;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.time.Duration;
import java.util.Objects;

/**
 * The producer of an {@link SpscQueue}. Each method that does not wait is wait-free.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public final class SpscProducer<T> extends Producer<T> {
  /*
   * The protocol stands in SpscQueue. A claim is noted before the gate is read, so that whoever
   * completes the queue finds the claim, or the claim finds the gate closed: pair C of SpscQueue.
   *
   * A  STAMP.setRelease in commit       ->  STAMP.getAcquire in        slot bytes, of this and all
   *                                         SpscConsumer.isPublished   commits before
   * B  head.setRelease in               ->  head.getAcquire in         slot is free again
   *    SpscConsumer.release                 Gate.slowest
   */
  private final SpscQueue<T> queue;
  private final Ring ring;
  private final Cursor own;
  private final Gate gate;
  private final Flyweight view; // a T
  private final Waiters waiters;
  private final Waiters.Attempt again;
  private final boolean signals;
  private final boolean drops;
  private final Role role = new Role("SpscProducer allows one thread at a time");
  private int wanted; // by a claim that waits

  SpscProducer(SpscQueue<T> queue, T view, boolean drops) {
    this.queue = queue;
    this.ring = queue.ring;
    this.own = queue.claims;
    this.gate = queue.gate;
    this.view = (Flyweight) view;
    this.waiters = queue.producerWaiters;
    this.again = () -> tryClaim(wanted) > 0;
    this.signals = queue.consumerWaiters.needSignals();
    this.drops = drops;
  }

  /** The view. A field of type T would hide from the JIT that it is the one that was moved. */
  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  @Override
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
    return view();
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

  /** Gives back what was claimed; the consumer may wait for that if the queue is completed. */
  private void refused(long sequence) {
    own.end(sequence); // taken back
    if (gate.isClosed()) {
      queue.consumerWaiters.signal();
      throw new IllegalStateException("queue must not be completed: " + queue);
    }
  }

  private IllegalStateException isOpen() {
    return new IllegalStateException(
        "claim must be committed or aborted before the next: " + queue);
  }

  private IllegalStateException noneOpen() {
    return new IllegalStateException("claim must be open: none is, " + queue);
  }

  @Override
  public T claim() throws InterruptedException {
    T claimed = tryClaim();
    return claimed != null || drops || !waits(1, WaitStrategy.FOREVER) ? claimed : view();
  }

  @Override
  public T claim(Duration timeout) throws InterruptedException {
    T claimed = tryClaim();
    return claimed != null || drops || !waits(1, Checks.nanos("timeout", timeout))
        ? claimed
        : view();
  }

  @Override
  public int claim(int limit) throws InterruptedException {
    int claimed = tryClaim(limit);
    return claimed > 0 || drops || !waits(limit, WaitStrategy.FOREVER)
        ? claimed
        : (int) (own.end() - own.next());
  }

  private boolean waits(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    return waiters.await(again, nanos);
  }

  @Override
  public T at(int index) {
    long sequence = own.next();
    Objects.checkIndex(index, own.end() - sequence);
    view.moveTo(ring.recordOffset(sequence) + ring.distance(index));
    return view();
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
    // release A: slot bytes; linearizes. The view's own memory is what the JIT has just checked
    Ring.STAMP.setRelease(view.memory(), ring.offset(sequence), end);
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
    queue.consumerWaiters.signal(); // it may wait for that if the queue is completed
  }

  /** Completes the queue; an open claim is aborted. May be repeated. */
  @Override
  public void close() {
    if (own.end() != own.next()) {
      abort();
    }
    gate.close();
    queue.completed();
  }

  /** Returns what it is the producer of. */
  @Override
  public String toString() {
    return "SpscProducer of " + queue;
  }
}
