/**
 * Publishes metrics to Micrometer, and through it to Prometheus and other monitoring systems.
 *
 * <pre>
 *  MeasuredMetrics   the metrics of one queue, log, ring, pipeline or cache of this process
 *  TelemetryMetrics  the counters and gauges of a telemetry file, also of another process
 * </pre>
 *
 * <p>Both are binders: {@code bindTo} adds their meters to a registry, and {@code close} removes
 * them. Meters are read when the registry is read, so they cost nothing in between.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.micrometer;

import org.jspecify.annotations.NullMarked;
