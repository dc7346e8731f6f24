package dev.millrace.queues.messages;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.MemorySequence;
import dev.millrace.core.internal.ring.Claimers.Fate;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.RingPeers.Seat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Consumers in several processes that share the messages of a queue: what each of them has in hand,
 * and what becomes of it if it dies.
 *
 * <p><b>Roles.</b> Any thread may call any method that does not say otherwise.
 */
final class SharedConsumers {
  /*
   * A consumer announces the messages that it is about to take, moves the head, and confirms. It
   * withdraws the announcement after it has released them. So a message before the head that is not
   * released is announced by the one that has it in hand. Others may announce it too: they tried to
   * take it, and either will withdraw or are dead.
   *
   * The recovery of a dead consumer goes through the messages that it had announced. A message that
   * is in hand and that nobody else can have is returned: it becomes RETURNED where it is, and the
   * first consumer that finds it takes it once more, by an exchange to RETAKEN. Or it is counted as
   * lost and released, as was chosen when the file was made.
   *
   *   words, each of 128 bytes          writer           write mode  read by
   *   returns                           recovery         exchange    consumers: acquire
   *   losses, 16 bytes of each entry:
   *     planned                         recovery         opaque      the next one of the entry
   *     counted                         recovery         release     any: acquire
   *
   * Two dead may have announced the same message, if neither has confirmed. Then the recovery of
   * the one with the lower entry counts it, and the other one waits for it. The recovery of an
   * entry is one at a time, but its process may die in it. Then planned and counted differ, and the
   * next one does not count again. If it returned a message before it died, another consumer may
   * have taken that one once more, but then it is RETAKEN and announced by another.
   *
   * Released cells may be claimed again as soon as all cells before them are released. So stamps
   * of a later turn tell where the messages of this turn were only as long as they are FREE.
   * Otherwise freed, which is then behind them, tells where the next one is.
   *
   * A  STAMP.compareAndExchangeRelease in     ->  STAMP.getAcquire in read     whose it was, and who
   *    tryExchange                                                             has announced it
   * B  returns.weakCompareAndSetRelease in    ->  returns.getAcquire in        the stamps
   *    returnAll                                  tryRetake
   * C  STAMP.setRelease in loseAll            ->  stamp.getAcquire in          the dead has read it
   *                                               FreedCells.reachedFrom
   * D  WORD.setRelease in loseAll             ->  WORD.getAcquire in           what is counted is
   *                                               lostCount                    released
   * E  head.weakCompareAndSetRelease in       ->  head.getAcquire in           who has announced
   *    MessageConsumer.tryTake                    takenEnd                     what is before it
   * F  freed.weakCompareAndSetRelease in      ->  freed.getAcquire in          cells before it are
   *    FreedCells.end                             firstInUse                   free
   */
  private static final int ENTRIES = 64; // that have places for their losses
  private static final long LOSS_BYTES = 2L * Long.BYTES;

  /** The bytes of the words. */
  static final long BYTES = MemorySequence.SIZE_BYTES + ENTRIES * LOSS_BYTES;

  private final MemorySegment memory;
  private final Ring ring;
  private final Stamps stamps;
  private final Sequence head;
  private final Sequence freed;
  private final FreedCells cells;
  private final MemorySequence returns;
  private final long losses;
  private final boolean repeats;
  private final DamageChecks checks;
  private final long capacity;
  private RingPeers peers;
  private long lostAtEnd = -1; // that is read once the memory is unmapped

  SharedConsumers(
      Ring ring,
      Sequence head,
      Sequence freed,
      FreedCells cells,
      long offset,
      boolean repeats,
      DamageChecks checks) {
    this.memory = ring.memory();
    this.ring = ring;
    this.stamps = ring.stamps();
    this.head = head;
    this.freed = freed;
    this.cells = cells;
    this.returns = new MemorySequence(memory, offset);
    this.losses = offset + MemorySequence.SIZE_BYTES;
    this.repeats = repeats;
    this.checks = checks;
    this.capacity = ring.mask() + 1;
  }

  void meet(RingPeers others) {
    peers = others;
  }

