package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.Function;

/**
 * A bounded queue of fixed-size records in off-heap memory, from one producer to one consumer.
 *
 * <pre>{@code
 * SpscQueue<TradeFlyweight> queue = SpscQueue.of(65_536, TradeFlyweight::new);
 *
 * // the producer's thread
 * TradeFlyweight trade = queue.newFlyweight();
 * while (feed.hasNext()) {
 *   queue.claim(trade);                            // waits while full; tryClaim does not
 *   trade.timestamp(feed.time()).price(feed.price()).volume(feed.volume());
 *   queue.commit(trade);
 * }
 * queue.complete();
 *
 * // the consumer's thread
 * TradeFlyweight trade = queue.newFlyweight();
 * while (queue.poll(trade)) {                      // waits while empty; tryPoll and drain do not
 *   candle.add(trade.price(), trade.volume());     // in place
 *   queue.release(trade);
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> One thread at a time claims, commits and aborts: the producer. One thread at a
 * time polls, releases and drains: the consumer. A role may be handed to another thread if the
 * hand-over orders their calls. Two producers at once may overwrite each other's records; two
 * consumers at once may get a record twice or not at all, or leave the queue stuck, full for its
 * producer and empty for them. Memory stays safe, and at best an {@link IllegalStateException}
 * tells of an open claim or poll that its caller knows nothing of; to find it each time would cost
 * more than the queue. So run tests with assertions enabled ({@code -ea}), where calls of one role
 * that overlap throw an {@link AssertionError}. Any thread may ask for {@link #sizeEstimate()}, and
 * complete.
 *
 * <p><b>Progress.</b> Wait-free, but for the forms that wait by contract ({@code claim}, {@code
 * poll}). A producer that stops between claim and commit keeps back its own claim only; a consumer
 * that stops before release keeps its slots, so the producer finds the queue full.
 *
 * <p><b>Ordering.</b> First in, first out. What the producer did before commit happens before the
 * consumer's return from the poll of that record; what the consumer did before release happens
 * before the claim that gets the slot again. "Full" and "empty" are answers of what is visible: a
 * commit or release becomes visible soon after its return, and nothing that the other side saw
 * before is ever unseen; but two threads that each publish in a queue of their own and then look
 * into the other's may both be told that it is empty. (A full fence in between excludes that; the
 * waiting forms have it where their strategy parks.)
 *
 * <p><b>Failure.</b> Full and empty are values. Claims of a completed queue throw; polls of one go
 * on to its last record, then the memory is freed and they say so by value. A record whose handler
 * throws counts as consumed.
 *
 * <p>{@link #complete()} is exact if no producer call overlaps it: every record committed before is
 * delivered. So let the producer complete, or complete after its last call. Of a record whose claim
 * was open when another thread completed, the consumer gets it, or its commit throws {@link
 * IllegalStateException}; if the memory is freed in the moment of the commit, while neither side
 * can have seen the other, it may be lost. (To exclude that, each commit would need a full fence.)
 *
 * <p><b>Cost.</b> O(1) per record, and per run of records no more than two shared writes. A slot
 * takes 8 bytes more than its record, rounded up to 8; the queue itself about 3 KiB of heap, nearly
 * all of it padding. Nothing is allocated after construction.
 *
 * <p><b>Source.</b> Lamport, <a href="https://doi.org/10.1145/69624.357207">Specifying Concurrent
 * Program Modules</a> (1983), for runs; Giacomoni, Moseley, Vachharajani, <a
 * href="https://doi.org/10.1145/1345206.1345215">FastForward for Efficient Pipeline Parallelism</a>
 * (2008), for single records. Here both live in one queue: each commit picks its publication.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class SpscQueue<F extends Flyweight> extends SingleConsumerQueue<F> {
  /*
   * A record is published in one of two ways. A single record by the stamp of its slot, which is
   * its sequence + 1: the consumer finds it with the one cache miss that brings the record too. A
   * run of records by the shared tail alone, so that the slots' lines are written once.
   *
   * The tail is twice the end of the last run, and odd if single records follow: the first of them
   * makes it so. So while there are runs alone the consumer that finds none touches no slot, which
   * the producer would have to win back; and while there are singles alone nobody writes the tail:
   * it begins odd. Else the first record of each queue would take a branch that code compiled for
   * the queue before never took.
   * As commits are in order, a stamp stands for all records before it too: so at every 16th the
   * consumer looks at the stamp of the 15th after it, and if that is there takes all of them
   * without another look.
   *
   * Who writes what (each in a Sequence of its own):
   *
   *   field      writer    write mode   read by
   *   stamp      producer  release      consumer: acquire; in scans opaque, then an acquire fence
   *   tail       producer  release      consumer: acquire
   *   head       consumer  release      producer, through the gate, and close: acquire
   *   written    producer  opaque       producer: plain; samplers, close, consumer: opaque
   *   claimed    producer  opaque       producer: plain; close, consumer at the end: opaque
   *   ending     closers   opaque       consumer, closers: opaque
   *   visible    consumer  plain        consumer: plain
   *
   * Invariants: head <= consumed <= written <= claimed <= head + capacity, where claimed > written
   * only between claim and commit. A slot's stamp is that of an older lap, or 0, or exactly
   * sequence + 1. Each committed sequence is below the end in the tail, or has its stamp and the
   * tail is odd.
   * Non-invariants: the end in the tail may lag what is written, and even the head, for singles do
   * not move it; visible likewise. So emptiness takes a look at the tail, and if that is odd one at
   * the stamp; in that order, for what a run covers need not be stamped.
   *
   * A  stamp.setRelease in               ->  stamp.getAcquire in            slot bytes, of this and
   *    publishSingle                         isStamped, or getOpaque        all commits before
   *                                          and fence in scan
   * B  tail.setRelease in commit, or     ->  tail.getAcquire in seeTail     slot bytes, run
   *    the fence in
   *    QueueSampling.orderClaim
   * C  head.setRelease in                ->  head.getAcquire in             slot is free again
   *    SingleConsumerQueue.free              Gate.slowest,
   *                                          and in isConsumed
   * D  gate.close in closeToProducers    ->  gate.isClosed in isAtEnd       commits before it
   * E  claimed.setOpaque, then           ->  gate.close, Jvm.fenceAll,      one sees the other: the
   *    gate.isClosed in claimSlots           then claimed.getOpaque in      claim, or that the gate
   *                                          isOver                         is closed
   *
   * complete() leaves a claim that overlaps it to chance, as a full fence in each claim or commit
   * would be needed to exclude that. completeExactly() has the closer make that fence for the
   * producer (E): once, by a handshake with all threads. Then what is claimed is final, but that
   * it is written or given back, and the consumer waits for that.
   */

  // values of ending
  private static final long BY_CHANCE = 0; // not exactly
  private static final long BEGUN = 1;
  private static final long SETTLED = 2; // no claim succeeds any more, and the last is known

  private static final VarHandle STAMP = Ring.STAMP;
  private static final long SINGLES = 1; // in the tail
  private static final int LONGEST_STEP = 16; // records

  // the producer's
  private final Sequence claimed = new Sequence();
  private final Sequence written = new Sequence();
  private final Gate gate;
  private final Role producer = new Role("SpscQueue allows one producer at a time");

  // shared
  private final Sequence tail = new Sequence(SINGLES);
  private final Sequence ending = new Sequence();

  // the consumer's
  private final Sequence visible = new Sequence();
  private final int lookAhead; // a power of two, less 1

  private SpscQueue(QueueOptions options, Function<MemorySegment, F> flyweights) {
    super(options, flyweights, true);
    this.gate = new Gate(options.capacity(), head);
    this.lookAhead = Math.min(options.capacity() / 2, LONGEST_STEP) - 1;
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
  public static <F extends Flyweight> SpscQueue<F> of(
      int capacity, Function<MemorySegment, F> flyweights) {
    return of(QueueOptions.ofCapacity(capacity), flyweights);
  }

  /**
   * Makes a queue.
   *
   * @param <F> the flyweight on a record
   * @param options the capacity, and how each side waits
   * @param flyweights makes a flyweight on the queue's memory, usually its constructor; asked once
   *     for one on {@link MemorySegment#NULL}, to learn the layout
   * @return the queue
   * @throws IllegalArgumentException if a full queue is to drop its oldest records, which only the
   *     consumer could take out, or claims have a stall limit, though a producer that stops here
   *     holds up none but itself
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> SpscQueue<F> of(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    Checks.notNull("options", options);
    if (options.stallNanos() != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          "stallNanos must be FOREVER in an SpscQueue: stallNanos=" + options.stallNanos());
    }
    return new SpscQueue<>(options, flyweights);
  }

  // ---- producer ----

  @Override
  long claimSlots(int count) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    long sequence = written.getPlain(); // plain: only the producer writes it
    if (claimed.getPlain() != sequence) { // plain: only the producer writes it
      return openClaim();
    }
    if (count != 1) {
      Checks.inRange("count", count, 1, mask + 1);
    }
    boolean admitted = gate.admits(sequence + count); // pairs with C
    if (admitted) {
      claimed.setOpaque(sequence + count); // opaque: the closer's handshake orders it, E
      admitted = !gate.isClosed() || takeBack(sequence); // pairs with E
    }
    assert producer.end(call);
    return admitted ? recordOffset(sequence) : gate.isClosed() ? CLOSED : FULL;
  }

  /** Gives back what is claimed; the consumer may wait for that. */
  private boolean takeBack(long sequence) {
    claimed.setOpaque(sequence); // opaque: as in claimSlots
    signalConsumers();
    return false;
  }

  private long openClaim() {
    if (gate.isClosed()) {
      return CLOSED; // its commit may have been refused, so that it will stay open
    }
    throw new IllegalStateException("claim must be committed or aborted before the next: " + this);
  }

  @Override
  void hold(F flyweight, long offset, int count) {
    flyweight.moveTo(offset);
  }

  @Override
  void checkHandsFree(Flyweight flyweight) {
    // the queue itself holds what is open
  }

  /** The flyweight's segment is the queue's, and the one that the JIT has just checked. */
  @Override
  public boolean commit(F flyweight) {
    checkOwn(flyweight);
    return commit(flyweight.memory());
  }

  @Override
  public boolean commit(long offset) {
    checkOffset("claim", offset, written, claimed);
    return commit(memory);
  }

  private boolean commit(MemorySegment memory) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    long sequence = written.getPlain(); // plain: only the producer writes it
    long end = claimed.getPlain(); // plain: only the producer writes it
    if (end - sequence == 1) {
      publishSingle(memory, sequence);
    } else if (end != sequence) {
      checkAlive(sequence); // a run's commit would not notice otherwise
      tail.setRelease(end << 1); // release B: slot bytes of the run; linearizes
    } else {
      throw noneOpen("claim");
    }
    written.setOpaque(end); // opaque: for estimates
    assert producer.end(call);
    signalConsumers();
    return true;
  }

  private void publishSingle(MemorySegment memory, long sequence) {
    long runs = tail.getPlain(); // plain: only the producer writes it
    if (!singlesFollow(runs)) {
      tail.setOpaque(runs | SINGLES); // opaque: the claim's fence has released the runs before
    }
    // release A: slot bytes; linearizes
    STAMP.setRelease(memory, slotOffset(sequence), sequence + 1);
  }

  private static boolean singlesFollow(long tail) {
    return (tail & SINGLES) != 0;
  }

  private static long endOfRuns(long tail) {
    return tail >> 1;
  }

  @Override
  boolean isFull() {
    return true;
  }

  /** Throws if the memory is freed. */
  private long checkAlive(long sequence) {
    return (long) STAMP.get(memory, slotOffset(sequence)); // plain: only the producer writes it
  }

  @Override
  public void abort(F flyweight) {
    checkOwn(flyweight);
    abort();
  }

  @Override
  public void abort(long offset) {
    checkOffset("claim", offset, written, claimed);
    abort();
  }

  private void abort() {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    long sequence = written.getPlain(); // plain: only the producer writes it
    if (claimed.getPlain() == sequence) { // plain: only the producer writes it
      throw noneOpen("claim");
    }
    takeBack(sequence);
    assert producer.end(call);
  }

  // ---- consumer ----

  @Override
  boolean isPublished() {
    long sequence = consumed.getPlain(); // plain: only the consumer writes it
    if (sequence < visible.getPlain()) { // plain: only the consumer writes it
      return true;
    }
    long runs = seeTail();
    return sequence < endOfRuns(runs) || (singlesFollow(runs) && isSingle(sequence));
  }

  /** Whether a single record is there; looks ahead now and then. */
  private boolean isSingle(long sequence) {
    try {
      if ((sequence & lookAhead) == 0 && isStamped(sequence + lookAhead)) {
        visible.setPlain(sequence + lookAhead + 1); // plain: only the consumer reads it
        return true;
      }
      return isStamped(sequence);
    } catch (IllegalStateException e) {
      return noneIfFreed(e);
    }
  }

  /** Whether a record was published as a single; then all before it are published. */
  private boolean isStamped(long sequence) {
    // acquire A: sees sequence + 1 from commit, hence the slot bytes; linearizes
    return (long) STAMP.getAcquire(memory, slotOffset(sequence)) == sequence + 1;
  }

  @Override
  int available(int limit) {
    long sequence = consumed.getPlain(); // plain: only the consumer writes it
    long end = visible.getPlain(); // plain: only the consumer writes it
    if (end - sequence >= limit) {
      return limit;
    }
    long runs = seeTail();
    end = endOfRuns(runs);
    if (end > sequence) {
      return (int) Math.min(end - sequence, limit);
    }
    return singlesFollow(runs) ? scan(sequence, limit) : 0;
  }

  /** Counts the single records from a sequence on, up to a limit or the ring's end. */
  private int scan(long sequence, int limit) {
    long slot = sequence & mask;
    int most = (int) Math.min(limit, mask + 1 - slot);
    long offset = slot * strideBytes;
    int count = 0;
    try {
      // opaque: the fence below orders all these looks at once
      while (count < most && (long) STAMP.getOpaque(memory, offset) == sequence + count + 1) {
        count++;
        offset += strideBytes;
      }
    } catch (IllegalStateException e) {
      noneIfFreed(e);
    }
    VarHandle.acquireFence(); // acquire A: the stamps seen above before the slot bytes
    return count;
  }

  private long seeTail() {
    long runs = tail.getAcquire(); // acquire B: sees tail from commit, hence the slot bytes
    visible.setPlain(endOfRuns(runs)); // plain: only the consumer reads it
    return runs;
  }

  // ---- end ----

  @Override
  void closeToProducers() {
    gate.close(); // release D: the commits before
  }

  @Override
  public boolean isClosed() {
    return gate.isClosed();
  }

  @Override
  void completeExactly() {
    // opaque: released by the close, D. If closers meet, the last one settles it once more
    ending.setOpaque(Math.max(ending.getOpaque(), BEGUN));
    gate.close(); // release D: that it has begun
    Jvm.fenceAll(); // fence E: the gate is closed, before the look at what is claimed
    ending.setOpaque(SETTLED); // opaque: fence E was every thread's
    wakeAll();
  }

  /** Whether the consumer, having found nothing, will never find anything. */
  @Override
  boolean isAtEnd() {
    // acquire D: sees the completion, hence in the second look all commits before it
    if (!gate.isClosed()) {
      return false;
    }
    // opaque: what the closer has begun was released by the close
    boolean isExact = ending.getOpaque() != BY_CHANCE;
    // plain: only the consumer writes it
    return isDrained() || (isExact ? isOver(consumed.getPlain()) : available(1) == 0);
  }

  /** Once exactly complete: whether all that ever succeeds to be claimed is before a sequence. */
  private boolean isOver(long sequence) {
    if (ending.getOpaque() != SETTLED) { // opaque: if it is, fence E lies before what follows
      return false;
    }
    long end = written.getOpaque(); // opaque: one that is older is not what is claimed
    return end == sequence && end == claimed.getOpaque(); // opaque: final, or taken back, by E
  }

  @Override
  boolean isEmpty() {
    return true;
  }

  /** Looks at no slot, for the consumer that finds the end may free them meanwhile. */
  @Override
  boolean isConsumed() {
    long end = written.getOpaque(); // opaque: final, if its producer has stopped
    return end <= head.getAcquire(); // acquire C: what the consumer did
  }

  @Override
  boolean isPassed() {
    return isOver(firstSequence());
  }

  @Override
  boolean freesAtEnd() {
    return ending.getOpaque() == BY_CHANCE; // opaque: it was released by the close
  }

  // ---- samplers ----

  @Override
  long endSequence() {
    return written.getOpaque(); // opaque: a count
  }

  @Override
  long recordsAt(long sequence) {
    // acquire B: sees the tail from commit, hence the slot bytes
    return isStamped(sequence) || sequence < endOfRuns(tail.getAcquire()) ? 1 : 0;
  }

  @Override
  Counters ownCounters(long first, long committedInside) {
    long claimed = written.getOpaque(); // opaque: a count
    return new Counters(
        claimed, first + committedInside, first, 0, droppedCount(), 0, 0, 0, highWater());
  }
}
