package dev.millrace.disruptor;

/**
 * Handles events one by one: see {@link Pipeline#each}.
 *
 * @param <E> the events
 * @since 0.1.0
 */
@FunctionalInterface
@SuppressWarnings("exports") // what it inherits is for users to override
public interface EventHandler<E> extends HandlerLifecycle {
  /**
   * Handles an event.
   *
   * @param event the event, in place; all records share one view
   * @param sequence its number
   * @param endOfBatch whether it is the last of its batch, which ends where no more events were
   *     available, the batch was full, or the end of the ring was reached
   * @throws Exception if the event cannot be handled; {@link PipelineBuilder#retries} and {@link
   *     PipelineBuilder#skipFailures} determine what follows
   */
  void onEvent(E event, long sequence, boolean endOfBatch) throws Exception;

  // Declared here too, because reflection may call a method only if it may see who declares it.

  @Override
  default void onStart() throws Exception {}

  @Override
  default void onTimeout() throws Exception {}

  @Override
  default void onEnd() throws Exception {}
}
