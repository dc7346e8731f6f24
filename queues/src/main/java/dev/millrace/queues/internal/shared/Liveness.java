package dev.millrace.queues.internal.shared;

/**
 * Who lives, by a sign of life per entry that a participant holds while it has the entry, and loses
 * when it dies, however it dies. In a file the sign is a lock of the kernel's; see {@link
 * EntryLocks}.
 *
 * <p><b>Errors.</b> A sign may be lost while its holder lives, and may be found held for a moment
 * when no participant lives. Neither does harm: a participant that is wrongly judged is fenced, and
 * its entry is left alone while its process runs. Only {@link #hasEnded} must be right when it
 * returns true.
 */
public interface Liveness {
  /** Whether a participant holds the sign of an entry. */
  boolean isAlive(int entry);

  /** Takes the sign of an entry; returns false if it is held. */
  boolean tryHold(int entry);

  /** Gives back the sign of an entry, which is held. */
  void letGo(int entry);

  /**
   * Whether the process of a ticket has ended. If so, all that it wrote is visible to the caller.
   * May return false a while too long, never true too early.
   */
  boolean hasEnded(long ticket);
}
