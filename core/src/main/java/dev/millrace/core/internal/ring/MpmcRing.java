package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * The protocol for many producers and many consumers.
 *
 * <p><b>Roles.</b> Any thread may call any method. A claim belongs to the thread that made it, and
 * a record to the thread that took it.
 *
 * <p><b>Progress.</b> Claims and polls are lock-free: they are retried only if another thread came
 * first. Commit, abort and release are wait-free.
 */
public final class MpmcRing extends SharedClaims implements RingProtocol {
  /*
   * A slot changes hands by its stamp alone: free for the claim of its sequence, committed for its
   * consumer, free for the next turn. Tail and head only hand out the sequences: a thread that
   * moves one of them over slots whose stamps it has seen in the right state owns those slots,
   * because a stamp of that turn and state is written only once.
   *
   *   field          writer             write mode           read by
   *   stamp          the slot's owner   release, or an       all: acquire; in scans opaque, then an
   *                                     exchange             acquire fence
   *   words of claims  see SharedClaims, whose pairs are S to V; the limit counts only if the
   *                    capacity is less than the slots
   *   head           consumers          exchange: release    all: opaque, or acquire where it is
   *                                                          compared
   *   passed         consumers          exchange             any: opaque
   *
   * Invariants: head <= tail <= head + capacity, because a slot becomes free for the next turn only
   * after the head has passed it. If the capacity is less than the slots, producers must not reach
   * the limit either. Non-invariant: slots are freed in any order, so the slot at the tail may be
   * in use while later ones are free.
   *
   * A  STAMP.setRelease in                ->  stamp.getAcquire in       slot bytes
   *    Stamps.publish                           Stamps.read
   * B  STAMP.setRelease in free           ->  stamp.getAcquire in       slots are free again; what
   *                                             Stamps.read               the consumer did
   * C  head.weakCompareAndSetRelease      ->  head.getAcquire in        the tail that let the head
   *    in tryPoll                               isEmpty                   get so far
   */
  private final boolean isLimited;
  private final Sequence head;
  private final Waiters producerWaiters;
  private final Sequence passed = new Sequence();

  /**
   * Makes an empty ring of {@code slots}, whose stamps must all be 0. It holds at most {@code
   * capacity} records, which must not be more than one per slot. A claim may be open for {@code
   * stallNanos}, which may be {@link dev.millrace.core.WaitStrategy#FOREVER}. A poll that passes
   * slots without a record wakes waiting producers.
   */
  public MpmcRing(Ring slots, long capacity, long stallNanos, Waiters producerWaiters) {
    Sequence head = new Sequence();
    super(slots.stamps(), capacity, stallNanos, true, new Sequence(), head);
    this.head = head;
    this.isLimited = capacity <= slots.mask();
    this.producerWaiters = producerWaiters;
  }

  // ---- producers ----

  @Override
  public long tryClaim(Ring slots) {
    return tryClaim(slots, null, 1);
  }

  /**
   * Claims free slots and takes them in hand: at most {@code limit}, which is at least 1, and none
   * beyond the end of the memory. Returns the first sequence, {@link Ring#NONE} or {@link
   * Ring#CLOSED}. If {@code own} is null, only one slot may be claimed, and the claim is not noted.
   * Throws {@link IllegalStateException} if stalled producers hold all slots.
   */
  public long tryClaim(Ring slots, @Nullable Cursor own, int limit) {
    long first = revocable == null ? 0 : tail();
    while (true) {
      long sequence = tail();
      if (sequence < 0) {
        return Ring.CLOSED;
      }
      int room = limit;
      if (isLimited) {
        room = (int) (admitted(sequence + limit) - sequence);
        if (room <= 0) {
          if (revocable != null) {
            revocable.checkLeft(1);
          }
          return Ring.NONE;
        }
      }
      long end = freeEnd(slots, sequence, room); // acquire B: slots are free
      if (end > sequence) {
        if (tryAdvance(sequence, end) && tryMark(slots.stamps(), sequence, end)) {
          return own == null ? sequence : own.take(sequence, (int) (end - sequence));
        }
      } else if (!skipOutOfUse(slots, sequence, sequence - first)) {
        return Ring.NONE;
      }
    }
  }

  /**
   * Returns the end of the free slots from {@code sequence} on: at most {@code limit} slots, and
   * none beyond the end of the memory.
   */
  private long freeEnd(Ring slots, long sequence, int limit) {
    Stamps stamps = slots.stamps();
    long free = stamps.word(sequence, 0, Stamps.FREE);
    if (stamps.read(slots.offset(sequence)) != free) {
      return sequence;
    }
    long end = sequence + 1;
    if (limit > 1) { // a single claim, the usual case, needs no loop
      long most =
          sequence + Math.min(Math.min(limit, Stamps.MAX_COUNT), slots.contiguous(sequence));
      while (end < most && stamps.read(slots.offset(end)) == free) {
        end++;
      }
    }
    return end;
  }

  /** With a stall limit, marks a claim, so that consumers can distinguish it from free slots. */
  private boolean tryMark(Stamps stamps, long sequence, long end) {
    return revocable == null
        || revocable.mark(sequence, (int) (end - sequence), stamps.word(sequence, 0, Stamps.FREE));
  }

