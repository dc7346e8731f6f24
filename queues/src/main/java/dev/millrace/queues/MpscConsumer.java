package dev.millrace.queues;

import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.MpscRing;
import dev.millrace.core.internal.ring.RecordConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The consumer of an {@link MpscQueue}. {@code poll}, {@code forEach} and {@link #strictPoll} may
 * wait. All other methods are wait-free. A poll passes over all aborted claims that precede its
 * record, however many there are.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class MpscConsumer<T> extends RecordConsumer<T> {
  private final MpscQueue<T> queue;
  private final MpscRing.ConsumerSide side;
  private final Waiters.Attempt strictly;

  MpscConsumer(MpscQueue<T> queue, MpscRing protocol, T view) {
    MpscRing.ConsumerSide side = protocol.consumer();
    super(queue, queue.ring, side, view, ANY_RUN, queue.consumerWaiters, queue.producerWaiters);
    this.queue = queue;
    this.side = side;
    this.strictly = () -> tryPoll() != null || side.isEmpty() || isDrained();
  }

  @Override
  public @Nullable T tryPoll() {
    long call = beginPoll(side);
    return endPoll(side, call, side.tryPoll(ring));
  }

  @Override
  public int tryPoll(int limit) {
    long call = beginPoll(side, limit);
    side.tryPoll(ring, limit);
    return endPollOfRun(side, call);
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
  public void release() {
    long call = beginRelease(side);
    side.release(side.end());
    endRelease(call);
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }
}
