package dev.millrace.disruptor;

/**
 * Handles events in batches. This is the fastest form of handler. If the handler throws an
 * exception, the current event of the {@link Batch} counts as failed, even if the exception comes
 * from code after the loop over the events.
 *
 * @param <E> the events
 * @since 0.1.0
 */
@FunctionalInterface
@SuppressWarnings("exports") // users may override the inherited methods
public interface BatchHandler<E> extends HandlerLifecycle {
  /**
   * Handles the next events that are available to this worker. {@link PipelineBuilder#maxBatch} and
   * the end of the ring limit the size of a batch.
   *
   * @param batch at least one event
   * @throws Exception if the current event cannot be handled; {@link PipelineBuilder#retries} and
   *     {@link PipelineBuilder#skipFailures} determine what happens then
   */
  void onBatch(Batch<E> batch) throws Exception;
}
