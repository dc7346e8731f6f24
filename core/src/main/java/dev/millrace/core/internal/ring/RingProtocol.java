package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/**
 * A protocol that moves records through a ring: how slots are claimed, published, taken and freed.
 * The subclasses are the protocols. Declared here are the calls for one record, which a caller
 * makes with the exact class, and the queries from outside.
 *
 * <p>A ring works in sequences, and its users move views. They pass it the slots, as their own
 * field: after each ordered access the JIT reads the fields of an object again, but not those of a
 * record or of a hidden class.
 *
 * <p><b>Failure.</b> Once the memory is freed, nothing is found, and what is published is lost.
 * Free it only after {@link #close}, and call {@link #forget} afterwards.
 */
public sealed interface RingProtocol permits SpscRing, MpscRing, MpmcRing {
  // ---- one record ----

  /**
   * Claims a slot of this ring. Returns its sequence, or {@link Ring#NONE} or {@link Ring#CLOSED};
   * in the last case consumers must be woken. Throws {@link IllegalStateException} if producers
   * that stalled hold all slots.
   */
  long tryClaim(Ring slots);

  /**
   * Publishes the record of a claim of one slot. Returns false if the claim was given up before, or
   * the memory is freed.
   */
  boolean commit(Ring slots, long sequence);

  /** Takes a record; returns its sequence, or {@link Ring#NONE}. */
  long tryPoll(Ring slots);

  /** Frees the slot of a record that was taken. */
  void release(Ring slots, long sequence);

  // ---- the end ----

  /** Makes all claims fail from now on. Afterwards it is known exactly what is claimed. */
  void close();

  /**
   * Whether claims fail because {@link #close} was called; if so, what was done before that is
   * visible.
   */
  boolean isClosed();

  /**
   * Whether no record is left, nor a claim that may become one; asked after {@link #close}. If so,
   * what was done with the records is visible. True also if the memory is freed.
   */
  boolean isConsumed();

  /** Makes consumers forget the records that they have seen; called once the memory is freed. */
  default void forget() {}

  // ---- seen from outside ----

  /**
   * The end of the sequences that are claimed; may be too high while a claim of one producer is
   * refused.
   */
  long end();

  /**
   * The end of the records: of those claimed or, with one producer, of those committed. For rings
   * whose claims are of one slot.
   */
  default long recordsEnd() {
    return end();
  }

  /**
   * What consumers find at a sequence: how many records are committed from there on; or minus the
   * number of slots that hold none and never will; or 0 if neither is known, because it is not
   * published yet, or already taken. The bytes of the records found are visible.
   */
  long recordsAt(long sequence);

  /**
   * The end of what a consumer has seen committed, in a ring where one stamp may stand for a run
   * that the head is inside; may be lower than the head.
   */
  default long seenEnd() {
    return 0;
  }

  /** The end of the sequences that are freed; with many consumers, of those that are taken. */
  Sequence head();

  /** The claims, if many producers share them; null with one producer. */
  default SharedClaims sharedClaims() {
    return null;
  }

  /** How many slots consumers have passed that held no record for them. */
  default long passedCount() {
    return 0;
  }
}
