package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to any
 * number of consumers; each record goes to one of them, which reads it in place.
 *
 * <pre>{@code
 * MpmcQueue<TradeFlyweight> queue = MpmcQueue.of(65_536, TradeFlyweight::new);
 *
 * // each producer's thread
 * TradeFlyweight trade = queue.newFlyweight();
 * if (queue.claim(trade)) {                        // waits while full; tryClaim does not
 *   trade.timestamp(t).price(p).volume(v);
 *   queue.commit(trade);
 * }
 *
 * // each consumer's thread
 * TradeFlyweight trade = queue.newFlyweight();
 * while (queue.poll(trade)) {                      // waits while empty; tryPoll and drain do not
 *   book.apply(trade.price(), trade.volume());     // in place
 *   queue.release(trade);
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread claims, commits and aborts; any thread polls, releases and drains:
 * with a flyweight of its own for each claim or poll that it has open, or by offsets.
 *
 * <p><b>Progress.</b> Claims and polls are lock-free: a try is repeated only when another thread of
 * the same side came first. Commit, abort and release are wait-free. A producer that stops between
 * claim and commit keeps consumers from all later records, unless the queue was made with a stall
 * limit. A consumer that stops between poll and release keeps its slots; producers find the queue
 * full when they come round to them.
 *
 * <p><b>Ordering.</b> Records are taken in the order of the claims. What a producer did before
 * commit happens before the return from the poll of that record; what a consumer did before release
 * happens before the claim that gets the slot again. {@code tryPoll} and {@code drain} say that
 * there is none while the oldest claim is open, though later records may be committed, and {@code
 * tryClaim} says that the queue is full while the oldest slot is in the hands of a consumer, though
 * later ones may be free; {@code strictPoll}, {@code strictClaim} and the forms that wait do not.
 *
 * <p><b>Failure.</b> Full and empty are values. Claims of a completed queue throw; {@link
 * #complete()} is exact, whichever thread calls it: each claim that succeeded before may still
 * commit, and consumers are told of the end only behind it. The memory is freed by {@link
 * #close()}. {@code drain} takes records one by one, so a record whose handler throws counts as
 * consumed and all others stay in the queue, also for other consumers. An aborted slot is free
 * again when a consumer has come past it.
 *
 * <p><b>Stalled producers.</b> As in {@link MpscQueue}: with {@link QueueOptions#withStallLimit}
 * consumers give up the oldest claim when it has been open for too long.
 *
 * <p><b>Cost.</b> O(1) per record; a claim or a poll takes one compare-and-set, be it for one
 * record or for a run, and a look at each of its slots; a commit or a release a store for each
 * slot. A slot takes 8 bytes more than its record, rounded up to 8; the queue itself about 4 KiB of
 * heap, nearly all of it padding. Nothing is allocated after construction, but for a place to rest
 * when more threads rest at once than ever before.
 *
 * <p><b>Source.</b> Vyukov, <a
 * href="https://www.1024cores.net/home/lock-free-algorithms/queues/bounded-mpmc-queue">Bounded MPMC
 * Queue</a>. Here both ends take runs, records are written and read in place, and claims can be
 * aborted and given up.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class MpmcQueue<F extends Flyweight> extends OffHeapQueue<F> {
  /*
   * A slot is handed round by its stamp alone: free for the claimer of its sequence, committed for
   * its consumer, free for the next turn. Tail and head only share out the sequences: whoever moves
   * one over slots whose stamps it has seen in the right state owns them, for a stamp of that turn
   * and state is written once.
   *
   * Who writes what:
   *
   *   field      writer     write mode           read by
   *   stamp      its owner  release or exchange  all: acquire; in scans opaque, then an acquire fence
   *   tail       producers  exchange: release    all: acquire
   *   head       consumers  exchange: release    all: opaque, or acquire where it is compared
   *   passed     consumers  exchange             samplers: opaque
   *
   * Invariants: head <= tail <= head + capacity, for a slot is free of the next turn only when the
   * head has passed it. Non-invariant: slots are freed in any order, so that of the tail may be in
   * use while later ones are free.
   *
   * A  stamp.setRelease in Stamps.publish  ->  stamp.getAcquire in Stamps.read,   slot bytes
   *                                            or a fence behind several looks
   * B  stamp.setRelease in Stamps.free     ->  stamp.getAcquire in Stamps.read    slot is free again
   * C  head.weakCompareAndSetRelease in      ->  head.getAcquire in isEmpty        the tail that let it
   *      tryPoll, pollRun                                                          get so far
   */
  private static final int LOOK_AGAIN = Claims.LOOK_AGAIN;

  private final Stamps stamps;
  private final Claims claims;
  private final Sequence head = new Sequence();
  private final Sequence passed = new Sequence();

  private MpmcQueue(QueueOptions options, Function<MemorySegment, F> flyweights) {
    super(options, flyweights, false, false);
    this.stamps = Stamps.of(memory, strideBytes, options.capacity());
    this.claims = new Claims(stamps, stalls, true);
  }

  /**
   * Makes a queue with the default options.
   *
   * @param <F> the flyweight on a record
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @param flyweights makes a flyweight on the queue's memory, usually its constructor
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not such a number
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> MpmcQueue<F> of(
      int capacity, Function<MemorySegment, F> flyweights) {
    return of(QueueOptions.ofCapacity(capacity), flyweights);
  }

  /**
   * Makes a queue.
   *
   * @param <F> the flyweight on a record
   * @param options the capacity, how each side waits, and what happens when it is full or a
   *     producer stalls
   * @param flyweights makes a flyweight on the queue's memory, usually its constructor; asked once
   *     for one on {@link MemorySegment#NULL}, to learn the layout
   * @return the queue
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> MpmcQueue<F> of(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    return new MpmcQueue<>(options, flyweights);
  }

  // ---- producers ----

  @Override
  long claimSlots(int count) {
    if (count != 1 || stalls != null) {
      Checks.inRange("count", count, 1, stalls == null ? mask + 1 : longestClaim());
    }
    long first = stalls == null ? 0 : claims.tail();
    while (true) {
      long sequence = claims.tail();
      if (sequence < 0) {
        return CLOSED;
      }
      long free = freeEnd(sequence, sequence + count);
      if (free == sequence + count) {
        if (claims.tryAdvance(sequence, free)
            && claims.mark(sequence, count, stamps.word(sequence, 0, Stamps.FREE))) {
          return recordOffset(sequence);
        }
        continue;
      }
      long word = stamps.read(slotOffset(free));
      if (stamps.compareTurn(word, free) >= 0) {
        continue; // somebody came first
      }
      boolean hasGoneRound = stalls != null && sequence - first > mask;
      if (hasGoneRound || !skips(sequence, free, word)) {
        claims.checkLeft(count, mask + 1);
        return FULL;
      }
    }
  }

  private long longestClaim() {
    return Math.min(mask + 1, Stamps.MAX_COUNT);
  }

  /** How far slots are free without a gap. */
  private long freeEnd(long sequence, long limit) {
    long end = sequence;
    // acquire B: the consumer is through with the slot
    while (end < limit && stamps.read(slotOffset(end)) == stamps.word(end, 0, Stamps.FREE)) {
      end++;
    }
    return end;
  }

  /** Moves the tail past a slot that is not free, if that is because it is out of use. */
  private boolean skips(long sequence, long hole, long word) {
    long end = hole + Stamps.countOf(word);
    // opaque: it only grows
    if (!Stamps.isGivenUp(word) || end > head.getOpaque() + mask + 1) {
      return false;
    }
    if (claims.confirms(hole, word)) {
      claims.skip(sequence, hole, end); // if somebody else did, it is as well
    }
    return true;
  }

  @Override
  void hold(F flyweight, long offset, int count) {
    flyweight.moveToRun(offset, count);
  }

  @Override
  public boolean commit(F flyweight) {
    return endClaim(claims, flyweight, Stamps.COMMITTED);
  }

  @Override
  public boolean commit(long offset) {
    return endClaim(claims, offset, Stamps.COMMITTED);
  }

  @Override
  public void abort(F flyweight) {
    endClaim(claims, flyweight, Stamps.ABORTED);
  }

  @Override
  public void abort(long offset) {
    endClaim(claims, offset, Stamps.ABORTED);
  }

  @Override
  boolean isFull() {
    long end = claims.end(); // sees how far the head was when it got there
    return end - head.getOpaque() > mask; // opaque: a moment's answer
  }

  @Override
  boolean dropOldest() {
    long offset = tryPoll();
    if (offset < 0) {
      return false;
    }
    release(offset);
    return true;
  }

  // ---- consumers ----

  @Override
  public long tryPoll() {
    while (true) {
      long sequence = head.getOpaque(); // opaque: the exchange confirms it
      int ready = ready(sequence, 1);
      if (ready == 0) {
        return ended(sequence) ? CLOSED : EMPTY;
      }
      // release C: what was claimed before; linearizes the poll
      if (ready > 0 && head.weakCompareAndSetRelease(sequence, sequence + 1)) {
        return recordOffset(sequence);
      }
    }
  }

  @Override
  int pollRun(F flyweight, int limit) {
    while (true) {
      long sequence = head.getOpaque(); // opaque: the exchange confirms it
      int ready = ready(sequence, limit);
      if (ready == 0) {
        return ended(sequence) ? CLOSED : 0;
      }
      // release C: what was claimed before; linearizes the poll
      if (ready > 0 && head.weakCompareAndSetRelease(sequence, sequence + ready)) {
        holdPolled(flyweight, recordOffset(sequence), ready);
        return ready;
      }
    }
  }

  @Override
  void holdPolled(F flyweight, long offset, int count) {
    flyweight.moveToRun(offset, -count);
  }

  /**
   * How many records are there from a sequence on, up to a limit; {@link Claims#LOOK_AGAIN} if the
   * head is, or was just moved, elsewhere.
   */
  private int ready(long sequence, int limit) {
    try {
      int ready = claims.ready(sequence, limit); // acquire A
      if (ready >= 0 || ready == LOOK_AGAIN) {
        return ready;
      }
      passGap(sequence, -ready);
      return LOOK_AGAIN;
    } catch (IllegalStateException e) {
      noneIfFreed(e);
      return 0;
    }
  }

  private void passGap(long sequence, int count) {
    long word = stamps.peek(slotOffset(sequence)); // of this turn, if the head is still here
    // atomic: one consumer passes. What a poll before has released goes on through this exchange
    if (!head.weakCompareAndSetPlain(sequence, sequence + count)) {
      return;
    }
    passed.getAndAddAcquire(count); // atomic: a count
    if (!Stamps.isGivenUp(word)) {
      // release B, as polled slots are
      stamps.free(slotOffset(sequence), stamps.word(sequence, 0, Stamps.FREE), count);
    }
    signalProducers(); // also of what is out of use: claimers skip it, or find that none is left
  }

  @Override
  public void release(F flyweight) {
    checkOwn(flyweight);
    int count = -flyweight.runCount();
    if (count <= 0) {
      throw noneOpen("poll");
    }
    long offset = flyweight.runOffset() - Ring.STAMP_BYTES;
    flyweight.moveToRun(Ring.NOWHERE, 0); // or a second release might free another's slot
    free(offset, stamps.peek(offset), count);
  }

  @Override
  public void release(long offset) {
    long slotOffset = checkSlot(offset);
    long word = stamps.peek(slotOffset);
    long polled = head.getOpaque(); // opaque: it is behind what this thread has polled
    long turn = stamps.compareTurn(word, polled);
    if (Stamps.stateOf(word) != Stamps.COMMITTED
        || turn > 0
        || (turn == 0 && slotOffset >= slotOffset(polled))) {
      throw noneOpen("poll");
    }
    free(slotOffset, word, 1);
  }

  private void free(long offset, long word, int count) {
    stamps.free(offset, word, count); // release B
    signalProducers();
  }

  @Override
  public int drain(F flyweight, Consumer<? super F> handler, int limit) {
    checkOwn(flyweight);
    checkHandsFree(flyweight);
    Checks.notNull("handler", handler);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    int count = 0;
    long offset = 0;
    while (count < limit && (offset = tryPoll()) >= 0) {
      holdPolled(flyweight, offset, 1);
      count++;
      try {
        handler.accept(flyweight);
      } finally {
        release(flyweight);
      }
    }
    return count == 0 && offset == CLOSED ? CLOSED : count;
  }

  @Override
  boolean isEmpty() {
    long first = head.getAcquire(); // acquire C: sees what was claimed before it got there
    return claims.end() <= first;
  }

  // ---- end ----

  @Override
  void closeToProducers() {
    claims.close();
  }

  @Override
  public boolean isClosed() {
    return claims.isClosed();
  }

  private boolean ended(long sequence) {
    if (!claims.isClosing() || !isClosed() || (!isDrained() && claims.end() != sequence)) {
      return false;
    }
    if (!isDrained() && isConsumed()) {
      finish();
    }
    return true;
  }

  /** Whether no slot holds a record, be it there or in the hands of a consumer. */
  @Override
  boolean isConsumed() {
    try {
      long end = claims.end();
      for (long sequence = end; sequence < end + mask + 1; sequence++) {
        long word = stamps.read(slotOffset(sequence)); // acquire B: what was done with the slot
        if (Stamps.stateOf(word) == Stamps.COMMITTED) {
          return false;
        }
        sequence += Stamps.isGivenUp(word) ? Stamps.countOf(word) - 1 : 0;
      }
      return true;
    } catch (IllegalStateException e) {
      return noneIfFreed(e);
    }
  }

  @Override
  boolean freesAtEnd() {
    return false; // another consumer may still be looking for records
  }

  // ---- samplers ----

  @Override
  long firstSequence() {
    return head.getOpaque(); // opaque: a count
  }

  @Override
  long endSequence() {
    return claims.end();
  }

  @Override
  long recordsAt(long sequence) {
    long word = stamps.read(slotOffset(sequence)); // acquire A
    if (stamps.isCommitted(word, sequence)) {
      return 1;
    }
    long turn = stamps.compareTurn(word, sequence);
    if (turn > 0) {
      return -1; // taken and freed meanwhile
    }
    if (turn == 0 && Stamps.stateOf(word) == Stamps.CLAIMED) {
      return open(Stamps.countOf(word));
    }
    // an unmarked claim may be of a run, whose later slots are stamped before the first
    boolean isGap = (turn == 0 && Stamps.stateOf(word) != Stamps.FREE) || Stamps.isGivenUp(word);
    return isGap ? -Stamps.countOf(word) : 0;
  }

  @Override
  boolean isStillThere(long sequence) {
    // opaque: a fence orders it behind the copy
    return stamps.isCommitted(stamps.peek(slotOffset(sequence)), sequence);
  }

  @Override
  Counters ownCounters(long first, long committedInside) {
    // opaque: a count, perhaps ahead of the first sequence
    long out = passed.getOpaque() + (onFull == OnFull.DROP_OLDEST ? droppedCount() : 0);
    return countersOf(claims, first - out, committedInside);
  }
}
