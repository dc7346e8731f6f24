/** Rings of events, their sequencers, and pipelines of stages on one ring. */
module dev.millrace.disruptor {
  requires transitive dev.millrace.core;

  exports dev.millrace.disruptor;
}
