/** Where a record lives, when a thread may touch it, how a thread waits. */
@SuppressWarnings("module") // the modules named below are built after this one
module dev.millrace.core {
  requires transitive dev.millrace.flyweight;

  exports dev.millrace.core;
  exports dev.millrace.core.internal to
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry;
  exports dev.millrace.core.internal.history to
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry;
  exports dev.millrace.core.internal.ring to
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry;

  // Producers, consumers and readers of histories inherit public methods from there. Reflection
  // checks the class that declares a method; an open package is accessible at run time, yet no
  // code compiles against it.
  opens dev.millrace.core.internal.history;
  opens dev.millrace.core.internal.ring;
}