  /** Saves what may still be asked for once the memory is unmapped. */
  void keep() {
    lostAtEnd = lostCount();
    returns.keep();
  }

  // ---- positions ----

  /** The first cell that is not known to be released, or an earlier one. */
  long firstInUse() {
    long first = freed.getAcquire(); // acquire F: cells before it are free
    return checks.checked("freed", first, 0, DamageChecks.MOST);
  }

  /** Where messages begin that no consumer has taken. */
  long takenEnd() {
    long end = head.getAcquire(); // acquire E: who has announced what is before it
    return checks.checked("head", end, 0, DamageChecks.MOST);
  }

  /** How many cells a released message has that none has claimed again; 0 if there is none. */
  long releasedAt(long sequence) {
    long word = read(sequence);
    return isFree(word, sequence) ? Math.max(1, Stamps.countOf(word)) : 0;
  }

  /** How many cells there are from the first one that is not released to the last one taken. */
  long inHandCount() {
    long first = cells.end();
    return Math.clamp(head.getOpaque() - first, 0, capacity); // opaque: a count
  }

  // ---- taking ----

  /**
   * Checks a committed message of a run that begins at the first, which another consumer may have
   * taken by now. Returns where it ends.
   */
  long endOf(long first, long sequence, long word) {
    return checks.checkCells(first, sequence, word);
  }

  /** Checks a stamp that says that consumers have passed a sequence, where the head was read. */
  void checkPassed(long sequence) {
    // read after the stamp
    checks.checked("head", takenEnd(), sequence + 1, DamageChecks.MOST);
  }

  /** Checks how many cells are passed that hold no message. */
  void checkEmpty(long sequence, int count, long tail) {
    checks.checked("cells", count, 1, Math.max(1, tail - sequence));
  }

  /**
   * Takes a message once more whose consumer has died. Returns its first sequence, or a negative
   * number if there is none.
   *
   * @param searched the number of returns at the last search that found none
   * @return the sequence, or {@code -2 - n} if there is none after {@code n} returns
   */
  long tryRetake(Seat seat, long searched) {
    long seen = returns.getAcquire(); // acquire B: the stamps
    if (seen == searched) {
      return none(seen);
    }
    long sequence = firstInUse();
    long end = takenEnd();
    for (long steps = capacity; sequence < end && steps > 0; steps--) { // whatever others write
      long word = read(sequence);
      if (stamps.isReturned(word, sequence)) {
        if (tryRetake(seat, sequence, word)) {
          return sequence;
        }
      } else {
        sequence = next(sequence, word);
      }
    }
    return none(seen);
  }

  private static long none(long seen) {
    return -2 - seen;
  }

  private boolean tryRetake(Seat seat, long sequence, long word) {
    seat.declare(sequence, checks.checkCells(sequence, sequence, word));
    boolean isTaken = tryExchange(sequence, word, Stamps.RETAKEN);
    if (isTaken) {
      seat.confirm();
    } else {
      seat.withdraw();
    }
    return isTaken;
  }

  private long read(long sequence) {
    // acquire A: whose it was, and who has announced it
    return (long) Ring.STAMP.getAcquire(memory, ring.offset(sequence));
  }

  private boolean tryExchange(long sequence, long word, long state) {
    // release A: whose it was, and that the taker has announced it
    return (long)
            Ring.STAMP.compareAndExchangeRelease(
                memory, ring.offset(sequence), word, Stamps.changed(word, state))
        == word;
  }

  /** Where the cells end of a message or an empty claim before the head. */
  private long next(long sequence, long word) {
    boolean isOfThisTurn = stamps.compareTurn(word, sequence) == 0;
    if (isOfThisTurn || isFree(word, sequence)) {
      int count = Stamps.countOf(word);
      return checks.checked("cells", sequence + count, sequence + 1, sequence + capacity);
    }
    return checks.checked("freed", firstInUse(), sequence + 1, DamageChecks.MOST); // claimed again
  }

  private boolean isFree(long word, long sequence) {
    return Stamps.stateOf(word) == Stamps.FREE
        && stamps.compareTurn(word, sequence + capacity) == 0;
  }

  // ---- death ----

