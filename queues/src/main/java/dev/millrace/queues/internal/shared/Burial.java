package dev.millrace.queues.internal.shared;

/**
 * Recovers what a participant has left open that will never act again. The ring provides it.
 *
 * <p>One thread of all processes runs it for an entry at a time. If that thread's process dies, or
 * the recovery throws or returns false, it is run once more, by the same process or another: so it
 * must be able to go on wherever it stopped. It sees all that the dead participant did, and all
 * that an earlier run did; who enters afterwards sees all that it did.
 */
@FunctionalInterface
public interface Burial {
  /**
   * Recovers; returns whether all is recovered, so that the entry can be used again.
   *
   * @param entry the entry of the dead, whose intent is still there
   * @param role what it was
   */
  boolean tryRecover(int entry, Role role);
}
