package dev.millrace.stress.scenario;

/** A record of two numbers that must agree. */
interface Duo {
  long first();

  Duo first(long value);

  long second();

  Duo second(long value);
}
