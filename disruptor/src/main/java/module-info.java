/** Sequencers and pipelines over one off-heap ring. */
module dev.millrace.disruptor {
  requires transitive dev.millrace.queues;
}
