/** Counters, gauges and a trace log that others can read, also from outside the process. */
module dev.millrace.telemetry {
  requires transitive dev.millrace.queues;
  // Not transitive: a module that requires this one would then need it, too.
  requires static dev.millrace.disruptor;

  exports dev.millrace.telemetry;
}
