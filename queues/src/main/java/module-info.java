/** Off-heap queues and the history ring. */
module dev.millrace.queues {
  requires transitive dev.millrace.core;

  exports dev.millrace.queues;
}
