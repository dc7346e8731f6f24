package dev.millrace.queues;

import dev.millrace.core.internal.ring.RecordConsumer;
import dev.millrace.core.internal.ring.SpscRing;
import org.jspecify.annotations.Nullable;

/**
 * The consumer of an {@link SpscQueue}. {@code poll} and {@code forEach} may wait. All other
 * methods are wait-free.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class SpscConsumer<T> extends RecordConsumer<T> {
  private final SpscQueue<T> queue;
  private final SpscRing.ConsumerSide side;

  SpscConsumer(SpscQueue<T> queue, SpscRing.ConsumerSide side, T view) {
    super(queue, queue.ring, side, view, ANY_RUN, queue.consumerWaiters, queue.producerWaiters);
    this.queue = queue;
    this.side = side;
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
