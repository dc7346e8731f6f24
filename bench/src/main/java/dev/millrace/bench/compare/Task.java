package dev.millrace.bench.compare;

import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import java.util.List;

/**
 * What a stage does, the same for both libraries and for every form of handler. Event by event it
 * counts as the Disruptor's own tests do: into a padded field, and with one more branch for each
 * event. The tasks of a work are of one class, which tells them apart by a constant, so that no
 * call of {@link #next} has several targets.
 */
abstract class Task<E>
    implements com.lmax.disruptor.EventHandler<E>,
        dev.millrace.disruptor.EventHandler<E>,
        BatchHandler<E> {
  private final String name;

  /** The tasks that come before it; of none, what producers publish. */
  final List<Task<E>> after;

  private final Sequence result = new Sequence();
  private final Sequence last = new Sequence(-1);

  /**
   * Makes a task.
   *
   * @param after the tasks that come before it; of none, what producers publish
   */
  Task(String name, List<Task<E>> after) {
    this.name = name;
    this.after = after;
  }

  /** Handles an event; returns the result with it, given the one before. */
  abstract long next(E event, long before);

  /** What the result must be of so many events, and of the sum of their numbers. */
  abstract long expected(long count, long sum);

  final long result() {
    return result.getPlain();
  }

  /** How many events are handled; then the result is seen too. */
  final long count() {
    return last.getAcquire() + 1;
  }

  @Override
  public final void onEvent(E event, long sequence, boolean endOfBatch) {
    result.setPlain(next(event, result.getPlain()));
    if (endOfBatch) {
      last.setRelease(sequence);
    }
  }

  @Override
  public final void onBatch(Batch<E> batch) {
    long now = result.getPlain();
    for (int i = 0; i < batch.size(); i++) {
      now = next(batch.at(i), now);
    }
    result.setPlain(now);
    last.setRelease(batch.sequence());
  }

  /** Both libraries have one that does nothing. */
  @Override
  public final void onStart() {
    // nothing
  }

  @Override
  public final String toString() {
    return name;
  }
}
