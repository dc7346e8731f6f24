package dev.millrace.bench.compare;

/** What passes through stages: of one number, on the heap or in a ring's memory. */
interface Event {
  /** Writes what the producer writes. */
  void set(long number);
}
