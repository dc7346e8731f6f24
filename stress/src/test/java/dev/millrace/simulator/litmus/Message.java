package dev.millrace.simulator.litmus;

/** A value and a flag that says that it is there. */
interface Message {
  void put(boolean release);

  long flag(boolean acquire);

  long value();
}
