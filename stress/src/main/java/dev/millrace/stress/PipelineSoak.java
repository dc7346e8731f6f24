package dev.millrace.stress;

import dev.millrace.stress.PipelineLedger.Totals;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelineRound.Result;
import dev.millrace.stress.PipelineWorker.Fault;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Pipelines of random graphs, one after the other, whose handlers throw at random and whose
 * producers abort, stall and are refused; after each it is checked what became of every event in
 * every stage, and that all threads have ended.
 */
final class PipelineSoak {
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final long nanos;
  private final SplittableRandom random;

  /**
   * Makes a soak.
   *
   * @param nanos how long to begin pipelines
   */
  PipelineSoak(long nanos, long seed) {
    this.nanos = nanos;
    this.random = new SplittableRandom(seed);
  }

  /**
   * What was seen of pipelines that ended the same way.
   *
   * @param graphs how many
   * @param drained how many of them were drained, rather than stopped before
   * @param totals of all of these
   */
  record PerLife(long graphs, long drained, Totals totals) {
    PerLife and(PerLife other) {
      return new PerLife(graphs + other.graphs, drained + other.drained, totals.and(other.totals));
    }
  }

  /** Runs to the end; throws an {@link AssertionError} if a pipeline does not keep its word. */
  Map<Life, PerLife> call() throws Exception {
    Map<Life, PerLife> seen = new EnumMap<>(Life.class);
    long begin = System.nanoTime();
    long toldAt = begin;
    do {
      PipelinePlan plan = PipelinePlan.of(random.nextLong() >>> 16);
      Result result = PipelineRound.run(plan, Fault.NONE);
      PerLife its = new PerLife(1, result.isDrained() ? 1 : 0, result.totals());
      seen.merge(plan.life(), its, PerLife::and);
      if (System.nanoTime() - toldAt > TELL_NANOS) {
        toldAt = System.nanoTime();
        System.err.println("pipelines: " + all(seen));
      }
    } while (System.nanoTime() - begin < nanos);
    return seen;
  }

  static PerLife all(Map<Life, PerLife> seen) {
    return seen.values().stream().reduce(PerLife::and).orElseThrow();
  }
}
