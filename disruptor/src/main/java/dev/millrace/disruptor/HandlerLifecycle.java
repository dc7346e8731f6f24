package dev.millrace.disruptor;

/** What a handler is told besides its events. All of it stops the pipeline if it throws. */
interface HandlerLifecycle {
  /**
   * Called in the worker's thread before the first batch.
   *
   * @throws Exception to stop the pipeline
   */
  default void onStart() throws Exception {}

  /**
   * Called in the worker's thread when no event came within the stage's {@link
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
