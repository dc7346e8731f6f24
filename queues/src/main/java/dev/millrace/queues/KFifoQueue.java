package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to any
 * number of consumers, that is first-in-first-out but for k: a record leaves at most k-1 places out
 * of order. In exchange k threads a side can work without meeting at one place, and no thread that
 * stops, wherever it does, holds up another.
 *
 * <pre>{@code
 * KFifoQueue<TaskFlyweight> queue = KFifoQueue.of(8, 65_536, TaskFlyweight::new);
 *
 * // each producer's thread
 * TaskFlyweight task = queue.newFlyweight();
 * if (queue.claim(task)) {                         // waits while full; tryClaim does not
 *   task.id(id);
 *   queue.commit(task);
 * }
 *
 * // each consumer's thread
 * TaskFlyweight task = queue.newFlyweight();
 * while (queue.poll(task)) {                       // waits while empty; tryPoll does not
 *   work(task.id());                               // in place
 *   queue.release(task);
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread claims, commits and aborts; any thread polls, releases and drains:
 * with a flyweight of its own for each claim or poll that it has open.
 *
 * <p><b>Progress.</b> Lock-free throughout. A producer that stops between claim and commit, or a
 * consumer between poll and release, keeps one cell from the others and nothing else.
 *
 * <p><b>Ordering.</b> For each record x there are at most k-1 records that were committed by calls
 * that began after the commit of x had returned, and were taken by polls that returned before the
 * poll of x began. With k of 1 that is the order of the commits. What a producer did before commit
 * happens before the return from the poll of that record; what a consumer did before release
 * happens before the claim that gets the cell again. {@code tryPoll} says that there is none only
 * if at some moment of the call no committed record was there.
 *
 * <p><b>Failure.</b> Full and empty are values; as many records fit as the capacity says, claimed
 * ones and those in the hands of consumers included. Claims of a completed queue throw; {@link
 * #complete()} is exact: each claim that succeeded before may still commit, and consumers are told
 * of the end only behind it. A record whose handler throws counts as consumed.
 *
 * <p><b>Cost.</b> Five compare-and-sets a record: to take a cell, to put it into the queue and to
 * take it out, to give it back, and, when the queue is nearly empty, to tell consumers. O(k) looks.
 * A record takes 8 bytes of its cell, rounded up to 8, and 16 of the queue. Nothing is allocated
 * after construction, but for a place to rest when more threads rest at once than ever before.
 *
 * <p><b>Source.</b> Kirsch, Lippautz, Payer, <a
 * href="https://doi.org/10.1007/978-3-642-39958-9_18">Fast and Scalable, Lock-Free k-FIFO
 * Queues</a> (PaCT 2013), the bounded one. Here the items are cells of memory, of which there are
 * fewer than places, so that only a claim can find the queue full.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class KFifoQueue<F extends Flyweight> extends QueueLife<F> {
  /*
   * Records stay in the cell that they were written in; what goes through the queue is the cell's
   * number. The queue is a ring of segments of k places. Producers fill any empty place of the tail's
   * segment, and move the tail on when there is none; consumers take any cell of the head's segment,
   * and move the head on when there is none. So records of different segments leave in order.
   *
   * A cell may be put into a segment that the head has passed meanwhile, which nobody would look at
   * again. So who has put it looks at the head. Behind the head, all is well. At the head, it moves
   * the count in the head's word on, so that a consumer who had found the segment empty cannot pass
   * it. Passed, it takes the cell back and begins anew, unless a consumer was faster.
   *
   * Words:
   *
   *   head, tail   63..16  segment        15..0   count; how often a cell was put at the head
   *   place        62..31  writes         30..0   cell + 1, or 0
   *
   * A place's count of writes keeps a thread whose look is old from exchanging what came back. The
   * segments are compared modulo 2^48, which passes in weeks.
   *
   * Who writes what:
   *
   *   field    writer      write mode            read by
   *   place    all         exchange: volatile    all: volatile
   *   head     all         exchange: release     consumers, and who has put: volatile
   *   tail     all         exchange: release     all: opaque
   *
   * Invariants: head <= tail < head + segments. All places of segments between them are taken, for
   * producers move the tail on only from a full segment, consumers only from the head's; and of cells
   * there are fewer than places in all segments but two. So the tail never comes round to the head,
   * and a producer with a cell in hand always finds room. A place of the tail's segment is emptied
   * only after the tail has moved, so no more than k records go through a segment: who has looked at
   * a place while the tail was there exchanges the very word that it saw then.
   *
   * Who puts writes a place, then reads the head; who takes reads the head, then the places. One of
   * the two must see the other, so these four are volatile.
   *
   * A  PLACE.compareAndSet in exchange         ->  PLACE.getVolatile in read  the record
   * B  weakCompareAndSetRelease in advance     ->  head.getVolatile in take   that the tail is not behind
   */
  private static final int LARGEST_K = 1 << 12; // far below what the head's count can hold
  private static final long LEAST_SEGMENTS = 4;
  private static final long EMPTY = 0;
  private static final long NOWHERE = -1;

  private static final int COUNT_BITS = 16;
  private static final long COUNT = (1L << COUNT_BITS) - 1;
  private static final long SEGMENT = 1L << COUNT_BITS;

  private static final int CELL_BITS = 31;
  private static final long CELL = (1L << CELL_BITS) - 1;
  private static final long WRITE = 1L << CELL_BITS;
  private static final long SIGN = 1L << 63;

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final VarHandle PLACE = Ring.STAMP;

  private final int k;
  private final long segmentMask;
  private final long placesOffset;
  private final FreeCells cells;
  private final Sequence head = new Sequence();
  private final Sequence tail = new Sequence();

  private KFifoQueue(int k, QueueOptions options, Function<MemorySegment, F> flyweights) {
    super(options, flyweights, false, false, placesBytes(k, options));
    this.k = k;
    this.segmentMask = segments(k, options) - 1;
    this.placesOffset = memory.byteSize() - placesBytes(k, options);
    this.cells = new FreeCells(memory, strideBytes, options.capacity());
  }

  /** A power of two, and at least two more than the cells fill. */
  private static long segments(int k, QueueOptions options) {
    return Math.max(LEAST_SEGMENTS, 2L * options.capacity() / k);
  }

  private static long placesBytes(int k, QueueOptions options) {
    return segments(k, options) * k * Long.BYTES;
  }

  /**
   * Makes a queue with the default options.
   *
   * @param <F> the flyweight on a record
   * @param k how many places out of order a record may leave, and one more; a power of two in
   *     1..4,096, and not above the capacity
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @param flyweights makes a flyweight on the queue's memory, usually its constructor
   * @return the queue
   * @throws IllegalArgumentException if k or the capacity is not such a number
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> KFifoQueue<F> of(
      int k, int capacity, Function<MemorySegment, F> flyweights) {
    return of(k, QueueOptions.ofCapacity(capacity), flyweights);
  }

  /**
   * Makes a queue.
   *
   * @param <F> the flyweight on a record
   * @param k as {@link #of(int, int, Function)}
   * @param options the capacity, and how each side waits
   * @param flyweights makes a flyweight on the queue's memory, usually its constructor
   * @return the queue
   * @throws IllegalArgumentException if k is not such a number, a full queue is to drop records, or
   *     claims have a stall limit, though a producer that stops here holds up nobody
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> KFifoQueue<F> of(
      int k, QueueOptions options, Function<MemorySegment, F> flyweights) {
    Checks.notNull("options", options);
    int most = Math.min(LARGEST_K, options.capacity());
    if (k < 1 || k > most || Integer.bitCount(k) != 1) {
      throw new IllegalArgumentException("k must be a power of two in 1.." + most + ": k=" + k);
    }
    if (options.whenFull() != QueueOptions.WhenFull.WAIT) {
      throw new IllegalArgumentException(
          "whenFull must be WAIT in a KFifoQueue: whenFull=" + options.whenFull());
    }
    if (options.stallNanos() != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          "stallNanos must be FOREVER in a KFifoQueue: stallNanos=" + options.stallNanos());
    }
    return new KFifoQueue<>(k, options, flyweights);
  }

  /**
   * How many places out of order a record may leave, and one more.
   *
   * @return k
   */
  public int k() {
    return k;
  }

  // ---- producers ----

  /**
   * Claims a free cell, if there is one.
   *
   * @param flyweight is moved onto it; if there is none, it is on no record
   * @return whether one was claimed; then {@link #commit} or {@link #abort} must follow
   * @throws IllegalStateException if the queue is closed, or the flyweight has a claim or a poll
   *     open
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
   */
  public boolean tryClaim(F flyweight) {
    checkFree(flyweight);
    long cell = cells.take(spread());
    while (cell == FreeCells.NONE && !cells.areNoneLeft()) {
      cell = cells.take(spread()); // one came back to a stripe that had been looked at
    }
    if (cell < 0) {
      flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would write on a former record
      if (cell == FreeCells.CLOSED) {
        throw new IllegalStateException("queue must be open to claim: " + this);
      }
      return false;
    }
    flyweight.moveToRun(cellOffset(cell), 1);
    return true;
  }

  /**
   * Claims a free cell, waiting for one as the producers' strategy says.
   *
   * @param flyweight is moved onto it
   * @return false only if the strategy's time limit passed
   * @throws IllegalStateException if the queue is or gets closed, or something is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean claim(F flyweight) throws InterruptedException {
    return tryClaim(flyweight)
        || awaitClaim(flyweight, producerWaiters.strategy().timeLimitNanos());
  }

  /**
   * Claims a free cell, waiting for one no longer than the given time.
   *
   * @param flyweight is moved onto it
   * @param timeout how long to wait, instead of the strategy's limit
   * @param unit the timeout's unit
   * @return false if the time passed
   * @throws IllegalStateException if the queue is or gets closed, or something is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean claim(F flyweight, long timeout, TimeUnit unit) throws InterruptedException {
    Checks.notNull("unit", unit);
    return tryClaim(flyweight) || awaitClaim(flyweight, unit.toNanos(timeout));
  }

  private boolean awaitClaim(F flyweight, long limitNanos) throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (!tryClaim(flyweight)) {
        step = producerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      producerWaiters.leave(step);
    }
  }

  /**
   * Puts the record that was written into the queue.
   *
   * @param flyweight the flyweight that the claim was made with; it is on no record of yours then
   * @throws IllegalStateException if nothing is claimed, or the memory is freed; then no consumer
   *     will see the record
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
   */
  public void commit(F flyweight) {
    put(ended(flyweight, 1, "claim"));
    signalConsumers();
  }

  /**
   * Gives back what was claimed.
   *
   * @param flyweight the flyweight that the claim was made with
   * @throws IllegalStateException if nothing is claimed
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
   */
  public void abort(F flyweight) {
    giveBack(ended(flyweight, 1, "claim"));
  }

  /** Puts a cell into an empty place of the tail's segment. */
  private void put(long cell) {
    int start = spread();
    while (true) {
      long last = tail.getOpaque(); // opaque: not older than what this thread knows of
      int index = find(last, start, true);
      long place = place(last, start, index);
      long word = index < k ? read(place) : EMPTY;
      if (tail.getOpaque() != last) { // opaque: behind the look at the places, which acquires
        continue;
      }
      if (index == k) {
        advance(tail, last);
        continue;
      }
      long filled = written(word, cell + 1);
      if (isEmpty(word) && exchange(place, word, filled) && isInside(last, place, filled)) {
        return;
      }
    }
  }

  /** Whether consumers will come upon what was put; if not, it is there no more. */
  private boolean isInside(long segment, long place, long filled) {
    if ((long) PLACE.getOpaque(memory, place) != filled) { // opaque: one has, so it was seen
      return true;
    }
    long first = head.getVolatile(); // volatile: behind the exchange of the place
    long ahead = distance(first, segment);
    if (ahead == 0) {
      long counted = (first & ~COUNT) | ((first + 1) & COUNT);
      // atomic: who found it empty cannot pass it
      if (head.weakCompareAndSetPlain(first, counted)) {
        return true;
      }
    } else if (ahead > 0) {
      return true;
    }
    return !exchange(place, filled, written(filled, EMPTY)); // volatile: another may have taken it
  }

  // ---- consumers ----

  /**
   * Takes a record, if there is one: one of the k oldest.
   *
   * @param flyweight is moved onto the record, which stays in place until {@link #release}
   * @return whether there was one
   * @throws IllegalStateException if the flyweight has a claim or a poll open
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
   */
  public boolean tryPoll(F flyweight) {
    checkFree(flyweight);
    long cell = takeUnlessFreed();
    if (cell < 0) {
      flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would read a former record
      endIfAllBack();
      return false;
    }
    flyweight.moveToRun(cellOffset(cell), -1);
    return true;
  }

  /**
   * Takes a record, waiting for one as the consumers' strategy says.
   *
   * @param flyweight is moved onto the record
   * @return false if the strategy's time limit passed, or the queue is closed and drained
   * @throws IllegalStateException if something is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean poll(F flyweight) throws InterruptedException {
    return tryPoll(flyweight) || awaitPoll(flyweight, consumerWaiters.strategy().timeLimitNanos());
  }

  /**
   * Takes a record, waiting for one no longer than the given time.
   *
   * @param flyweight is moved onto the record
   * @param timeout how long to wait, instead of the strategy's limit
   * @param unit the timeout's unit
   * @return false if the time passed, or the queue is closed and drained
   * @throws IllegalStateException if something is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean poll(F flyweight, long timeout, TimeUnit unit) throws InterruptedException {
    Checks.notNull("unit", unit);
    return tryPoll(flyweight) || awaitPoll(flyweight, unit.toNanos(timeout));
  }

  private boolean awaitPoll(F flyweight, long limitNanos) throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (!tryPoll(flyweight)) {
        if (isDrained()) {
          return false;
        }
        step = consumerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      consumerWaiters.leave(step);
    }
  }

  /**
   * Gives back the cell of what was polled.
   *
   * @param flyweight the flyweight that the poll was made with
   * @throws IllegalStateException if nothing is polled
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
   */
  public void release(F flyweight) {
    giveBack(ended(flyweight, -1, "poll"));
  }

  private void giveBack(long cell) {
    if (cells.put(cell)) {
      signalConsumers(); // it may have been the last that they waited for
    } else {
      signalProducers();
    }
  }

  /**
   * Consumes records in place, one by one, up to a limit.
   *
   * @param flyweight is moved onto each record in turn
   * @param handler is given the flyweight for each record
   * @param limit how many at the most, at least 1
   * @return how many, 0 if there was none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if something is open
   * @throws RuntimeException what the handler throws; that record counts as consumed
   */
  public int drain(F flyweight, Consumer<? super F> handler, int limit) {
    Checks.notNull("handler", handler);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    int count = 0;
    while (count < limit && tryPoll(flyweight)) {
      count++;
      try {
        handler.accept(flyweight);
      } finally {
        release(flyweight);
      }
    }
    return count;
  }

  private long takeUnlessFreed() {
    try {
      return take();
    } catch (IllegalStateException e) {
      noneIfFreed(e);
      return NOWHERE;
    }
  }

  /** Takes a cell out of the head's segment, or finds that there was none anywhere. */
  private long take() {
    int start = spread();
    while (true) {
      // acquire B: a tail that is not behind; volatile: before the look at the places
      long first = head.getVolatile();
      int index = find(first, start, false);
      long place = place(first, start, index);
      long word = index < k ? read(place) : EMPTY;
      long last = tail.getOpaque(); // opaque: behind the look at the places, which acquires
      if (head.getOpaque() != first) { // opaque: behind the look at the places, which acquires
        continue;
      }
      boolean isLast = distance(first, last) == 0;
      if (index == k) {
        if (isLast && tail.getOpaque() == last) { // opaque: still the last, so there was none
          return NOWHERE;
        }
        advance(head, first);
        continue;
      }
      if (isLast) {
        advance(tail, last); // so that the head's segment gets empty
      }
      if (!isEmpty(word) && exchange(place, word, written(word, EMPTY))) {
        return (word & CELL) - 1;
      }
    }
  }

  private void endIfAllBack() {
    if (cells.areAllBack() && !isDrained()) {
      finish();
    }
  }

  // ---- places ----

  /**
   * Finds a place of a segment that is empty, or is not; returns how far it is from where the look
   * began, k if there is none.
   */
  private int find(long segment, int start, boolean empty) {
    int index = 0;
    while (index < k && isEmpty(read(place(segment, start, index))) != empty) {
      index++;
    }
    return index;
  }

  private long place(long segment, int start, int index) {
    return firstPlace(segment) + (long) ((start + index) & (k - 1)) * Long.BYTES;
  }

  private static boolean isEmpty(long word) {
    return (word & CELL) == EMPTY;
  }

  private long read(long place) {
    // acquire A: the record; volatile: behind the look at head or tail
    return (long) PLACE.getVolatile(memory, place);
  }

  private boolean exchange(long place, long word, long written) {
    // release A: the record; volatile: before the look at the head
    return PLACE.compareAndSet(memory, place, word, written);
  }

  private static long written(long word, long content) {
    return (((word & ~CELL) + WRITE) & ~SIGN) | content;
  }

  private long firstPlace(long segment) {
    return placesOffset + ((segment >> COUNT_BITS) & segmentMask) * k * Long.BYTES;
  }

  /** How many segments a word of head or tail is ahead of another. */
  private static long distance(long from, long to) {
    return ((to & ~COUNT) - (from & ~COUNT)) >> COUNT_BITS;
  }

  /** Moves head or tail to the next segment, unless somebody has. */
  private static void advance(Sequence sequence, long word) {
    long next = (word & ~COUNT) + SEGMENT;
    while (sequence.getOpaque() == word // opaque: the exchange confirms it
        && !sequence.weakCompareAndSetRelease(word, next)) { // release B: the look at the tail
      // failed for no reason
    }
  }

  /** Where this thread begins to look, so that threads meet seldom. */
  private static int spread() {
    return (int) ((Thread.currentThread().threadId() * GOLDEN) >>> 40);
  }

  private long cellOffset(long cell) {
    return cell * strideBytes + Ring.STAMP_BYTES;
  }

  private void checkFree(F flyweight) {
    checkOwn(flyweight);
    int count = flyweight.runCount();
    if (count != 0) {
      throw new IllegalStateException(
          (count > 0 ? "claim must be committed or aborted" : "poll must be released")
              + " before the next: "
              + flyweight);
    }
  }

  /** Ends what a flyweight has open; returns the cell. */
  private long ended(F flyweight, int count, String what) {
    checkOwn(flyweight);
    if (flyweight.runCount() != count) {
      throw noneOpen(what);
    }
    long cell = (flyweight.runOffset() - Ring.STAMP_BYTES) / strideBytes;
    flyweight.moveToRun(Ring.NOWHERE, 0); // or a second end might end another's
    return cell;
  }

  // ---- seen from outside, and the end ----

  /**
   * About how many committed records are in the queue; exact while nobody uses it. Takes time in
   * proportion to the answer.
   *
   * @return the estimate; 0 once drained
   */
  @Override
  public int sizeEstimate() {
    try {
      return isDrained() ? 0 : count(head.getOpaque(), tail.getOpaque()); // opaque: an estimate
    } catch (IllegalStateException e) {
      noneIfFreed(e);
      return 0;
    }
  }

  private int count(long first, long last) {
    int count = 0;
    for (long segment = first; distance(segment, last) >= 0; segment += SEGMENT) {
      long base = firstPlace(segment);
      for (int i = 0; i < k; i++) {
        count += isEmpty(read(base + (long) i * Long.BYTES)) ? 0 : 1;
      }
    }
    return Math.min(count, capacity());
  }

  @Override
  void closeToProducers() {
    cells.close();
  }

  @Override
  public boolean isClosed() {
    return cells.isClosed();
  }

  @Override
  boolean isConsumed() {
    return cells.areAllBack();
  }

  @Override
  boolean freesAtEnd() {
    return false; // another consumer may still be looking for records
  }
}
