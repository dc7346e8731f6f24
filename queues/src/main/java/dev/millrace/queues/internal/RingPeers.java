package dev.millrace.queues.internal;

import dev.millrace.core.internal.ring.Claimers;
import dev.millrace.queues.internal.shared.Role;

/**
 * The participants of a ring in memory that several processes map: who has a seat, and what becomes
 * of the seats of those that have died. A queue asks no more than this of a file, so that the
 * proofs can run its protocol without one.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
public interface RingPeers extends Claimers {
  /**
   * Recovers what a participant has left that is gone for good, or is leaving. One thread of all
   * processes runs it at a time; if its process dies meanwhile, another runs it again. It sees all
   * that the participant did, and who takes a seat afterwards sees all that it did.
   */
  interface Burial {
    /**
     * Recovers what a participant of this role has left, whose last announcement of a claim is from
     * the first sequence to the end, or none if the first is negative. Returns whether all is
     * recovered; else it is to be called again later.
     */
    boolean recover(Role role, long first, long end);
  }

  /** The place of one participant, from {@link #enter} to {@link #leave}. */
  interface Seat extends Claimers.Claimer {
    /**
     * Throws {@link IllegalStateException} if the participant has left, or was shut out because
     * others took it for dead.
     */
    void check();

    /** The first sequence that it has announced and not taken back; negative if none. */
    long announced();

    /** Gives the seat up, after the participant has ended what it had begun. */
    void leave();
  }

  /**
   * Takes a seat. Only one participant at a time has the role of a sole one; what a former one has
   * left that is gone is recovered first. Throws {@link IllegalStateException} if another has it
   * that is not known to be gone.
   */
  Seat enter(Role role, boolean isSole);

  /**
   * Has recovered what participants have left that are gone; returns whether there was any. Cheap
   * enough to be called each time a thread has waited for a moment.
   */
  boolean buryDead();
}
