/** A cache in native memory. */
module dev.millrace.cache {
  requires transitive dev.millrace.core;

  exports dev.millrace.cache;
}
