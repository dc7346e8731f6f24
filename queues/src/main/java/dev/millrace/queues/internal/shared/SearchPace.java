package dev.millrace.queues.internal.shared;

import dev.millrace.core.Sequence;

/**
 * How often a process searches for participants that have died, however often its threads find a
 * reason to.
 *
 * <p><b>Roles.</b> Any thread may ask.
 */
public final class SearchPace {
  private static final long REST_NANOS = 200_000; // between two searches

  private final Sequence searchedAt = new Sequence(System.nanoTime() - REST_NANOS);

  /** Makes the pace of a file; the first search is due at once. */
  public SearchPace() {}

  /** Whether a search is due; if so, the caller makes it. */
  public boolean isDue() {
    long now = System.nanoTime();
    // opaque: a race costs a search, or delays one
    boolean isDue = now - searchedAt.getOpaque() >= REST_NANOS;
    if (isDue) {
      searchedAt.setOpaque(now); // opaque: likewise
    }
    return isDue;
  }
}
