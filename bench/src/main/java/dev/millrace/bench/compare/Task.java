package dev.millrace.bench.compare;

import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import java.util.List;

/**
 * What a stage does, the same for both libraries and for every form of handler. It counts as the
 * Disruptor's own tests do: into a padded field, and with one more branch for each event.
 */
abstract class Task<E>
    implements com.lmax.disruptor.EventHandler<E>,
        dev.millrace.disruptor.EventHandler<E>,
        BatchHandler<E> {
  private final List<Task<E>> after;
  private final Sequence result = new Sequence();
  private final Sequence last = new Sequence(-1);

  /**
   * Makes a task.
   *
   * @param after the tasks that come before it; of none, what producers publish
   */
  Task(List<Task<E>> after) {
    this.after = after;
  }

  final List<Task<E>> after() {
    return after;
  }

  /** Handles an event. */
  abstract void handle(E event);

  /** Handles the events of a batch; the same in a loop of its own. */
  abstract void handleAll(Batch<E> batch);

  /** What the result must be of so many events, and of the sum of their numbers. */
  abstract long expected(long count, long sum);

  /** Adds to the result. */
  final void add(long more) {
    result.setPlain(result.getPlain() + more);
  }

  final long result() {
    return result.getPlain();
  }

  final void result(long now) {
    result.setPlain(now);
  }

  /** How many events are handled; then the result is seen too. */
  final long count() {
    return last.getAcquire() + 1;
  }

  @Override
  public final void onEvent(E event, long sequence, boolean endOfBatch) {
    handle(event);
    if (endOfBatch) {
      last.setRelease(sequence);
    }
  }

  @Override
  public final void onBatch(Batch<E> batch) {
    handleAll(batch);
    last.setRelease(batch.sequence());
  }

  /** Both libraries have one that does nothing. */
  @Override
  public final void onStart() {
    // nothing
  }
}
