package dev.millrace.queues.messages;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.RingPeers.Seat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Consumers in several processes that share the messages of a queue: which of them has which
 * messages in hand, and what becomes of these if it dies.
 *
 * <p><b>Roles.</b> Any thread may call any method that does not say otherwise.
 */
final class SharedConsumers {
  /*
   * The head is a sequence and the seat of the consumer that moved it there, its taker. A consumer
   * announces the messages that it is about to take, moves the head past them by an exchange, and
   * confirms the announcement. It withdraws it after it has released them.
   *
   * The exchange decides who has the messages. The next one to move the head overwrites the taker,
   * so it first confirms that one's announcement. Whenever a consumer died, it had taken what it
   * announced if that is confirmed, or if the head names it.
   *
   * What a dead consumer had taken stays announced in its entry. No other has it, so if losses
   * were chosen, its burial counts the messages that it had not released, and releases them.
   * Otherwise another consumer inherits the entry, and hands them out again. Taking over an entry is
   * an exchange, so there is one heir at a time. If it dies, or has released only a part, the entry
   * is inherited again.
   *
   *   words                          writer             write mode            read by
   *   head: sequence << 7 | taker    consumers          exchange: release     any: acquire, or opaque
   *   losses, 16 bytes of each seat:
   *     lost                         burial in the seat opaque                any: opaque
   *     settled                      burial in the seat release               the next one: plain
   *
   * Invariants: a message before the head that is not released is announced by one entry, and that
   * is confirmed unless the head names it. A message that is announced and confirmed is in hand
   * if its stamp is COMMITTED in its turn: its release is the only change that follows.
   *
   * Non-invariant: messages that are announced and not confirmed may be another consumer's.
   *
   * A burial may be cut off, and the next one goes on. lost and settled differ once the losses are
   * counted and until all are released, so they are not counted again. The next one may come late
   * if all are released by then, because nothing is in hand any more. So lost alone is the count.
   *
   * Released cells may be claimed again once all cells before them are released, too. Then their
   * stamp does not say any more where the next message of this turn was, but freed is behind them.
   *
   * A  head.weakCompareAndSetRelease in  ->  head.getAcquire in hasTaken,  what the taker announces,
   *    tryMove                                 FreedCells.takenEnd            and that all before it
   *                                                                           are confirmed
   * B  STAMP.setRelease in freeLost,       ->  STAMP.getAcquire in read,      it is free: the dead has
   *    MessageConsumer.stampFree                 stamp.getAcquire in          read it
   *                                              FreedCells.reachedFrom
   * C  compareAndExchangeRelease in        ->  STAMP.getAcquire in read       if claimed again: freed is
   *    Stamps.exchange                                                        behind it
   * D  WORD.setRelease in loseAll          ->  WORD.compareAndExchangeAcquire what is settled is
   *                                              in EntryWords.tryTakeOver    released
   */

  /** The low bits of the head, which are the number of the taker's seat plus one, or 0. */
  static final int TAKER_BITS = 7;

  private static final long TAKER = (1L << TAKER_BITS) - 1;
  private static final int NOBODY = -1;
  private static final int SEATS = 64; // that have places for their losses
  private static final long LOSS_BYTES = 2L * Long.BYTES;

  /** The bytes of the losses. */
  static final long BYTES = SEATS * LOSS_BYTES;

  private final MemorySegment memory;
  private final Ring ring;
  private final Stamps stamps;
  private final Sequence head;
  private final FreedCells cells;
  private final long losses;
  private final boolean repeats;
  private final DamageChecks checks;
  private final long capacity;

  @SuppressWarnings("NullAway.Init") // set before the first use
  private RingPeers peers;

  private long lostAtEnd; // what is read once the memory is unmapped

  SharedConsumers(
      Ring ring,
      Sequence head,
      FreedCells cells,
      long offset,
      boolean repeats,
      DamageChecks checks) {
    this.memory = ring.memory();
    this.ring = ring;
    this.stamps = ring.stamps();
    this.head = head;
    this.cells = cells;
    this.losses = offset;
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
  }

  // ---- positions ----

  /** The first cell that is not known to be released, or an earlier one. */
  long firstInUse() {
    return checks.checked("freed", cells.knownEnd(), 0, DamageChecks.MOST);
  }

  /** Where messages begin that no consumer has taken. */
  long takenEnd() {
    return cells.takenEnd();
  }

  /** How many cells a released message has that none has claimed again; 0 if there is none. */
  long releasedAt(long sequence) {
    long word = read(sequence);
    return isFree(word, sequence) ? Math.max(1, Stamps.countOf(word)) : 0;
  }

  /** How many cells there are from the first one that is not released to the last one taken. */
  long inHandCount() {
    long first = cells.end();
    return Math.clamp(takenEnd() - first, 0, capacity);
  }

  // ---- taking ----

  /** Checks the seat of a new consumer; returns whether it was inherited, with messages in hand. */
  boolean begin(Seat seat) {
    checks.checked("seat", seat.number(), 0, SEATS - 1L); // the head has no more bits for it
    return seat.claimed() >= 0;
  }

  /**
   * Checks the stamp of a committed message of a run that begins at the first. Another consumer may
   * have taken it by now, so its header is not read yet. Returns where it ends.
   *
   * <p>Others may have taken and released the first messages of the run, and producers have claimed
   * their cells again. Then the run reaches round the ring, and taking it will fail.
   */
  long endOf(long first, long sequence, long word) {
    long end = checks.checkCells(sequence, sequence, word);
    if (end - first > capacity) {
      checkPassed(first);
    }
    return end;
  }

