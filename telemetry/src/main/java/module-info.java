/** Counters, gauges and a trace log that others can read, also from outside the process. */
module dev.millrace.telemetry {
  requires transitive dev.millrace.queues;
  requires static transitive dev.millrace.disruptor;

  exports dev.millrace.telemetry;
}
