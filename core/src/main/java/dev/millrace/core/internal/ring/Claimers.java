package dev.millrace.core.internal.ring;

/**
 * Those who claim slots of a ring that several processes share: what each is about to claim, and
 * what has become of it.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
public interface Claimers {
  /** What is known of the one that announced a claim. */
  enum Fate {
    /** It lives, as far as anybody can tell. */
    LIVE,
    /** It was found dead and shut out, but its process still runs, so it may write its slots. */
    FENCED,
    /** It will never act again. */
    DEAD,
    /** None announces the claim: it has just ended. */
    UNKNOWN
  }

  /**
   * Returns the fate of the claimer of a sequence. If the claim is marked, that is the one that
   * has confirmed it. Otherwise several may have announced it, and it is the fate of one that is
   * dead, if there is any: the claim is then given up even if it is another's, who will claim
   * again. One that is dead is shut out before this returns.
   */
  Fate fateOf(long sequence, boolean isMarked);

  /** For how long a claim is open, in nanoseconds, before it is worth asking for its claimer. */
  long patienceNanos();

  /** One of them. */
  interface Claimer {
    /**
     * Announces a claim that is about to be made. Throws {@link IllegalStateException} if the
     * claimer was shut out. Either a thread that shuts it out finds the announcement, or this throws.
     */
    void declare(long first, long end);

    /** Notes that the claim was made. It is not marked yet. */
    void confirm();

    /** Takes the announcement back, once the claim has ended or was not made. */
    void withdraw();
  }
}
