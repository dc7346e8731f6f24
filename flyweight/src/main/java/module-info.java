/** What a record holds: layouts, and typed views that copy nothing. */
@SuppressWarnings("module") // the modules named below are built after this one
module dev.millrace.flyweight {
  requires transitive dev.millrace.core;

  exports dev.millrace.flyweight;
  exports dev.millrace.flyweight.internal to
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry;

  // Producers and consumers inherit public methods from there. Reflection checks the class that
  // declares a method; an open package is accessible at run time, yet no code compiles against it.
  opens dev.millrace.flyweight.internal;
}
