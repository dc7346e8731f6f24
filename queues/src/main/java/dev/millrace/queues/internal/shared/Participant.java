package dev.millrace.queues.internal.shared;

/**
 * An entry of the table, from {@link Participants#enter} to {@link #leave}.
 *
 * <p><b>Roles.</b> One thread at a time; any thread may ask {@link #isFenced}.
 */
public final class Participant {
  private final Participants table;
  private final EntryWords words;
  private final int entry;
  private final long state;
  private boolean hasLeft;

  Participant(Participants table, EntryWords words, int entry, long state) {
    this.table = table;
    this.words = words;
    this.entry = entry;
    this.state = state;
  }

  /** The number of the entry. */
  public int entry() {
    return entry;
  }

  /** Whether others took it for dead: then it may neither claim nor poll any more. One read. */
  public boolean isFenced() {
    return !words.isState(entry, state);
  }

  /** Throws {@link FencedException} if it is fenced. */
  public void check() {
    if (isFenced()) {
      throw hasLeft
          ? new IllegalStateException("participant has left: " + entry)
          : table.fenced(entry);
    }
  }

  /**
   * Announces a claim that is about to be made. Returns false if the participant is fenced, and
   * must not make it. A full fence is in between: either the burial of the participant finds the
   * announcement, or this returns false.
   */
  public boolean declare(long first, long end) {
    words.declare(entry, first, end);
    return !isFenced();
  }

  /** Notes that the announced claim, which ends there, was made. */
  public void confirm(long end) {
    words.confirm(entry, end);
  }

  /** Takes the announcement back, once the claim has ended or was not made. */
  public void withdraw() {
    words.withdraw(entry);
  }

  /**
   * Frees the entry, after the ring has ended all that the participant had open. May be repeated.
   */
  public void leave() {
    if (!hasLeft) {
      hasLeft = true;
      table.leave(entry, state);
    }
  }

  /** Frees the entry as if the participant had died: what it has open is recovered. */
  public void abandon() {
    if (!hasLeft) {
      hasLeft = true;
      table.abandon(entry, state);
    }
  }
}
