/** Where a record lives, when a thread may touch it, how a thread waits. */
@SuppressWarnings("module") // the modules named below are built after this one
module dev.millrace.core {
  exports dev.millrace.core;
  exports dev.millrace.core.internal to
      dev.millrace.flyweight,
      dev.millrace.queues,
      dev.millrace.disruptor,
      dev.millrace.telemetry;
}
