package dev.millrace.disruptor;

/**
 * Calls that a handler receives in addition to its events. An exception from any of them stops the
 * pipeline.
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
   * Called in the worker's thread after the last batch, however it ended.
   *
   * @throws Exception to stop the pipeline
   */
  default void onEnd() throws Exception {}
}
