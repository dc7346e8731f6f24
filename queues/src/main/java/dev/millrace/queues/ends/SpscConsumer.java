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
   * A  tail.setRelease in            ->  tail.getAcquire in hasMore  slot bytes
   *    SpscProducer.commit
   * B  head.setRelease in release    ->  head.getAcquire in          slot is free again; in isDrained
   *                                      Gate.slowest, and in        what the consumer did
   *                                      SpscQueue.isDrained
   */
  private static final int RUN = 256; // records that forEach takes at once, at most
  private static final long HANDLING = -1; // instead of the end, while a handler runs

  private final SpscQueue<T> queue;
  private final Ring ring;
  private final Cursor own = new Cursor();
  private final Sequence tail;
  private final Sequence head;
  private final T view;
  private final Flyweight flyweight; // the view
  private final Waiters waiters;
  private final Waiters.Attempt again;
  private final boolean signals;
  private final Role role = new Role("SpscConsumer allows one thread at a time");
  private int wanted; // by a poll that waits

  SpscConsumer(SpscQueue<T> queue, T view) {
    this.queue = queue;
    this.ring = queue.ring;
    this.tail = queue.tail;
    this.head = queue.head;
    this.view = view;
    this.flyweight = (Flyweight) view;
    this.waiters = queue.consumerWaiters;
    this.again = () -> tryPoll(wanted) > 0 || queue.isDrained();
    this.signals = queue.producerWaiters.needSignals();
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
    flyweight.moveTo(ring.offset(sequence));
    assert role.end(call);
    return view;
  }

  private boolean hasMore(long sequence) {
    long published = tail.getAcquire(); // acquire A: sees commit, hence the slot bytes; linearizes
    own.limit(published);
    return sequence < published;
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
    if (own.limit() - sequence < most && !hasMore(sequence)) {
      assert role.end(call);
      return 0;
    }
    long count = Math.min(most, own.limit() - sequence);
    own.end(sequence + count);
    flyweight.moveTo(ring.offset(sequence));
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
    return own.end() == next() ? null : view;
  }

  @Override
  public T at(int index) {
    long sequence = next();
    Objects.checkIndex(index, own.end() - sequence);
    flyweight.moveTo(ring.offset(sequence) + index * ring.strideBytes());
    return view;
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long end = own.end();
    if (end <= next()) {
      throw new IllegalStateException("poll must be open: none is, " + queue);
    }
    flyweight.leave();
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
    long offset = ring.offset(sequence);
    long strideBytes = ring.strideBytes();
    own.end(HANDLING);
    int i = 0;
    try {
      for (; i < count; i++) {
        flyweight.moveTo(offset + i * strideBytes);
        handler.handle(view);
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