  /** Checks a stamp that says that consumers have passed a sequence, where the head was read. */
  void checkPassed(long sequence) {
    // read after the stamp
    checks.checked("head", takenEnd(), sequence + 1, DamageChecks.MOST);
  }

  /**
   * Takes the messages from {@code first}, where {@link #takenEnd} has found the head, to before
   * {@code end}, for the consumer in a seat. Returns false if another one has moved the head; may
   * fail spuriously.
   */
  boolean tryTake(Seat seat, long first, long end) {
    seat.declare(first, end);
    if (!tryMove(first, end, seat.number())) {
      seat.withdraw();
      return false;
    }
    seat.confirm();
    return true;
  }

  /** Moves the head from {@code first} past cells that hold no message; likewise. */
  boolean tryPass(long first, long end) {
    return tryMove(first, end, NOBODY);
  }

  private boolean tryMove(long first, long end, int taker) {
    long word =
        head.getOpaque(); // opaque: its sequence was acquired before, and is never another's
    if (word >>> TAKER_BITS != first) {
      return false;
    }
    confirmTaker(word);
    // release A: what is announced, and confirmed; linearizes the poll
    return head.weakCompareAndSetRelease(word, (end << TAKER_BITS) | (taker + 1));
  }

  /** Confirms what the one that moved the head to where it was read has announced. */
  private void confirmTaker(long word) {
    long taker = checks.checked("taker", word & TAKER, 0, SEATS);
    if (taker > 0) {
      peers.confirmFor((int) taker - 1, word >>> TAKER_BITS);
    }
  }

  // ---- what is in hand ----

  /**
   * Returns the sequence at which the first unreleased message of a consumer begins, or {@code end}
   * if all are released. The consumer has taken the messages from {@code from} to {@code end}, and
   * one of them begins at {@code from}.
   */
  long firstInHand(long from, long end) {
    long sequence = from;
    while (sequence < end) {
      long word = read(sequence);
      if (stamps.isCommitted(word, sequence)) {
        return sequence;
      }
      sequence = next(sequence, word);
    }
    return end;
  }

  /** Where the cells end of a message that was released. */
  private long next(long sequence, long word) {
    return isFree(word, sequence)
        ? checks.checkCells(sequence, sequence, word)
        : checks.checked("freed", firstInUse(), sequence + 1, DamageChecks.MOST); // claimed again
  }

  private boolean isFree(long word, long sequence) {
    return Stamps.stateOf(word) == Stamps.FREE
        && stamps.compareTurn(word, sequence + capacity) == 0;
  }

  private long read(long sequence) {
    // acquire B, C: that it is free, or how far cells are that were claimed again
    return (long) Ring.STAMP.getAcquire(memory, ring.offset(sequence));
  }

  // ---- death ----

  /**
   * Recovers what a dead consumer has in hand: see {@link RingPeers.Burial}. It had announced the
   * cells from {@code first} to before {@code end}.
   */
  boolean recover(int seat, long first, long end) {
    if (first < 0 || !hasTaken(seat)) {
      return true;
    }
    checks.checked("announced end", end, first, Math.min(first + capacity, takenEnd()));
    if (repeats) {
      return firstInHand(first, end) == end;
    }
    loseAll(checks.checked("seat", seat, 0, SEATS - 1L), first, end);
    return true;
  }

  /** Whether a dead consumer had taken what it has announced. */
  private boolean hasTaken(int seat) {
    // acquire A: if it does not name the dead, the dead is confirmed
    confirmTaker(head.getAcquire());
    return peers.isConfirmed(seat);
  }

  private void loseAll(long seat, long first, long end) {
    long lost = losses + seat * LOSS_BYTES;
    long settled = lost + Long.BYTES;
    long total = (long) WORD.get(memory, lost); // plain: as the last burial left it
    if (total == (long) WORD.get(memory, settled)) { // plain: likewise
      for (long at = firstInHand(first, end); at < end; at = firstInHand(cellsEnd(at), end)) {
        total++;
      }
      WORD.setOpaque(memory, lost, total); // opaque: release B and D follow
    }
    long at = firstInHand(first, end);
    while (at < end) {
      long next = cellsEnd(at);
      freeLost(at, next);
      at = firstInHand(next, end);
    }
    // release D: all are released, even if this process is killed now
    WORD.setRelease(memory, settled, total);
  }

  /** Where the cells end of a message that is in hand. */
  private long cellsEnd(long sequence) {
    return checks.checkCells(sequence, sequence, read(sequence));
  }

  private void freeLost(long sequence, long end) {
    long free = stamps.word(sequence + capacity, end - sequence, Stamps.FREE);
    // release B: the dead has read it, and that it is counted, even if the burial is killed here
    Ring.STAMP.setRelease(memory, ring.offset(sequence), free);
  }

  /** How many messages were lost. */
  long lostCount() {
    long lost = 0;
    try {
      for (int seat = 0; seat < SEATS; seat++) {
        lost += (long) WORD.getOpaque(memory, losses + seat * LOSS_BYTES); // opaque: a count
      }
    } catch (IllegalStateException e) {
      return lostAtEnd; // the memory is unmapped
    }
    return lost;
  }

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
