package dev.millrace.disruptor;

/**
 * Handles events in batches, the fastest way. If it throws, the event that the {@link Batch} moved
 * to last counts as failed, even if the exception comes from what the handler does after the last
 * event.
 *
 * @param <E> the events
 * @since 0.1.0
 */
@FunctionalInterface
@SuppressWarnings("exports") // what it inherits is for users to override
public interface BatchHandler<E> extends HandlerLifecycle {
  /**
   * Handles the next events: all that are available, up to the stage's largest batch and the end of
   * the ring.
   *
   * @param batch the events, at least one
   * @throws Exception if the current event cannot be handled; {@link PipelineBuilder#retries} and
   *     {@link PipelineBuilder#skipFailures} determine what follows
   */
  void onBatch(Batch<E> batch) throws Exception;

  // Declared here too, because reflection may call a method only if it may see who declares it.

  @Override
  default void onStart() throws Exception {}

  @Override
  default void onTimeout() throws Exception {}

  @Override
  default void onEnd() throws Exception {}
}
