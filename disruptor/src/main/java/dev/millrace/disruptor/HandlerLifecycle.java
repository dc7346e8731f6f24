package dev.millrace.disruptor;

/**
 * The methods that a worker calls on its handler at the start, after a timeout and at the end. An
 * exception from any of these methods stops the pipeline.
 *
 * @since 0.1.0
 */
public interface HandlerLifecycle {
  /**
   * Called in the worker's thread before the first batch.
   *
   * @throws Exception to stop the pipeline
   */
  default void onStart() throws Exception {}

  /**
   * Called in the worker's thread when no event arrived within the stage's {@link
   * PipelineBuilder#timeout}.
   *
   * @throws Exception to stop the pipeline
   */
  default void onTimeout() throws Exception {}

  /**
   * Called in the worker's thread after its last batch, even if that batch failed. If {@link
   * #onStart} failed, the worker does not call this method.
   *
   * @throws Exception to stop the pipeline
   */
  default void onEnd() throws Exception {}
}
