/** What it costs a thread to tell what it does, beside how it is told elsewhere. */
package dev.millrace.bench.telemetry;
