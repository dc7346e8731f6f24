package dev.millrace.disruptor.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.disruptor.Pipeline;
import java.util.List;

/**
 * Gives the proofs, which run the workers of a {@link Pipeline} themselves, access to these
 * workers.
 */
public interface PipelineAccess {
  /** Shared by {@link Pipeline}. */
  SharedSecret<PipelineAccess> SECRET = new SharedSecret<>(Pipeline.class);

  /**
   * Returns the workers of all stages of a pipeline that was not started. Each of them must run in
   * a thread of its own.
   */
  List<? extends Runnable> workers(Pipeline<?> pipeline);
}
