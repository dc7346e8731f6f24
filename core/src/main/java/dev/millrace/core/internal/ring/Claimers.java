package dev.millrace.core.internal.ring;

/**
 * The claimers of a ring that several processes share: what each of them is about to claim, and
 * whether it still lives.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
public interface Claimers {
  /** What is known about the claimer that announced a claim. */
  enum Fate {
    /** It lives, as far as any process can tell. */
    LIVE,
    /** It was found dead and shut out, but its process still runs, so it may write its slots. */
    FENCED,
    /** It will never act again. */
    DEAD,
    /** No claimer announces the claim, which has just ended. */
    UNKNOWN;

    /** Returns whether the claimer cannot end its claim any more. */
    public boolean isOver() {
      return this == FENCED || this == DEAD;
    }
  }

  /**
   * Returns the fate of the claimer of a sequence. A marked claim belongs to the claimer that
   * confirmed it. Several claimers may have announced an unmarked one. Then a dead one counts, if
   * there is any, although the claim may belong to another one, which claims again if it is given
   * up. A dead claimer is shut out before this method returns.
   */
  Fate fateOf(long sequence, boolean isMarked);

  /**
   * Returns whether any claimer announces a claim that begins at the slot of {@code sequence} in a
   * later turn.
   */
  boolean isClaimedAgain(long sequence);

  /** Returns for how many nanoseconds a claim must be open before its claimer's fate is asked. */
  long patienceNanos();

  /** One of the claimers. */
  interface Claimer {
    /**
     * Announces a claim that is about to be made, instead of an earlier one. If the claimer was
     * shut out, it announces nothing and throws {@link IllegalStateException}. A thread that shuts
     * it out later finds the announcement.
     */
    void declare(long first, long end);

    /** Notes that the announced claim was made. It is not marked yet. */
    void confirm();

    /** Withdraws the announcement, because the claim has ended or was not made. */
    void withdraw();
  }
}
