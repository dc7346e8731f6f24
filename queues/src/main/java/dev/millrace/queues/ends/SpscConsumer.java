package dev.millrace.queues.ends;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.time.Duration;
import java.util.Objects;

/**
 * The consumer of an {@link SpscQueue}. Each method that does not wait is wait-free.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public final class SpscConsumer<T> extends Consumer<T> {
  /*
   * The protocol stands in SpscQueue.
   *
   * A  STAMP.setRelease in           ->  STAMP.getAcquire in         slot bytes, of this and all
   *    SpscProducer.commit               isPublished                 commits before
   * B  head.setRelease in release    ->  head.getAcquire in          slot is free again; in isDrained
   *                                      Gate.slowest, and in        what the consumer did
   *                                      SpscQueue.isDrained
   */
  private static final int RUN = 256; // records that forEach takes at once, at most
  private static final int STEP = 16; // records between looks ahead, at most
  private static final long HANDLING = -1; // instead of the end, while a handler runs

  private final SpscQueue<T> queue;
  private final Ring ring;
  private final Cursor own = new Cursor();
  private final Sequence head;
  private final int ahead; // how far to look ahead, a power of two, less 1
  private final Flyweight view; // a T
  private final Waiters waiters;
  private final Waiters.Attempt again;
  private final boolean signals;
  private final Role role = new Role("SpscConsumer allows one thread at a time");
  private int wanted; // by a poll that waits

  SpscConsumer(SpscQueue<T> queue, T view) {
    this.queue = queue;
    this.ring = queue.ring;
    this.ahead = Math.min(queue.capacity(), STEP) - 1;
    this.head = queue.head;
    this.view = (Flyweight) view;
    this.waiters = queue.consumerWaiters;
    this.again = () -> tryPoll(wanted) > 0 || queue.isDrained();
    this.signals = queue.producerWaiters.needSignals();
  }

  /** The view. A field of type T would hide from the JIT that it is the one that was moved. */
  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  /** The sequence that comes next: the first of those in hand, if there are any. */
  private long next() {
    return head.getPlain(); // plain: only the consumer writes it
  }

  @Override
  public T tryPoll() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = next();
    if (own.end() != sequence) {
      throw isOpen();
    }
    if (sequence >= own.limit() && !hasMore(sequence)) {
      assert role.end(call);
      return null;
    }
    own.end(sequence + 1);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return view();
  }

  /**
   * Whether there is a record. This looks ahead now and then: where a record is published, all
   * before it are too, and need not be looked at.
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
      return true;
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
    long seen = own.limit();
    while (seen - sequence < most && hasMore(seen)) {
      seen = own.limit();
    }
    if (seen == sequence) {
      assert role.end(call);
      return 0;
    }
    long count = Math.min(most, seen - sequence);
    own.end(sequence + count);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (int) count;
  }

  private IllegalStateException isOpen() {
    return new IllegalStateException("poll must be released before the next: " + queue);
  }

  @Override
  public T poll() throws InterruptedException {
    T polled = tryPoll();
    return polled != null || !waits(1, WaitStrategy.FOREVER) ? polled : polled();
  }

  @Override
  public T poll(Duration timeout) throws InterruptedException {
    T polled = tryPoll();
    return polled != null || !waits(1, Checks.nanos("timeout", timeout)) ? polled : polled();
  }

  @Override
  public int poll(int limit) throws InterruptedException {
    int polled = tryPoll(limit);
    return polled > 0 || !waits(limit, WaitStrategy.FOREVER) ? polled : (int) (own.end() - next());
  }

  private boolean waits(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    return waiters.await(again, nanos);
  }

  /** The view, or null: the wait may have ended since the queue did. */
  private T polled() {
    return own.end() == next() ? null : view();
  }

  @Override
  public T at(int index) {
    long sequence = next();
    Objects.checkIndex(index, own.end() - sequence);
    view.moveTo(ring.recordOffset(sequence) + ring.distance(index));
    return view();
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long end = own.end();
    if (end <= next()) {
      throw new IllegalStateException("poll must be open: none is, " + queue);
    }
    view.leave();
    head.setRelease(end); // release B: the reads of the slots
    assert role.end(call);
    if (signals) {
      queue.producerWaiters.signal();
    }
  }

  @Override
  public int drain(Handler<? super T> handler, int limit) {
    Checks.notNull("handler", handler);
    int count = tryPoll(limit);
    if (count > 0) {
      handle(handler, count);
    }
    return count;
  }

  @Override
  public void forEach(Handler<? super T> handler) throws InterruptedException {
    Checks.notNull("handler", handler);
    int count;
    while ((count = poll(RUN)) > 0) {
      handle(handler, count);
    }
  }

  private void handle(Handler<? super T> handler, int count) {
    long sequence = next();
    long offset = ring.recordOffset(sequence);
    own.end(HANDLING);
    int i = 0;
    try {
      for (; i < count; i++) {
        view.moveTo(offset + ring.distance(i));
        handler.handle(view());
      }
    } finally {
      own.end(sequence + Math.min(i + 1, count)); // one whose handler throws is consumed
      release();
    }
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }

  /** Returns what it is the consumer of. */
  @Override
  public String toString() {
    return "SpscConsumer of " + queue;
  }
}
