/**
 * Off-heap counters, gauges and a trace log, in memory or in a file. Other processes can read the
 * file while this process runs and after it has died. Begin with {@link
 * dev.millrace.telemetry.Telemetry}, which creates the counters and samples queues and pipelines.
 * Any thread may use a counter or a gauge, but a trace writer, or a counter for a sole writer,
 * belongs to one thread at a time. Writers never wait.
 *
 * <pre>
 *  Telemetry                    owns the memory, creates the writers, samples Measured objects
 *  Counter, Gauge, TraceWriter  write
 *  TelemetryReader              reads counters and gauges, of this process or from a file
 *  TraceReader                  reads the trace log, likewise
 *  MeasuredBean                 shows the metrics of a Measured object to JMX clients
 * </pre>
 *
 * <p>Counters do not share cache lines. Queues and pipelines are {@link
 * dev.millrace.core.Measured}. A separate thread samples numbers that queues and pipelines keep
 * anyway, so reporting adds nothing to their hot paths. {@link dev.millrace.core} describes the
 * memory model.
 *
 * @since 0.1.0
 */
@NullMarked
package dev.millrace.telemetry;

import org.jspecify.annotations.NullMarked;
