package dev.millrace.queues.internal.shared;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The words of the table of participants, and what they order between processes. */
final class EntryWords {
  /*
   * An entry has an owner: the process that enters it, then is its occupant, or that buries the
   * occupant. Only the owner writes the entry, but for the flag JUDGED, which anybody may set. The
   * owner's word is taken over by an exchange, and only from a process that has ended. So there is
   * one owner at a time, even where locks lie.
   *
   *   word       writer                          write mode            read by
   *   state      owner                           release, or opaque    any: acquire
   *              who judges; occupant, to leave  exchange
   *   owner      who takes the entry             exchange: acquire     who takes it: opaque
   *              owner, when it gives it back    release
   *   intent     occupant                        opaque, or release    any: acquire
   *   intentEnd  occupant                        release; opaque in    any: acquire
   *                                              confirm
   *              any, to confirm for it          exchange
   *   occupant   owner, before the state         opaque                any: opaque, after the state
   *
   * Non-invariant: an occupant's words may be those of the next one when they are read, and the
   * state's since changed. They are for people.
   *
   * What a process did before it ended is visible to a thread that learned of its end: see
   * Liveness.hasEnded.
   *
   * A  WORD.setRelease in occupy    ->  WORD.getAcquire in state         occupant's words; no intent
   *                                                                      of a former one
   * B  WORD.setRelease in giveBack  ->  WORD.compareAndExchangeAcquire   what the former owner did:
   *                                     in tryTakeOver                   left, or buried
   * C  VarHandle.fullFence in       ->  VarHandle.fullFence in           one sees the other: the
   *    declare                          fenceBurial                      intent, or JUDGED
   * D  WORD.setRelease in withdraw  ->  WORD.getAcquire in intent        how the claim ended
   * E  WORD.setRelease in declare   ->  WORD.getAcquire in intentEnd,    the former intent was
   *                                     intent                           withdrawn
   */
  private final MemorySegment table;

  EntryWords(MemorySegment table) {
    this.table = table;
  }

  int count() {
    return (int) (table.byteSize() / FileLayout.ENTRY_BYTES);
  }

  private static long at(int entry, long word) {
    return entry * FileLayout.ENTRY_BYTES + word;
  }

  // ---- the owner ----

  /** The ticket of the process that owns the entry; 0 if none does. */
  long owner(int entry) {
    // opaque: the exchange confirms it
    return (long) WORD.getOpaque(table, at(entry, FileLayout.OWNER));
  }

  /** Makes a process the owner, unless another one was faster. */
  boolean tryTakeOver(int entry, long former, long ticket) {
    long at = at(entry, FileLayout.OWNER);
    // acquire B: what former owners did
    return (long) WORD.compareAndExchangeAcquire(table, at, former, ticket) == former;
  }

  /** Leaves the entry without an owner. */
  void giveBack(int entry) {
    // release B: what this owner did
    WORD.setRelease(table, at(entry, FileLayout.OWNER), 0L);
  }

  // ---- the state ----

  long state(int entry) {
    // acquire A: the occupant, or what is no longer announced
    return (long) WORD.getAcquire(table, at(entry, FileLayout.STATE));
  }

  /** Whether an entry is still in the state that its occupant gave it. */
  boolean isState(int entry, long state) {
    // opaque: a fenced participant needs to see nothing else
    return (long) WORD.getOpaque(table, at(entry, FileLayout.STATE)) == state;
  }

  /** Lets an occupant in, given the state of the free entry; returns its state from now on. */
  long occupy(int entry, long free, Role role, Occupant occupant) {
    // opaque: release A follows
    WORD.setOpaque(table, at(entry, FileLayout.INTENT), FileLayout.NONE);
    return enter(entry, free, role, occupant);
  }

  /**
   * Lets an heir in, given the state of the entry of the judged one. What that one has announced
   * stays. Returns the entry's state from now on.
   */
  long inherit(int entry, long judged, Occupant heir) {
    return enter(entry, EntryState.freed(judged), EntryState.role(judged), heir);
  }

  private long enter(int entry, long free, Role role, Occupant occupant) {
    long[] words = occupant.words();
    for (int i = 0; i < words.length; i++) {
      // opaque: release A follows
      WORD.setOpaque(table, at(entry, FileLayout.OCCUPANT + (long) i * Long.BYTES), words[i]);
    }
    long entered = EntryState.entered(free, role);
    WORD.setRelease(table, at(entry, FileLayout.STATE), entered); // release A: the occupant
    return entered;
  }

