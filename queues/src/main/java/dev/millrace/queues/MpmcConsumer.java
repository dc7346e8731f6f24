package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.MpmcRing;
import dev.millrace.core.internal.ring.RecordConsumer;
import dev.millrace.flyweight.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * One of any number of consumers of an {@link MpmcQueue}. {@code tryPoll} is lock-free: it repeats
 * an attempt only if another consumer took the record first. Release is wait-free.
 *
 * <p>{@link #drain} and {@link #forEach} take one record at a time. If a handler throws, later
 * records stay in the queue, and any consumer can take them. To take a whole run at once, poll with
 * a limit and loop over {@link #at}.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class MpmcConsumer<T> extends RecordConsumer<T> {
  private final MpmcQueue<T> queue;
  private final MpmcRing protocol;
  private final Waiters.Attempt strictly;

  MpmcConsumer(MpmcQueue<T> queue, MpmcRing protocol, T view) {
    super(queue, queue.ring, new Cursor(), view, 1, queue.consumerWaiters, queue.producerWaiters);
    this.queue = queue;
    this.protocol = protocol;
    this.strictly = () -> tryPoll() != null || protocol.isEmpty() || queue.isDrained();
  }

  @Override
  public @Nullable T tryPoll() {
    long call = beginPoll(own);
    return endPoll(own, call, protocol.tryPoll(ring));
  }

  @Override
  public int tryPoll(int limit) {
    long call = beginPoll(own, limit);
    protocol.tryPoll(ring, own, limit);
    return endPollOfRun(own, call);
  }

  /**
   * Takes the next record. While the oldest claim is open, the method waits for that claim to end,
   * because committed records may be behind the claim. A null result therefore means that the queue
   * really was empty, or that it was closed. With respect to this method, the queue is
   * linearizable.
   *
   * @return the view, positioned on the record; null only if there was neither a record nor an open
   *     claim at some moment during the call, or if the queue was closed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public @Nullable T strictPoll() throws InterruptedException {
    return pollUntil(strictly);
  }

  @Override
  public int drain(Handler<? super T> handler, int limit) {
    Checks.notNull("handler", handler);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    int done = 0;
    while (done < limit && tryPoll() != null) {
      handleOne(own, handler);
      done++;
    }
    return done;
  }

  @Override
  public void release() {
    long call = beginRelease(own);
    protocol.release(ring, own);
    endRelease(call);
  }

  /**
   * Returns true if the queue is closed, or is completed with no open claim and every record taken.
   * No more records will come. Another consumer may still have records in hand; {@link
   * MpmcQueue#isDrained} returns true only once all records are released.
   */
  @Override
  public boolean isDrained() {
    return queue.isExhausted();
  }
}
