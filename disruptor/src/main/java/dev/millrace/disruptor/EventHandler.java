package dev.millrace.disruptor;

/**
 * Handles events one by one. {@link Pipeline#each} adapts it to batches.
 *
 * @param <E> the events
 * @since 0.1.0
 */
@FunctionalInterface
@SuppressWarnings("exports") // users may override the inherited methods
public interface EventHandler<E> extends HandlerLifecycle {
  /**
   * Handles an event.
   *
   * @param event the event, in place. All records share one view
   * @param sequence the event's sequence
   * @param endOfBatch whether the event is the last one in its batch. A batch ends when no more
   *     events are available, when it is full, or at the end of the ring
   * @throws Exception if the event cannot be handled; {@link PipelineBuilder#retries} and {@link
   *     PipelineBuilder#skipFailures} determine what happens then
   */
  void onEvent(E event, long sequence, boolean endOfBatch) throws Exception;
}
