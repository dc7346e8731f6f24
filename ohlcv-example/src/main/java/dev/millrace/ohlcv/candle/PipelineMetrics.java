package dev.millrace.ohlcv.candle;

import dev.millrace.core.Measured;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.Pipeline.StageSnapshot;
import java.util.ArrayList;
import java.util.List;

/** What a pipeline tells of itself, for as long as it is not {@link Measured} itself. */
record PipelineMetrics(Pipeline<?> pipeline) implements Measured {
  @Override
  public List<Metric> metrics() {
    List<Metric> metrics = new ArrayList<>();
    metrics.add(Metric.counter("published"));
    metrics.add(Metric.gauge("freeSlots"));
    for (StageSnapshot stage : pipeline.snapshot().stages()) {
      metrics.add(Metric.counter(stage.name() + ".processed"));
      metrics.add(Metric.counter(stage.name() + ".failed"));
      metrics.add(Metric.gauge(stage.name() + ".lag"));
    }
    return metrics;
  }

  @Override
  public void readMetrics(long[] values) {
    Pipeline.Snapshot snapshot = pipeline.snapshot();
    int i = 0;
    values[i++] = snapshot.published();
    values[i++] = snapshot.freeSlots();
    for (StageSnapshot stage : snapshot.stages()) {
      values[i++] = stage.processed();
      values[i++] = stage.failed();
      values[i++] = stage.lag();
    }
  }
}
