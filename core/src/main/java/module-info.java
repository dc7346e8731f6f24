/**
 * The core of queues and rings: memory, producers and consumers, sequences, and how a thread waits.
 */
@SuppressWarnings("module") // the modules named below are built after this one
module dev.millrace.core {
  requires transitive dev.millrace.flyweight;
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.core;
  exports dev.millrace.core.internal to
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry,
      dev.millrace.micrometer;
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

  // Producers, consumers and history readers inherit public methods from these packages. Reflection
  // checks the class that declares a method, so the packages are open: accessible at run time,
  // although no code can compile against them.
  opens dev.millrace.core.internal.history;
  opens dev.millrace.core.internal.ring;
}
