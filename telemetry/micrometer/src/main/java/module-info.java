/** Publishes the metrics of this library to Micrometer. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // Micrometer has no module descriptor
module dev.millrace.micrometer {
  requires transitive dev.millrace.telemetry;
  requires transitive micrometer.core;
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.micrometer;
}
