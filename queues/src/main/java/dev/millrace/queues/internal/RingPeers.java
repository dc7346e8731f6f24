package dev.millrace.queues.internal;

import dev.millrace.core.internal.ring.Claimers;
import dev.millrace.queues.internal.shared.Role;

/**
 * The participants of a ring in memory that several processes map. It hands out their seats and
 * recovers the seats of participants that have died. A queue needs no more than this from a file,
 * so the proofs can run its protocol without one.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
public interface RingPeers extends Claimers {
  /**
   * Recovers what a participant has left behind that is gone for good, or is leaving. Only one
   * thread of all processes runs it at a time. If that thread's process dies before it ends,
   * another thread runs it again. It sees everything that the participant did, and whoever takes a
   * seat afterwards sees everything that it did.
   */
  interface Burial {
    /**
     * Recovers what a participant of this role has left, which has the seat with this number. It
     * announced a claim from the sequence {@code first} to before {@code end}, or none if {@code
     * first} is negative. {@code wasMade} says whether it confirmed that claim. Returns whether
     * everything is recovered. Otherwise the method must be called again later, or the seat be
     * inherited.
     */
    boolean recover(Role role, int number, long first, long end, boolean wasMade);
  }

  /** The place of one participant, from {@link #enter} to {@link #leave}. */
  interface Seat extends Claimers.Claimer {
    /**
     * Throws {@link IllegalStateException} if the participant has left, or was shut out because
     * others took it for dead.
     */
    void check();

    /** Returns the number of the seat, which no other participant has at the same time. */
    int number();

    /** Returns the first sequence of the claim that it made and has not ended; negative if none. */
    long claimed();

    /** Returns the sequence after the last one of that claim. */
    long claimedEnd();

    /** Gives the seat up, after the participant has ended what it had begun. */
    void leave();

    /**
     * Gives the seat up as if the participant had died. What it has left is recovered, now or
     * later, or the seat is inherited.
     */
    void abandon();
  }

  /**
   * Takes a seat. Only one participant at a time has the role of a sole one; what a former one has
   * left that is gone is recovered first. Throws {@link IllegalStateException} if another has it
   * that is not known to be gone.
   */
  Seat enter(Role role, boolean isSole);

  /**
   * Returns whether it is time to call {@link #tryInherit}; if so, the caller does. Cheap enough to
   * be called each time a thread has waited for a moment.
   */
  boolean isInheritingDue();

  /**
   * Takes the seat of a dead participant in this role, with the claim that it has announced,
   * because the ring could not recover that. Recovers the others. Returns null if there is none.
   */
  Seat tryInherit(Role role);

  /** Returns whether the participant in a seat has confirmed the claim that it has announced. */
  boolean isConfirmed(int number);

  /**
   * Confirms for the participant in a seat the claim that it announced with this end, because it
   * was seen to have made it. Does nothing if that is confirmed, or it has announced another one
   * since, unless that is an empty one with the same end.
   */
  void confirmFor(int number, long end);

  /**
   * Has recovered what participants have left that are gone; returns whether there was any. Cheap
   * enough to be called each time a thread has waited for a moment.
   */
  boolean buryDead();
}
