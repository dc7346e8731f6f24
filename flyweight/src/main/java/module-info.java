/** What a record holds: layouts, and typed views that copy nothing. */
@SuppressWarnings("module") // the modules named below are built after this one
module dev.millrace.flyweight {
  exports dev.millrace.flyweight;
  exports dev.millrace.flyweight.internal to
      dev.millrace.core,
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry;
}
