/** Rings of events, their sequencers, and pipelines of stages on one ring. */
module dev.millrace.disruptor {
  requires transitive dev.millrace.core;
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.disruptor;
}
