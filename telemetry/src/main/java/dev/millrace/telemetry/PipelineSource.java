package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import dev.millrace.disruptor.Pipeline;
import java.util.List;

/** A pipeline as a source: apart, for the module that it is of need not be there. */
final class PipelineSource {
  private PipelineSource() {}

  static Source of(String label, Pipeline<?> pipeline) {
    List<Source.Metric> metrics =
        Checks.notNull("pipeline", pipeline).metrics().stream()
            .map(
                metric ->
                    metric.isGauge() ? Source.gauge(metric.name()) : Source.counter(metric.name()))
            .toList();
    return new Source(label, metrics, pipeline::readMetrics);
  }
}
