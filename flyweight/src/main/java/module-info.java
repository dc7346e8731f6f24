/** What a record holds: layouts, and typed views that copy nothing. */
module dev.millrace.flyweight {
  requires transitive dev.millrace.core;

  exports dev.millrace.flyweight;
}
