/** Counters, gauges and a trace log that other threads and other processes can read. */
module dev.millrace.telemetry {
  requires transitive dev.millrace.core;

  exports dev.millrace.telemetry;
}
