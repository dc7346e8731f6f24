/** Lossy lock-free logs and counters. */
module dev.millrace.telemetry {
  requires transitive dev.millrace.queues;
}
