package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import org.jspecify.annotations.Nullable;

/**
 * A protocol that moves records through a ring. It defines how slots are claimed, published, taken
 * and freed. Each permitted class is a protocol. This interface has the calls for one record, which
 * callers make on the exact class, and the queries from outside.
 *
 * <p>A ring works with sequences, and its users move views. They pass it the slots from a field of
 * their own, because after each ordered access the JIT compiler reads the fields of an object
 * again, but not those of a record or of a hidden class.
 *
 * <p><b>Failure.</b> Once the memory is freed, no record is found, and records that are published
 * are lost. Free the memory only after {@link #close}, and call {@link #forget} afterwards.
 */
public sealed interface RingProtocol permits SpscRing, MpscRing, MpmcRing {
  // ---- one record ----

  /**
   * Claims a slot of this ring. Returns its sequence, {@link Ring#NONE} or {@link Ring#CLOSED}. In
   * the last case consumers must be woken. Throws {@link IllegalStateException} if stalled
   * producers hold all slots.
   */
  long tryClaim(Ring slots);

  /**
   * Publishes the record of a one-slot claim. Returns false if the claim had already been given up
   * or the memory is freed.
   */
  boolean commit(Ring slots, long sequence);

  /** Takes a record; returns its sequence, or {@link Ring#NONE} if there is none. */
  long tryPoll(Ring slots);

  /** Frees the slot of a record that was taken. */
  void release(Ring slots, long sequence);

  // ---- the end ----

  /**
   * Makes all claims fail from now on. Afterwards it is known exactly which sequences are claimed.
   */
  void close();

  /**
   * Returns whether claims fail because {@link #close} was called. If so, everything done before
   * that call is visible.
   */
  boolean isClosed();

  /**
   * Returns whether there is neither a record nor a claim that may become one. May be called only
   * after {@link #close}. If it returns true, what was done with the records is visible. Also true
   * if the memory is freed.
   */
  boolean isConsumed();

  /** Makes consumers forget the records that they have seen. Called once the memory is freed. */
  default void forget() {}

  // ---- seen from outside ----

  /**
   * Returns the end of the claimed sequences. It may be too high while a claim of a single producer
   * is being refused.
   */
  long end();

  /**
   * Returns the end of the claimed records or, with one producer, of the committed ones. Only for
   * rings in which each claim has one slot.
   */
  default long recordsEnd() {
    return end();
  }

  /**
   * Returns what consumers find at {@code sequence}. A positive number says how many records are
   * committed from there on. A negative number is minus the number of slots that hold no record and
   * never will. 0 means that neither is known, because the record is not published yet or already
   * taken. The bytes of the records found are visible.
   */
  long recordsAt(long sequence);

  /**
   * Returns the end of the records that a consumer has seen committed, in a ring where one stamp
   * may stand for a run that the head is inside. May be lower than the head.
   */
  default long seenEnd() {
    return 0;
  }

  /** Returns the end of the freed sequences or, with many consumers, of the taken ones. */
  Sequence head();

  /** Returns the claims if many producers share them; null with one producer. */
  default @Nullable SharedClaims sharedClaims() {
    return null;
  }

  /** Returns how many slots consumers have passed that held no record for them. */
  default long passedCount() {
    return 0;
  }
}
