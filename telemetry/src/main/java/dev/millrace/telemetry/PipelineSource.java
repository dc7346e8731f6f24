package dev.millrace.telemetry;

import static dev.millrace.telemetry.Source.counter;
import static dev.millrace.telemetry.Source.gauge;

import dev.millrace.core.internal.Checks;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.Pipeline.StageSnapshot;
import dev.millrace.disruptor.Sequencer;
import java.util.ArrayList;
import java.util.List;

/** A pipeline as a source: apart, for the module that it is of need not be there. */
final class PipelineSource {
  private static final int THOUSANDTHS = 1_000;

  private PipelineSource() {}

  static Source of(String label, Pipeline<?> pipeline) {
    Checks.notNull("pipeline", pipeline);
    List<Source.Metric> metrics = new ArrayList<>();
    metrics.add(counter("published"));
    metrics.add(gauge("freeSlots"));
    metrics.add(counter("dropped"));
    metrics.add(counter("timedOut"));
    metrics.add(counter("signalled"));
    metrics.add(counter("stalled"));
    for (StageSnapshot stage : pipeline.snapshot().stages()) {
      metrics.add(counter(stage.name() + ".processed"));
      metrics.add(counter(stage.name() + ".failed"));
      metrics.add(counter(stage.name() + ".retries"));
      metrics.add(counter(stage.name() + ".skipped"));
      metrics.add(gauge(stage.name() + ".lag"));
      metrics.add(gauge(stage.name() + ".utilisationThousandths"));
      metrics.add(gauge(stage.name() + ".meanBatchThousandths"));
    }
    return new Source(label, metrics, values -> sample(pipeline.snapshot(), values));
  }

  private static void sample(Pipeline.Snapshot snapshot, long[] values) {
    Sequencer.Counters producers = snapshot.producers();
    int i = 0;
    values[i++] = snapshot.published();
    values[i++] = snapshot.freeSlots();
    values[i++] = producers.dropped();
    values[i++] = producers.timedOut();
    values[i++] = producers.signalled();
    values[i++] = producers.stalled();
    for (StageSnapshot stage : snapshot.stages()) {
      values[i++] = stage.processed();
      values[i++] = stage.failed();
      values[i++] = stage.retries();
      values[i++] = stage.skipped();
      values[i++] = stage.lag();
      values[i++] = Math.round(stage.utilisation() * THOUSANDTHS);
      values[i++] = Math.round(stage.meanBatch() * THOUSANDTHS);
    }
  }
}
