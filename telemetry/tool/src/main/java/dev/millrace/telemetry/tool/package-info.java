/**
 * Shows telemetry on the command line: the counters and trace records of processes that are running
 * or have ended.
 *
 * <pre>
 *   TraceReader     --TraceRecords--> TraceRecord --> RecordOutput: text, CSV or JSON
 *   TelemetryReader --TopView--> lines --Screen--> terminal
 *   MessageObserver --QueueView--> lines
 * </pre>
 */
package dev.millrace.telemetry.tool;
