package dev.millrace.queues.internal.shared;

import dev.millrace.core.Sequence;

/**
 * How often the threads of a process search for participants that have died, however often they
 * find a reason to.
 *
 * <p><b>Roles.</b> Any thread may ask.
 */
public final class SearchPace {
  private final long restNanos;
  private final Sequence searchedAt;

  /**
   * Makes the pace of a file. The first search is due at once.
   *
   * @param restNanos how long after one search the next one is due
   */
  public SearchPace(long restNanos) {
    this.restNanos = restNanos;
    this.searchedAt = new Sequence(System.nanoTime() - restNanos);
  }

  /** Whether a search is due; if so, the caller makes it. */
  public boolean isDue() {
    long now = System.nanoTime();
    if (now - searchedAt.getOpaque() < restNanos) { // opaque: at worst two threads search
      return false;
    }
    searchedAt.setOpaque(now); // opaque: likewise
    return true;
  }

  /** Makes the next search due at once, because the last one may not have found all. */
  public void hurry() {
    searchedAt.setOpaque(System.nanoTime() - restNanos); // opaque: at worst the search comes late
  }
}
