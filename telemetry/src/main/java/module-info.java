/** Counters, gauges and a trace log that other threads and other processes can read. */
module dev.millrace.telemetry {
  requires transitive dev.millrace.core;
  requires static java.management; // for MeasuredBean alone
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.telemetry;
}
