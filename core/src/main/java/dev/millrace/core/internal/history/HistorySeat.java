package dev.millrace.core.internal.history;

/**
 * The place of a writer among those of several processes, from which its claims can be recovered
 * when it has died.
 *
 * <p><b>Roles.</b> The writer's thread calls it.
 */
public interface HistorySeat {
  /** Throws {@link IllegalStateException} if others took the writer for dead, or it has left. */
  void check();

  /**
   * Announces that the writer is about to take a sequence. Throws {@link IllegalStateException} if
   * it must not. There is a full fence in between, so either the recovery of the writer finds the
   * announcement, or this throws.
   */
  void declare(long sequence);

  /** Takes the announcement back, once the claim has ended. */
  void withdraw();
}
