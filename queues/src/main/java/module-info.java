/** Off-heap queues, the history ring, and the log of messages on disk. */
module dev.millrace.queues {
  requires transitive dev.millrace.core;

  exports dev.millrace.queues;
  exports dev.millrace.queues.log;
}
