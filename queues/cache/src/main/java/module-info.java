/** A cache in native memory. */
module dev.millrace.cache {
  requires transitive dev.millrace.core;
  requires transitive dev.millrace.flyweight;

  exports dev.millrace.cache;
}
