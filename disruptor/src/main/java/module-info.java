/** Sequencers and pipelines over one ring. */
module dev.millrace.disruptor {
  requires transitive dev.millrace.flyweight;

  exports dev.millrace.disruptor;
}
