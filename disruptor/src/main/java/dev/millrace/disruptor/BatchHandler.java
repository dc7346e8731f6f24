package dev.millrace.disruptor;

/**
 * Handles events in batches, which is the fastest way. If the handler throws, the event that the
 * {@link Batch} moved to last counts as failed, even if the exception comes from code that runs
 * after the last event.
 *
 * @param <E> the events
 * @since 0.1.0
 */
@FunctionalInterface
@SuppressWarnings("exports") // users may override the inherited methods
public interface BatchHandler<E> extends HandlerLifecycle {
  /**
   * Handles the next events. These are all the events available, up to the stage's largest batch
   * and the end of the ring.
   *
   * @param batch at least one event
   * @throws Exception if the current event cannot be handled; {@link PipelineBuilder#retries} and
   *     {@link PipelineBuilder#skipFailures} determine what happens then
   */
  void onBatch(Batch<E> batch) throws Exception;
}
