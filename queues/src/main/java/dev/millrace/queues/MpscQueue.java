package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to one
 * consumer.
 *
 * <pre>{@code
 * MpscQueue<TradeFlyweight> queue = MpscQueue.of(65_536, TradeFlyweight::new);
 *
 * // each producer's thread
 * TradeFlyweight trade = queue.newFlyweight();
 * if (queue.claim(trade)) {                        // waits while full; tryClaim does not
 *   trade.timestamp(t).price(p).volume(v);
 *   queue.commit(trade);
 * }
 *
 * // the consumer's thread
 * TradeFlyweight trade = queue.newFlyweight();
 * while (queue.poll(trade)) {                      // waits while empty; tryPoll and drain do not
 *   candle.add(trade.price(), trade.volume());     // in place
 *   queue.release(trade);
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread claims, commits and aborts: a producer, with a flyweight of its own
 * for each claim that it has open, or by offsets. One thread at a time polls, releases and drains:
 * the consumer, as in {@link SpscQueue}. Any thread may ask for the counts, and complete.
 *
 * <p><b>Progress.</b> Claims are lock-free: a try is repeated only when another producer claimed
 * meanwhile. Commit, abort and release are wait-free. A producer that stops between claim and
 * commit keeps the consumer from all later records, and so in the end the other producers from free
 * slots, unless the queue was made with a stall limit: then the consumer passes over its claim.
 *
 * <p><b>Ordering.</b> First in, first out, in the order of the claims. What a producer did before
 * commit happens before the consumer's return from the poll of that record; what the consumer did
 * before release happens before the claim that gets the slot again. {@code tryPoll} and {@code
 * drain} say that there is none while the oldest claim is open, though later records may be
 * committed; {@code strictPoll} and {@code poll} wait for it. "Full" is exact: a record counts
 * until it is released. Both are answers of what is visible, as in {@link SpscQueue}.
 *
 * <p><b>Failure.</b> Full and empty are values. Claims of a completed queue throw; {@link
 * #complete()} is exact, whichever thread calls it: each claim that succeeded before may still
 * commit, and consumers are told of the end only behind it. The memory is freed by {@link
 * #close()}. A record whose handler throws counts as consumed. An aborted slot is free again when
 * the consumer has come past it.
 *
 * <p><b>Stalled producers.</b> With {@link QueueOptions#withStallLimit} the consumer gives up the
 * oldest claim when it has been open for too long. The late commit returns false, and no record of
 * another producer is ever written over. The claim's slots are out of use until its producer
 * commits or aborts, and back in use a lap later; if it never does they are lost for good, as
 * {@link Counters#outOfUse()} shows. A claim that no slots are left for throws {@link
 * IllegalStateException}; a run needs as many in a row, and one that does not fit before such a
 * slot leaves those before it unused for a lap. A run is then at most 65,535 records long.
 *
 * <p><b>Cost.</b> O(1) per record; a claim takes one compare-and-set, be it for one record or for a
 * run, a commit one store, or, with a stall limit, one compare-and-set more each. A slot takes 8
 * bytes more than its record, rounded up to 8; the queue itself about 4 KiB of heap, nearly all of
 * it padding. Nothing is allocated after construction, but for a place to rest when more producers
 * rest at once than ever before.
 *
 * <p><b>Source.</b> Stamps in the slots as in Vyukov, <a
 * href="https://www.1024cores.net/home/lock-free-algorithms/queues/bounded-mpmc-queue">Bounded MPMC
 * Queue</a>; the cached limit follows FastForward and its kin (see {@link SpscQueue}). One stamp
 * here publishes a run, and a claim can be given up.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class MpscQueue<F extends Flyweight> extends SingleConsumerQueue<F> {
  /*
   * A producer claims a run of sequences by moving the tail, writes the records, and publishes them
   * by the stamp of the run's first slot, which counts how many there are. The consumer looks at
   * the stamps from run to run; a slot in the midst of a run is never looked at.
   *
   * Who writes what:
   *
   *   field      writer     write mode    read by
   *   stamp      producer   release       consumer: acquire; in scans opaque, then an acquire fence
   *   tail       producers  release       producers, consumer, samplers: acquire
   *   head       consumer   release       producers, close: acquire
   *   visible    consumer   release       consumer: plain; samplers: acquire
   *   passed     consumer   opaque        samplers: opaque
   *
   * Invariants: head <= consumed <= tail <= head + capacity. Below visible all from consumed on are records. What is at the consumer's sequence is
   * the first slot of a run, or below visible.
   *
   * A  stamp.setRelease in               ->  stamp.getAcquire in              slot bytes
   *    Stamps.publish                          Stamps.read
   * B  head.setRelease in                ->  head.getAcquire in               slots are free again
   *    SingleConsumerQueue.free                Gate.slowest, isConsumed
   * C  visible.setRelease in             ->  visible.getAcquire in            slot bytes, for samplers
   *    isPublished, available                  recordsAt
   */
  private final Stamps stamps;
  private final Claims claims;
  private final GatedClaims producers;
  private final Sequence visible = new Sequence();
  private final Sequence passed = new Sequence();

  private MpscQueue(QueueOptions options, Function<MemorySegment, F> flyweights) {
    super(options, flyweights, false);
    this.stamps = Stamps.of(memory, strideBytes, options.capacity());
    this.claims = new Claims(stamps, stalls, false);
    this.producers = new GatedClaims(claims, stamps, stalls != null, head);
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
  public static <F extends Flyweight> MpscQueue<F> of(
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
   * @throws IllegalArgumentException if a full queue is to drop its oldest records, which only the
   *     consumer could take out
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> MpscQueue<F> of(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    return new MpscQueue<>(options, flyweights);
  }

  // ---- producers ----

  @Override
  long claimSlots(int count) {
    long sequence = producers.tryClaim(count);
    return sequence < 0 ? sequence : recordOffset(sequence);
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
    return true; // the claim has seen it
  }

  // ---- consumer ----

  @Override
  boolean isPublished() {
    try {
      long sequence = consumed.getPlain(); // plain: only the consumer writes it
      while (sequence >= visible.getPlain()) { // plain: only the consumer writes it
        long word = stamps.read(slotOffset(sequence)); // acquire A; linearizes
        if (stamps.isCommitted(word, sequence)) {
          visible.setRelease(sequence + Stamps.countOf(word)); // release C: slot bytes
          return true;
        }
        int gap = claims.gapAt(sequence, word);
        if (gap == 0) {
          return false;
        }
        if (gap > 0) {
          passGap(sequence, word, gap);
          sequence += gap;
        }
      }
      return true;
    } catch (IllegalStateException e) {
      return noneIfFreed(e);
    }
  }

  private void passGap(long sequence, long word, int count) {
    if (Stamps.stateOf(word) == Stamps.LET_GO) {
      // claimers come here only after pass
      stamps.mark(slotOffset(sequence), stamps.word(sequence, count, Stamps.ABORTED));
      claims.backInUse(count);
    }
    // opaque: only the consumer writes it, for samplers; plain: the same
    passed.setOpaque(passed.getPlain() + count);
    pass(sequence + count);
  }

  @Override
  int available(int limit) {
    if (!isPublished()) {
      return 0;
    }
    long sequence = consumed.getPlain(); // plain: only the consumer writes it
    long end = visible.getPlain(); // plain: only the consumer writes it
    if (end - sequence < limit) {
      end = committedEnd(end, sequence + limit);
      visible.setRelease(end); // release C: slot bytes
    }
    return (int) Math.min(end - sequence, limit);
  }

  private long committedEnd(long sequence, long end) {
    try {
      return stamps.committedEnd(sequence, end); // acquire A
    } catch (IllegalStateException e) {
      noneIfFreed(e);
      return sequence;
    }
  }

  @Override
  boolean isEmpty() {
    return claims.end() <= consumed.getPlain(); // plain: the caller is the consumer
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

  @Override
  boolean isAtEnd() {
    return claims.isClosing() && isClosed() && (isDrained() || isEmpty());
  }

  /** Whether only slots without a record are left; where it cannot be told they may have one. */
  @Override
  boolean isConsumed() {
    long end = claims.end();
    long sequence = head.getAcquire(); // acquire B: what the consumer did
    long records = -1;
    while (sequence < end && records < 0) {
      records = countAt(sequence);
      sequence += slotsOf(records);
    }
    return records < 0;
  }

  @Override
  boolean freesAtEnd() {
    return false; // a producer may still be amid the commit that the consumer has seen
  }

  // ---- samplers ----

  @Override
  long endSequence() {
    return claims.end();
  }

  @Override
  long recordsAt(long sequence) {
    long seen = visible.getAcquire(); // acquire C: sees the consumer's look, hence slot bytes
    if (sequence < seen) {
      return seen - sequence;
    }
    long word = stamps.read(slotOffset(sequence)); // acquire A
    if (stamps.isCommitted(word, sequence)) {
      return Stamps.countOf(word);
    }
    boolean isGap = stamps.compareTurn(word, sequence) == 0 || Stamps.isGivenUp(word);
    int count = Stamps.countOf(word);
    if (isGap && Stamps.stateOf(word) == Stamps.CLAIMED) {
      return count == Stamps.MAX_COUNT ? 0 : open(count); // it may be longer than its mark can say
    }
    return isGap ? -count : 0;
  }

  @Override
  Counters ownCounters(long first, long committedInside) {
    // opaque: a count, perhaps ahead of the first sequence
    return countersOf(claims, first - passed.getOpaque(), committedInside);
  }
}
