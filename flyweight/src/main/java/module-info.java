/** Record layouts, and typed views that read and write records without copying. */
@SuppressWarnings("module") // the modules named below are built after this one
module dev.millrace.flyweight {
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.flyweight;
  exports dev.millrace.flyweight.internal to
      dev.millrace.core,
      dev.millrace.queues,
      dev.millrace.cache,
      dev.millrace.disruptor,
      dev.millrace.telemetry,
      dev.millrace.micrometer;
}
