/**
 * Reads telemetry on the command line: counters, and the records of trace logs, of processes that
 * run or have ended.
 *
 * <pre>
 *   TraceReader     --TraceRecords--> TraceRecord --> RecordOutput: text, CSV or JSON
 *   TelemetryReader --TopView--> lines --Screen--> terminal
 * </pre>
 */
package dev.millrace.telemetry.tool;
