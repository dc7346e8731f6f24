/** What a record holds. */
module dev.millrace.flyweight {
  requires transitive dev.millrace.core;
}
