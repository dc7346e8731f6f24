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
   * @param event the event, in place; a record's view is the same for all
   * @param sequence its number
   * @param endOfBatch whether it is the last of its batch: when the batch was taken there were no
   *     more, or the batch was full, or the ring's end was reached
   * @throws Exception if the event cannot be handled; {@link PipelineBuilder#retries} and {@link
   *     PipelineBuilder#skipFailures} say what follows
   */
  void onEvent(E event, long sequence, boolean endOfBatch) throws Exception;
}
