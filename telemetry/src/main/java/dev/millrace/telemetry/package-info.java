/**
 * Counters, gauges and a trace log off the heap, in a file that other processes can read while this
 * one runs and after it has died.
 *
 * <pre>
 *  Telemetry                    owns the memory, makes what writes, samples what is Measured
 *  Counter, Gauge, TraceWriter  write
 *  TelemetryReader              reads counters and gauges, of this process or from a file
 *  TraceReader                  reads the trace log, likewise
 * </pre>
 *
 * <p>Writing a counter is one access to memory of its own, and no writer ever waits. Queues and
 * pipelines are {@link dev.millrace.core.Measured}: a separate thread samples the numbers that they
 * have anyway, so reporting costs their hot paths nothing. The memory model is that of package
 * {@code dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.telemetry;
