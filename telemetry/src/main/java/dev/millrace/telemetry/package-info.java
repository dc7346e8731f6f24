/**
 * Off-heap counters, gauges and a trace log, in a file that other processes can read while this one
 * runs and after it has died. Begin with {@link dev.millrace.telemetry.Telemetry}, which makes the
 * counters and samples queues and pipelines. Any thread may use a counter or a gauge, but a trace
 * writer, or a counter for a sole writer, belongs to one thread at a time. Writers never wait.
 *
 * <pre>
 *  Telemetry                    owns the memory, creates the writers, samples Measured objects
 *  Counter, Gauge, TraceWriter  write
 *  TelemetryReader              reads counters and gauges, of this process or from a file
 *  TraceReader                  reads the trace log, likewise
 * </pre>
 *
 * <p>Counters do not share cache lines. Queues and pipelines are {@link
 * dev.millrace.core.Measured}: a separate thread samples numbers that they keep anyway, so
 * reporting adds nothing to their hot paths. The memory model is that of {@link dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.telemetry;
