package dev.millrace.queues.internal.shared;

/**
 * The state word of a participant's entry: {@code epoch << 8 | JUDGED | role}.
 *
 * <pre>
 *            enter                     judge                   bury
 *   FREE(e) -------> role, epoch e ------------> role | JUDGED ------> FREE(e + 1)
 *                          |                                            ^
 *                          +--------------------------------------------+
 *                                              leave
 * </pre>
 *
 * An epoch is of one occupant, so a word that has changed never comes back.
 */
final class EntryState {
  /** Others found its lock free: the occupant is dead, or has lost its lock and is fenced. */
  static final long JUDGED = 0x80;

  private static final long ROLE = 0x7F;
  private static final long EPOCH = 0x100;

  private EntryState() {}

  /** The state of an entry that somebody enters, given what it was while it was free. */
  static long entered(long free, Role role) {
    return free | role.code();
  }

  /** The state of an entry that is free again. */
  static long freed(long state) {
    return (state & -EPOCH) + EPOCH;
  }

  static boolean isFree(long state) {
    return (state & ROLE) == 0;
  }

  /** Whether no occupant was ever there. */
  static boolean isUnused(long state) {
    return state == 0;
  }

  static boolean isJudged(long state) {
    return (state & JUDGED) != 0;
  }

  /** The occupant's role; null if the entry is free. */
  static Role role(long state) {
    return Role.of((int) (state & ROLE));
  }

  /** Whether an entry can have this state; another one is damage. */
  static boolean isPossible(long state) {
    return isFree(state) ? !isJudged(state) : role(state) != null;
  }
}
