/** Counters, gauges and a trace log that others can read, also from outside the process. */
module dev.millrace.telemetry {
  requires transitive dev.millrace.core;

  exports dev.millrace.telemetry;
}