  /**
   * Recovers what a dead consumer has in hand: see {@link RingPeers.Burial}. It had announced the
   * cells from {@code first} to before {@code end}.
   */
  boolean recover(int entry, long first, long end, boolean wasMade) {
    long taken = takenEnd();
    boolean isAnnounced = first >= 0 && end > first && end - first <= capacity;
    if (!isAnnounced || taken < end) {
      return true; // it was about to take messages, and has not
    }
    return repeats
        ? returnAll(entry, first, end, wasMade)
        : loseAll(checks.checked("entry", entry, 0, ENTRIES - 1L), entry, first, end, wasMade);
  }

  private boolean returnAll(int entry, long first, long end, boolean wasMade) {
    boolean isAll = true;
    for (long sequence = first; sequence < end; ) {
      long word = read(sequence);
      Fate others = othersFate(entry, sequence, word, wasMade);
      if (others == Fate.UNKNOWN) {
        isAll = false;
      } else if (others == Fate.DEAD) {
        // false if another recovery has returned it
        boolean _ = tryExchange(sequence, word, Stamps.RETURNED);
      }
      sequence = next(sequence, word);
    }
    long count = returns.getOpaque(); // opaque: the exchange confirms it
    while (!returns.weakCompareAndSetRelease(count, count + 1)) { // release B: the stamps
      count = returns.getOpaque(); // opaque: likewise
    }
    return isAll;
  }

  /**
   * Returns whether another one has a message, which the dead one had announced: {@code LIVE} if
   * another one has it or nobody has, {@code UNKNOWN} if that cannot be known yet, and {@code DEAD}
   * if nobody else can have it.
   */
  private Fate othersFate(int entry, long sequence, long word, boolean wasMade) {
    if (stamps.isCommitted(word, sequence)) {
      return wasMade ? Fate.DEAD : peers.fateOfOthers(sequence, entry);
    }
    return stamps.isRetaken(word, sequence) ? peers.fateOfOthers(sequence, entry) : Fate.LIVE;
  }

  private boolean loseAll(long place, int entry, long first, long end, boolean wasMade) {
    long planned = losses + place * LOSS_BYTES;
    long counted = planned + Long.BYTES;
    long total = (long) WORD.getOpaque(memory, planned); // opaque: as the last recovery left it
    boolean isPlanned = total != (long) WORD.getOpaque(memory, counted); // opaque: likewise
    if (!isPlanned) {
      for (long sequence = first; sequence < end; ) {
        long word = read(sequence);
        Fate others = othersFate(entry, sequence, word, wasMade);
        if (others == Fate.UNKNOWN) {
          return false;
        }
        total += others == Fate.DEAD && isLatest(sequence, word) ? 1 : 0;
        sequence = next(sequence, word);
      }
      WORD.setOpaque(memory, planned, total); // opaque: release C and D follow
    }
    for (long sequence = first; sequence < end; ) {
      long word = read(sequence);
      long next = next(sequence, word);
      if (othersFate(entry, sequence, word, wasMade) == Fate.DEAD && isLatest(sequence, word)) {
        long free = stamps.word(sequence + capacity, next - sequence, Stamps.FREE);
        // release C: the dead has read it, and that it is counted
        Ring.STAMP.setRelease(memory, ring.offset(sequence), free);
      }
      sequence = next;
    }
    WORD.setRelease(memory, counted, total); // release D: what is counted is released
    return true;
  }

  /** Whether a stamp is still what was read, and not what another recovery had seen before. */
  private boolean isLatest(long sequence, long word) {
    return tryExchange(sequence, word, Stamps.stateOf(word));
  }

  /** How many messages were lost. */
  long lostCount() {
    long lost = 0;
    try {
      for (int entry = 0; entry < ENTRIES; entry++) {
        // acquire D: what is counted is released
        lost += (long) WORD.getAcquire(memory, losses + entry * LOSS_BYTES + Long.BYTES);
      }
    } catch (IllegalStateException e) {
      if (lostAtEnd < 0) {
        throw e;
      }
      return lostAtEnd; // the memory is unmapped
    }
    return lost;
  }

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