  Occupant occupant(int entry) {
    long[] words = new long[FileLayout.OCCUPANT_WORDS];
    for (int i = 0; i < words.length; i++) {
      // opaque: ordered by acquire A of the state
      words[i] =
          (long) WORD.getOpaque(table, at(entry, FileLayout.OCCUPANT + (long) i * Long.BYTES));
    }
    return Occupant.of(words);
  }

  /** Frees the entry of its occupant, unless that was judged before. */
  boolean tryLeave(int entry, long state) {
    long at = at(entry, FileLayout.STATE);
    // atomic: the occupant leaves, or is judged; release B follows
    while (!WORD.weakCompareAndSetPlain(table, at, state, EntryState.freed(state))) {
      if (!isState(entry, state)) {
        return false;
      }
    }
    return true;
  }

  /** Shuts the occupant out, unless the state has changed since it was read. */
  boolean judge(int entry, long state) {
    long at = at(entry, FileLayout.STATE);
    // atomic: the occupant leaves, or is judged; the state before carries on its release
    return WORD.weakCompareAndSetPlain(table, at, state, state | EntryState.JUDGED);
  }

  /** Makes sure that a judged occupant has announced what it claims, or does not claim it. */
  void fenceBurial() {
    VarHandle.fullFence(); // fence C: JUDGED, which was seen, before the intent is read
  }

  /** Frees an entry whose occupant is buried, and announces nothing more. */
  void free(int entry, long judged) {
    // opaque: its claim was recovered, whether others see that it is announced or not
    WORD.setOpaque(table, at(entry, FileLayout.INTENT), FileLayout.NONE);
    // opaque: only the owner changes the state of a judged entry; release B follows
    WORD.setOpaque(table, at(entry, FileLayout.STATE), EntryState.freed(judged));
  }

  // ---- the intent ----

  /** Announces a claim, before it is made. */
  void declare(int entry, long first, long end) {
    // opaque: release E follows
    WORD.setOpaque(table, at(entry, FileLayout.INTENT), FileLayout.NONE);
    // release E: that the former intent is withdrawn
    WORD.setRelease(table, at(entry, FileLayout.INTENT_END), end);
    // release E: the end that belongs to it
    WORD.setRelease(table, at(entry, FileLayout.INTENT), first);
    VarHandle.fullFence(); // fence C: the intent before the state is read
  }

  /** Notes that the claim that is announced was made, by the occupant, which knows its end. */
  void confirm(int entry, long end) {
    // opaque: fence C of declare orders it after the former intent
    WORD.setOpaque(table, at(entry, FileLayout.INTENT_END), end | FileLayout.CONFIRMED);
  }

  /**
   * Notes for the occupant that it made the claim that it announced with this end. Does nothing if
   * it has noted that itself, or has announced another claim since, whose end differs. Only an
   * empty claim may have the same end: that of a producer, which means nothing if it was made.
   */
  void confirmFor(int entry, long end) {
    long at = at(entry, FileLayout.INTENT_END);
    while ((long) WORD.getOpaque(table, at) == end // opaque: the exchange confirms it
        // atomic: the occupant may confirm it, too, and announce the next one; what made the caller
        // ask carries on its release
        && !WORD.weakCompareAndSetPlain(table, at, end, end | FileLayout.CONFIRMED)) {
      Thread.onSpinWait(); // the exchange failed for no reason, or the occupant was faster
    }
  }

  static long end(long intentEnd) {
    return intentEnd & ~FileLayout.CONFIRMED;
  }

  static boolean isConfirmed(long intentEnd) {
    return (intentEnd & FileLayout.CONFIRMED) != 0;
  }

  /** Announces nothing more, once the claim has ended. */
  void withdraw(int entry) {
    // release D: how the claim ended
    WORD.setRelease(table, at(entry, FileLayout.INTENT), FileLayout.NONE);
  }

  /** The first sequence that is announced; {@link FileLayout#NONE} if none is. */
  long intent(int entry) {
    // acquire D, E: how the claim ended, or where the one that is announced does
    return (long) WORD.getAcquire(table, at(entry, FileLayout.INTENT));
  }

  /**
   * The end of what is announced, if {@link #intent} is the same before and after, and whether it
   * is confirmed: see {@link #end} and {@link #isConfirmed}.
   */
  long intentEnd(int entry) {
    // acquire E: that the former intent is withdrawn
    return (long) WORD.getAcquire(table, at(entry, FileLayout.INTENT_END));
  }

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