  /**
   * Moves the tail past the slot that it was at, if that slot is out of use and this claim has not
   * already gone round the ring. Returns false if the slot is in use, so that the ring is full.
   */
  private boolean skipOutOfUse(Ring slots, long sequence, long moved) {
    Stamps stamps = slots.stamps();
    long word = stamps.read(slots.offset(sequence)); // acquire B: the slot is free
    if (stamps.compareTurn(word, sequence) >= 0 || word == Stamps.FREED) {
      return true; // another claim came first, or it is free now, or the ring is closed
    }
    if (revocable == null) {
      return false;
    }
    long most = head.getOpaque() + slots.mask() + 1; // opaque: a stale head only lowers it
    if (moved <= slots.mask() && revocable.trySkip(sequence, word, most)) {
      return true;
    }
    revocable.checkLeft(1);
    return false;
  }

  /**
   * Returns whether a consumer has in hand the slot that producers wait for, so that dropping older
   * records would not free it. If so, the record was taken, but the slot is not free yet.
   */
  public boolean isOldestInHand(Ring slots) {
    Stamps stamps = slots.stamps();
    long oldest = tail() - slots.mask() - 1;
    return head.getOpaque() > oldest // opaque: a stale head only misses it
        && stamps.isCommitted(stamps.read(slots.offset(oldest)), oldest); // acquire B: not free yet
  }

  // ---- consumers ----

  @Override
  public long tryPoll(Ring slots) {
    return tryPoll(slots, null, 1);
  }

  /**
   * Takes the next records in hand: at most {@code limit}, which is at least 1, and none beyond the
   * end of the memory. Passes slots that hold no record. Returns the first sequence, or {@link
   * Ring#NONE}. If {@code own} is null, only one record may be taken, and the poll is not noted.
   */
  public long tryPoll(Ring slots, @Nullable Cursor own, int limit) {
    Stamps stamps = slots.stamps();
    while (true) {
      long sequence = head.getOpaque(); // opaque: the exchange confirms it
      int most = limit == 1 ? 1 : (int) Math.min(limit, slots.contiguous(sequence));
      long word = stamps.read(slots.offset(sequence)); // acquire A: slot bytes
      int ready = stamps.ready(sequence, most, word);
      if (ready == 0) {
        ready = readyIfStalled(sequence, word);
        if (ready == 0) {
          return Ring.NONE;
        }
      }
      if (ready > 0) {
        // release C: the tail that this poll has seen; linearizes the poll
        if (head.weakCompareAndSetRelease(sequence, sequence + ready)) {
          return own == null ? sequence : own.take(sequence, ready);
        }
      } else if (ready != Stamps.LOOK_AGAIN) {
        pass(slots, sequence, -ready);
      }
    }
  }

  private void pass(Ring slots, long sequence, int count) {
    Stamps stamps = slots.stamps();
    long word = stamps.peek(slots.offset(sequence)); // of this turn if the exchange succeeds
    // atomic: only one consumer passes them. An update carries on the releases of earlier polls
    if (!head.weakCompareAndSetPlain(sequence, sequence + count)) {
      return;
    }
    countPassed(count);
    if (!Stamps.isGivenUp(word)) {
      free(slots, sequence, count);
    }
    producerWaiters.signal(); // even if they are out of use: claims skip them, or find none left
  }

  /** Counts slots that were passed without giving a consumer a record. */
  public void countPassed(int count) {
    passed.getAndAddPlain(count); // atomic: a count
  }

  @Override
  public void release(Ring slots, long sequence) {
    free(slots, sequence, 1);
  }

  /** Frees the slots of the records in hand. */
  public void release(Ring slots, Cursor own) {
    long sequence = own.next();
    long end = own.end();
    own.next(end);
    free(slots, sequence, (int) (end - sequence));
  }

  private void free(Ring slots, long sequence, int count) {
    Stamps stamps = slots.stamps();
    long word = stamps.word(sequence + slots.mask() + 1, 0, Stamps.FREE);
    if (!stamps.publish(slots.offset(sequence), word)) { // release B: the reads of all the slots
      return; // the memory is freed
    }
    for (int i = 1; i < count; i++) {
      // opaque: its claimer sees a tail past the first slot, whose claimer acquired the release
      stamps.mark(slots.offset(sequence + i), word);
    }
  }

  /**
   * Returns whether there was neither a record nor an open claim at some moment during the call.
   */
  public boolean isEmpty() {
    long first = head.getAcquire(); // acquire C: the tail read next is not behind it
    return end() <= first;
  }

  /**
   * Returns whether records that were claimed but not taken filled the ring at some moment during
   * the call.
   */
  public boolean isFull() {
    long end = end(); // acquires the head that let the tail get there
    return end - head.getOpaque() >= bound; // opaque: that head or a later one
  }

  // ---- the end ----

  @Override
  public boolean isConsumed() {
    // starts a lap before the tail, because consumers may hold records that the head has passed;
    // the tail is never at a slot inside a run that was given up
    long end = end();
    return stamps.isEmptyBetween(Math.max(0, end - stamps.capacity()), end); // acquire B
  }

  // ---- seen from outside ----

  @Override
  public Sequence head() {
    return head;
  }

  @Override
  public long recordsAt(long sequence) {
    return stamps.recordsAt(sequence); // acquire A: slot bytes
  }

  @Override
  public SharedClaims sharedClaims() {
    return this;
  }

  @Override
  public long passedCount() {
    return passed.getOpaque(); // opaque: a count
  }
}
