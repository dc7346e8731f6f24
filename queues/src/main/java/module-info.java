/**
 * Off-heap queues of records and of messages, the history ring, and the log of messages on disk.
 */
module dev.millrace.queues {
  requires transitive dev.millrace.core;
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.queues;
  exports dev.millrace.queues.history;
  exports dev.millrace.queues.log;
  exports dev.millrace.queues.messages;
}
