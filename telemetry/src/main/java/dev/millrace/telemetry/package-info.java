/**
 * Off-heap counters, gauges and a trace log, in a file that other processes can read while this one
 * runs and after it has died.
 *
 * <pre>
 *  Telemetry                    owns the memory, creates the writers, samples Measured objects
 *  Counter, Gauge, TraceWriter  write
 *  TelemetryReader              reads counters and gauges, of this process or from a file
 *  TraceReader                  reads the trace log, likewise
 * </pre>
 *
 * <p>Writing a counter takes one access to memory that no other counter shares, and no writer ever
 * waits. Queues and pipelines are {@link dev.millrace.core.Measured}: a separate thread samples
 * numbers that they keep anyway, so reporting costs their hot paths nothing. The memory model is
 * that of package {@code dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.telemetry;
