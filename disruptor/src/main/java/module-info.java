/** Sequencers and pipelines over one ring. */
module dev.millrace.disruptor {
  requires transitive dev.millrace.queues;

  exports dev.millrace.disruptor;
}
