package dev.millrace.disruptor.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.disruptor.Pipeline;
import java.util.List;

/** What a {@link Pipeline} keeps to itself; for the proofs, which run its workers themselves. */
public interface PipelineAccess {
  /** Shared by {@link Pipeline}. */
  SharedSecret<PipelineAccess> SECRET = new SharedSecret<>(Pipeline.class);

  /** The workers of all stages, of a pipeline that was not started: each in a thread of its own. */
  List<? extends Runnable> workers(Pipeline<?> pipeline);
}
