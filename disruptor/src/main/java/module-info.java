/** Sequencers and pipelines over one ring. */
module dev.millrace.disruptor {
  requires transitive dev.millrace.core;

  exports dev.millrace.disruptor;
}
