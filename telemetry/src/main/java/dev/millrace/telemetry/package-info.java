/**
 * Counters and gauges off the heap, in a file that other processes can read while this one runs and
 * after it has died.
 *
 * <pre>
 *  Telemetry         owns the memory: makes counters and gauges, samples what is Measured
 *  Counter, Gauge    what writes
 *  TelemetryReader   what reads: in this process, or a file of another
 * </pre>
 *
 * <p>Writing a counter is one access to memory of its own; nobody waits for anybody. Queues and
 * pipelines are {@link dev.millrace.core.Measured}: they report what they count anyway, which a
 * thread of its own samples: their hot paths do not know of it. The memory model is that of package
 * {@code dev.millrace.core}.
 *
 * @since 0.1.0
 */
package dev.millrace.telemetry;
