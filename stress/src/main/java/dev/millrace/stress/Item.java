package dev.millrace.stress;

import dev.millrace.stress.SoakProducer.Fault;

/** What a producer of the soaks writes into a claim: a record or a message, by its number. */
interface Item {
  /** Writes all of it. */
  void number(long its);

  /** Writes what no consumer may ever see. */
  void poison();

  /**
   * Does wrong to what was written, as far as the fault concerns it.
   *
   * @return false if the fault cannot be planted in this one
   */
  boolean spoil(Fault fault);
}
