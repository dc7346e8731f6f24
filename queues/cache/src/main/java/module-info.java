/** A cache in native memory. */
module dev.millrace.cache {
  requires transitive dev.millrace.core;
  requires static org.jspecify; // annotations, not needed at run time

  exports dev.millrace.cache;
}
