package dev.millrace.queues.internal.shared;

import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * The table of participants of a ring that several processes share: they enter, leave, or die and
 * are buried.
 *
 * <p>A process that finds a participant dead judges it first: from then on it is fenced and cannot
 * leave by itself. Once its process has ended, one of the others buries it, that is, has the ring
 * recover what it had open, and then the entry is free again. A participant that is judged though
 * its process runs, because a lock was lost, keeps its entry until it leaves or its process ends.
 *
 * <p>If the ring cannot recover what a dead participant had open, an heir can take its place and go
 * on with that: see {@link #tryInherit}. An heir is a participant like any other. If it dies, its
 * place has another heir.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Progress.</b> Nothing waits for a participant, dead or alive, but {@link #enterSole}, for
 * at most a second. Entering, and asking for the fate of a participant of another process, take
 * system calls.
 *
 * <p><b>Failure.</b> What the table cannot hold is reported by an {@link UncheckedIOException} that
 * names the file and the entry. Nothing is allocated or repeated on its account.
 */
public final class Participants {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final EntryWords words;
  private final int count;
  private final int reserved;
  private final ProcessId self;
  private final Liveness liveness;
  private final Burial burial;
  private final String file;

  /**
   * Takes a table over that lies in memory, zeroed or as processes have left it.
   *
   * @param table the entries
   * @param reserved how many of them, from the first, are for sole roles
   * @param self the process that enters participants here
   * @param liveness knows which participants live
   * @param burial recovers what the dead have left
   * @param file names the file in messages
   */
  public Participants(
      MemorySegment table,
      int reserved,
      ProcessId self,
      Liveness liveness,
      Burial burial,
      String file) {
    this.words = new EntryWords(table);
    this.count = words.count();
    this.reserved = reserved;
    this.self = self;
    this.liveness = liveness;
    this.burial = burial;
    this.file = file;
  }

  /** How many entries there are. */
  public int count() {
    return count;
  }

  // ---- entering ----

  /**
   * Takes an entry that is not reserved. Throws {@link IllegalStateException} if all have living
   * occupants.
   */
  public Participant enter(Role role, String name) {
    Participant entered = tryEnter(role, name);
    if (entered == null) {
      throw new IllegalStateException(
          "no room for another participant: %d are there, %s".formatted(count - reserved, file));
    }
    return entered;
  }

  /** Takes an entry that is not reserved; returns null if all have occupants that stay. */
  public Participant tryEnter(Role role, String name) {
    for (int tries = 0; tries < 2; tries++) {
      for (int entry = reserved; entry < count; entry++) {
        // free entries first: there is nothing to bury
        if (tries > 0 || EntryState.isFree(state(entry))) {
          Participant entered = tryEnter(entry, role, name);
          if (entered != null) {
            return entered;
          }
        }
      }
    }
    return null;
  }

  /**
   * Takes a reserved entry, whose occupant is the only one in its role. Throws {@link
   * IllegalStateException} if there is one already.
   */
  public Participant enterSole(int entry, Role role, String name) {
    Checks.inRange("entry", entry, 0, reserved - 1);
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      Participant entered = tryEnter(entry, role, name);
      if (entered != null) {
        return entered;
      }
      long state = state(entry);
      boolean isFree = EntryState.isFree(state);
      if (!isFree && !EntryState.isJudged(state) && liveness.isAlive(entry)) {
        throw occupied(entry, role, "");
      }
      if (System.nanoTime() - end >= 0) {
        throw isFree
            ? new IllegalStateException(
                "participant %d is being entered by another process: %s".formatted(entry, file))
            : occupied(entry, role, ", dead, but its process runs or its ring is not recovered");
      }
      // another process may be at it, or the kernel not done with the process that has died
      LockSupport.parkNanos(REST_NANOS);
    }
  }

  /** Takes a reserved entry; returns null if it has an occupant that cannot be buried now. */
  public Participant tryEnterSole(int entry, Role role, String name) {
    Checks.inRange("entry", entry, 0, reserved - 1);
    return tryEnter(entry, role, name);
  }

  private IllegalStateException occupied(int entry, Role role, String how) {
    return new IllegalStateException(
        "there is a %s already: %s%s, %s".formatted(role, words.occupant(entry), how, file));
  }

  /** Takes an entry if it has no occupant, or one that can be buried; returns null otherwise. */
  private Participant tryEnter(int entry, Role role, String name) {
    if (!isOver(entry) || !tryTake(entry)) {
      return null;
    }
    Participant entered = null;
    try {
      if (tryRecover(entry)) {
        long state = words.occupy(entry, state(entry), role, new Occupant(self, name));
        entered = new Participant(this, words, entry, state);
      }
      return entered;
    } finally {
      if (entered == null) {
        giveBack(entry);
      }
    }
  }

  /**
   * Takes the entry of a dead participant in a role that the ring cannot recover, together with
   * what that one has announced. Buries those that it can recover. Returns null if none is left.
   */
  public Participant tryInherit(Role role, String name) {
    for (int entry = 0; entry < count; entry++) {
      if (EntryState.role(state(entry)) == role && isOver(entry) && tryTake(entry)) {
        Participant heir = null;
        try {
          heir = inherit(entry, role, name);
        } finally {
          if (heir == null) {
            giveBack(entry);
          }
        }
        if (heir != null) {
          return heir;
        }
      }
    }
    return null;
  }

  /** Takes the place of a judged participant in an entry of this process, or buries it. */
  private Participant inherit(int entry, Role role, String name) {
    long state = state(entry); // again: the entry may have had another occupant since
    if (EntryState.role(state) != role || !EntryState.isJudged(state) || tryRecover(entry)) {
      return null;
    }
    return new Participant(
        this, words, entry, words.inherit(entry, state, new Occupant(self, name)));
  }

  // ---- death ----

  /** Buries all that are dead and can be buried by now. Returns how many were. */
  public int buryDead() {
    int buried = 0;
    for (int entry = 0; entry < count; entry++) {
      if (!EntryState.isFree(state(entry)) && isOver(entry) && tryTake(entry)) {
        try {
          buried += tryRecover(entry) ? 1 : 0;
        } finally {
          giveBack(entry);
        }
      }
    }
    return buried;
  }

  /**
   * Returns the fate of the participant that announced a claim of this sequence. If {@code
   * isConfirmed}, only a confirmed claim counts, of which there is one. Otherwise several may have
   * announced one, and a dead one counts first. A dead participant is judged before this returns,
   * so it cannot begin another claim.
   */
  public Fate fateOf(long sequence, boolean isConfirmed) {
    Fate found = Fate.UNKNOWN;
    for (int entry = 0; entry < count && !found.isOver(); entry++) {
      long state = state(entry);
      if (!EntryState.isFree(state) && announces(entry, sequence, isConfirmed)) {
        Fate fate = fate(entry, state);
        found = fate == Fate.UNKNOWN ? found : fate;
      }
    }
    return found;
  }

  private boolean announces(int entry, long sequence, boolean isConfirmed) {
    long first = words.intent(entry);
    long word = words.intentEnd(entry);
    return first >= 0
        && first <= sequence
        && sequence < EntryWords.end(word)
        && (!isConfirmed || EntryWords.isConfirmed(word))
        && words.intent(entry) == first;
  }

  /**
   * Whether another participant has announced a claim whose first sequence satisfies a condition,
   * and is not known to be dead. If this returns false, all others that had announced one are dead,
   * or the caller sees how their claims ended.
   */
  public boolean isAnnounced(LongPredicate first, int except) {
    for (int entry = 0; entry < count; entry++) {
      // before the state: an entry that is free may have been left since
      long intent = words.intent(entry);
      if (entry != except && intent >= 0 && first.test(intent)) {
        long state = state(entry);
        boolean wasUsed = !EntryState.isUnused(state); // else the intent is a zero of the new file
        if (wasUsed && (EntryState.isFree(state) || fate(entry, state) != Fate.DEAD)) {
          return true;
        }
      }
    }
    return false;
  }

  private Fate fate(int entry, long state) {
    if (!EntryState.isJudged(state)) {
      if (liveness.isAlive(entry)) {
        return Fate.LIVE;
      }
      if (!words.judge(entry, state)) {
        return Fate.UNKNOWN; // it has just left, or another process judges it
      }
    }
    return hasNoOwner(words.owner(entry)) ? Fate.DEAD : Fate.FENCED;
  }

  private boolean hasNoOwner(long owner) {
    return owner == 0 || liveness.hasEnded(owner);
  }

  /** Whether an entry has no occupant, or one that is judged; judges the dead. */
  private boolean isOver(int entry) {
    long state = state(entry);
    return EntryState.isFree(state)
        || EntryState.isJudged(state)
        || (!liveness.isAlive(entry) && words.judge(entry, state));
  }

  /** Makes this process the owner of an entry, unless another one is that has not ended. */
  private boolean tryTake(int entry) {
    if (!liveness.tryHold(entry)) {
      return false;
    }
    long owner = words.owner(entry);
    if (hasNoOwner(owner) && words.tryTakeOver(entry, owner, self.ticket())) {
      return true;
    }
    liveness.letGo(entry);
    return false;
  }

  private void giveBack(int entry) {
    words.giveBack(entry);
    liveness.letGo(entry);
  }

  /** Buries the occupant of an entry that this process owns; returns whether the entry is free. */
  private boolean tryRecover(int entry) {
    long state = state(entry);
    if (EntryState.isFree(state)) {
      return true;
    }
    if (!EntryState.isJudged(state)) {
      return false;
    }
    words.fenceBurial();
    if (!burial.tryRecover(entry, EntryState.role(state))) {
      return false;
    }
    words.free(entry, state);
    return true;
  }

  /** Judges a participant of this process, and gives back its entry. */
  void abandon(int entry, long state) {
    while (words.isState(entry, state) && !words.judge(entry, state)) {
      Thread.onSpinWait(); // the exchange failed for no reason
    }
    leave(entry, state);
  }

  /** Gives back the entry of a participant; if it is judged, after its own burial. */
  void leave(int entry, long state) {
    boolean isOwner = true;
    try {
      if (!words.tryLeave(entry, state)) {
        // a process that was taken for ended, in another namespace, has lost its entry
        isOwner = words.owner(entry) == self.ticket();
        boolean _ = isOwner && tryRecover(entry);
      }
    } finally {
      if (isOwner) {
        words.giveBack(entry);
      }
      liveness.letGo(entry);
    }
  }

  // ---- reading ----

  /** The state of an entry, which is one that it can have. */
  private long state(int entry) {
    long state = words.state(entry);
    if (!EntryState.isPossible(state)) {
      throw new UncheckedIOException(
          new IOException(
              "%s: participant %d is damaged: state=0x%x".formatted(file, entry, state)));
    }
    return state;
  }

  /** The first sequence that an entry's occupant, dead or alive, has announced; -1 if none. */
  public long intent(int entry) {
    return words.intent(entry);
  }

  /** The sequence behind what is announced; of no meaning while the occupant lives. */
  public long intentEnd(int entry) {
    return EntryWords.end(words.intentEnd(entry));
  }

  /** Whether the occupant, dead or leaving, has made the claim that it announced. */
  public boolean isConfirmed(int entry) {
    return EntryWords.isConfirmed(words.intentEnd(entry));
  }

  /**
   * Notes for the occupant of an entry that it made the claim that it announced with this end. Does
   * nothing if it has noted that, or has announced another claim since, or if there is no entry of
   * this number.
   */
  public void confirmFor(int entry, long end) {
    if (entry < count) {
      words.confirmFor(entry, end);
    }
  }

  /** Whether the process of some participant still runs, its lock held or lost; or damage. */
  boolean isAnyRunning() {
    for (int entry = 0; entry < count; entry++) {
      if (!EntryState.isFree(words.state(entry)) && !hasNoOwner(words.owner(entry))) {
        return true;
      }
    }
    return false;
  }

  /** The occupant of an entry, for people; null if there is none. */
  public String describe(int entry) {
    long state = state(entry);
    return EntryState.isFree(state)
        ? null
        : presence(entry, state, !EntryState.isJudged(state)).toString();
  }

  /** The occupant of an entry, and whether its lock is held now; null if there is none. */
  Presence presence(int entry) {
    long state = state(entry);
    return EntryState.isFree(state)
        ? null
        : presence(entry, state, !EntryState.isJudged(state) && liveness.isAlive(entry));
  }

  private Presence presence(int entry, long state, boolean isAlive) {
    return new Presence(entry, EntryState.role(state), isAlive, words.occupant(entry));
  }

  FencedException fenced(int entry) {
    return new FencedException(
        "taken for dead by another process, since its lock was lost: participant %d, %s"
            .formatted(entry, file));
  }
}
