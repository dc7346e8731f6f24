package dev.millrace.queues;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.internal.QueueState;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to any
 * number of consumers. The queue is first-in-first-out, except that a record may leave up to k-1
 * places out of order. In exchange, up to k threads on each side can work with little contention. A
 * thread that stops at any point does not hold up other threads.
 *
 * {@snippet file="Examples.java" region="k-fifo"}
 *
 * <p><b>Roles.</b> Each producer and each consumer belongs to one thread at a time. Any thread may
 * make producers and consumers, and complete, close and query the queue.
 *
 * <p><b>Progress.</b> All operations are lock-free, except for those that wait by contract. A
 * producer that stops between claim and commit keeps one cell (the memory for one record), but
 * delays no other thread. The same is true of a consumer that stops between poll and release.
 *
 * <p><b>Ordering.</b> At most k-1 records overtake a record x. A record y overtakes x if y is
 * committed later but polled earlier: the commit of x returns before the commit of y begins, and
 * the poll of y returns before the poll of x begins. With k = 1, records leave in the order of
 * their commits. Everything that a producer did before it committed a record happens-before
 * everything that a consumer does after it has polled that record. Everything that a consumer did
 * before it released a record happens-before everything that a producer does after it has claimed
 * the record's cell again. If {@code tryPoll} reports empty, there was a moment during the call
 * when no committed record was left.
 *
 * <p><b>Capacity.</b> A record counts towards the capacity from its claim until its release or
 * abort. If a claim finds the queue full, there was a moment during the call when no cell was free.
 * Runs are always one record long.
 *
 * <p><b>End.</b> Once {@link #complete()} has returned, no new claim succeeds, but open claims may
 * still be committed. Consumers see the end only once no claim is open and all records are
 * released. Only {@link #close()} frees the memory.
 *
 * <p><b>Cost.</b> Each record costs four compare-and-sets, one each for its claim, commit, poll and
 * release. When the queue is nearly empty, a commit takes a second compare-and-set, so that
 * consumers do not skip the record. A separate array keeps the order of the records, and a commit
 * or a poll reads O(k) elements of the array. A cell takes the record's size plus 8 bytes, rounded
 * up to a multiple of 8. For each cell, the array takes another 16 bytes, or 32 bytes if k equals
 * the capacity. Each producer and consumer takes about 1 KiB of heap. After construction, the queue
 * allocates only when more threads sleep or park at once than ever before, and then only a small
 * object. Because producers and consumers have no public types of their own, the JIT cannot always
 * inline a call to them, but a call that is not inlined costs little compared with the
 * compare-and-sets.
 *
 * <p><b>Source.</b> The algorithm is the bounded k-FIFO queue of Kirsch, Lippautz, Payer, <a
 * href="https://doi.org/10.1007/978-3-642-39958-9_18">Fast and Scalable, Lock-Free k-FIFO
 * Queues</a> (PaCT 2013). The items that a {@code KFifoQueue} keeps in the algorithm's array are
 * the numbers of the cells. The array has more elements than there are cells, so a commit always
 * finds room, and only a claim can find the queue full.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class KFifoQueue<T> extends OffHeapQueue<T> {
  /*
   * A record stays in the cell that it was written to, and only the cell's number goes through the
   * queue. The queue is a ring of segments of k places. Producers fill any empty place of the
   * tail's segment, and move the tail on when no place is empty. Consumers take any cell of the
   * head's segment, and move the head on when no cell is left. So records of different segments
   * leave in order.
   *
   * A producer may put a cell into a segment that the head has just passed, where no consumer would
   * find it. So after putting a cell, it reads the head. If the segment is ahead of the head, all
   * is well. If the head is at the segment, the producer increments the count in the head's word,
   * so that a consumer that found the segment empty cannot pass it. If the head has passed the
   * segment, the producer takes the cell back and starts over, unless a consumer has already taken
   * it.
   *
   * Words:
   *
   *   head, tail   63..16  segment        15..0   count; how often a cell was put at the head
   *   place        63..31  writes         30..0   cell + 1, or 0
   *
   * A place's count of writes makes the exchange fail if the place has changed since it was read,
   * even if the same cell is back. Segments are compared modulo 2^48; the number takes weeks to
   * wrap.
   *
   * Fields:
   *
   *   field    writer      write mode            read by
   *   place    all         exchange: volatile    all: volatile
   *   head     all         exchange: release     consumers; after a put: volatile
   *   tail     all         exchange: release     all: opaque
   *
   * Invariants: head <= tail < head + segments. All places of the segments between them are filled,
   * because producers move the tail on only from a full segment, and consumers move it only from
   * the head's segment. The cells leave at least two segments empty, so the tail never comes round
   * to the head, and a producer with a cell in hand always finds room. A place of the tail's
   * segment is emptied only after the tail has moved. Either a consumer empties it, which moves the
   * tail first, or the producer that takes its cell back does, after the head has passed. So at
   * most k records go through a segment in a lap. If a thread read a place while the tail was
   * there, its exchange replaces the very word that it read.
   *
   * A producer writes a place, then reads the head; a consumer reads the head, then the places. One
   * must see the other, so these four accesses are volatile.
   *
   * A  PLACE.compareAndSet in exchange         ->  PLACE.getVolatile in read  the record
   * B  weakCompareAndSetRelease in advance     ->  head.getVolatile in take   a tail not behind
   */
  private static final int LARGEST_K = 1 << 12; // far below what the head's count can hold
  private static final long LEAST_SEGMENTS = 4;
  private static final long EMPTY = 0;
  static final long NOWHERE = -1;

  private static final int COUNT_BITS = 16;
  private static final long COUNT = (1L << COUNT_BITS) - 1;
  private static final long SEGMENT = 1L << COUNT_BITS;

  private static final int CELL_BITS = 31;
  private static final long CELL = (1L << CELL_BITS) - 1;
  private static final long WRITE = 1L << CELL_BITS;

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final VarHandle PLACE = Ring.STAMP;

  private final int k;
  private final long segmentMask;
  private final MemorySegment memory;
  private final long placesOffset;
  private final FreeCells cells;
  private final Sequence head = new Sequence();
  private final Sequence tail = new Sequence();

  private KFifoQueue(int k, FlyweightType<T> type, QueueOptions options) {
    super(type, options, false, false, placesBytes(k, options));
    this.k = k;
    this.segmentMask = segments(k, options) - 1;
    this.memory = ring.memory();
    this.placesOffset = memory.byteSize() - placesBytes(k, options);
    this.cells = new FreeCells(memory, ring.strideBytes(), ring.mask() + 1);
  }

  /**
   * Returns the number of segments: a power of two, and at least two more than the cells can fill.
   */
  private static long segments(int k, QueueOptions options) {
    return Math.max(LEAST_SEGMENTS, 2 * options.capacity() / k);
  }

  private static long placesBytes(int k, QueueOptions options) {
    return segments(k, options) * k * Long.BYTES;
  }

  /**
   * Makes a queue with the default options.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param k the bound on reordering: a record leaves at most k-1 places out of order. The bound
   *     must be a power of two in 1..4,096, and not above the capacity
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if k or the capacity is not a power of two or is out of range,
   *     or the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> KFifoQueue<T> of(Class<T> type, int k, int capacity) {
    return of(type, k, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param k as in {@link #of(Class, int, int)}
   * @param options as in {@link #of(FlyweightType, int, QueueOptions)}
   * @return the queue
   * @throws IllegalArgumentException if {@link #of(FlyweightType, int, QueueOptions)} would reject
   *     {@code k} or the options, or if the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> KFifoQueue<T> of(Class<T> type, int k, QueueOptions options) {
    return of(FlyweightType.of(type), k, options);
  }

  /**
   * Makes a queue.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param k as in {@link #of(Class, int, int)}
   * @param options the capacity, how each side waits, and what {@code claim} does when the queue is
   *     full
   * @return the queue
   * @throws IllegalArgumentException if {@code k} is not a power of two in its range, if the
   *     capacity is not a power of two, if {@code onFull} is {@code DROP_OLDEST} or {@code SIGNAL},
   *     or if there is a stall limit, which this queue does not need
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> KFifoQueue<T> of(FlyweightType<T> type, int k, QueueOptions options) {
    checkOptions(type, options, OnFull.WAIT, OnFull.DROP_NEWEST);
    int most = (int) Math.min(LARGEST_K, options.capacity());
    if (k < 1 || k > most || Integer.bitCount(k) != 1) {
      throw new IllegalArgumentException("k must be a power of two in 1.." + most + ": k=" + k);
    }
    QueueState.checkNoStallLimit(options);
    return new KFifoQueue<>(k, type, options);
  }

  /**
   * Returns the bound k of this queue. A record leaves at most k-1 places out of order.
   *
   * @return k
   */
  public int k() {
    return k;
  }

  /**
   * Makes a producer. One thread at a time may use it. Runs are always one record long.
   *
   * @return a producer
   */
  public Producer<T> newProducer() {
    return new KFifoProducer<>(this, type.newFlyweight(memory));
  }

  /**
   * Makes a consumer. One thread at a time may use it. Runs are always one record long.
   *
   * <p>Consumers see the end only when all records are released. A thread that uses several
   * consumers should therefore release the record that it has polled from one consumer before it
   * waits on another consumer. If the thread kept the record and the queue were completed, the
   * thread would wait for itself.
   *
   * @return a consumer
   */
  public Consumer<T> newConsumer() {
    return new KFifoConsumer<>(this, type.newFlyweight(memory));
  }

  // ---- what the ends do ----

  /**
   * Claims a free cell. Returns the cell, or {@link Ring#NONE} if there was none, or {@link
   * Ring#CLOSED}.
   */
  long tryClaim(Cursor own) {
    long cell = cells.take(spread());
    while (cell == FreeCells.NONE && !cells.areNoneLeft()) {
      cell = cells.take(spread()); // a cell came back to a stripe already searched
    }
    if (cell == FreeCells.CLOSED) {
      complete(); // so that no producer can claim from now on
      return Ring.CLOSED;
    }
    return cell == FreeCells.NONE ? Ring.NONE : own.take(cell, 1);
  }

  /** Gives back {@code cell}, which was claimed or taken. */
  void giveBack(long cell) {
    try {
      if (cells.put(cell)) {
        consumerWaiters.signal(); // they may see the end now that this cell is back
      }
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is closed
    }
  }

  /** Puts the claimed {@code cell} into the queue. Returns false if the memory is freed. */
  boolean tryPut(long cell) {
    try {
      put(cell);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Takes a cell. Returns {@link #NOWHERE} if there was none, or if the memory is freed. */
  long tryTake() {
    try {
      return take();
    } catch (IllegalStateException e) {
      return NOWHERE;
    }
  }

  /** Puts {@code cell} into an empty place of the tail's segment. */
  private void put(long cell) {
    int start = spread();
    while (true) {
      long last = tail.getOpaque(); // opaque: never older than the last one this thread saw
      int index = 0;
      long place;
      long word;
      do {
        place = place(last, start + index);
        word = read(place);
      } while (!isEmpty(word) && ++index < k);
      if (tail.getOpaque() != last) { // opaque: after the reads of the places, which acquire
        continue;
      }
      if (!isEmpty(word)) {
        advance(tail, last); // all its places are filled
        continue;
      }
      long filled = written(word, cell + 1);
      if (exchange(place, word, filled) && isInside(last, place, filled)) {
        return;
      }
    }
  }

  /**
   * Returns whether consumers have taken the cell or will find it. If neither, takes the cell back.
   */
  private boolean isInside(long segment, long place, long filled) {
    if ((long) PLACE.getOpaque(memory, place) != filled) { // opaque: if changed, it was taken
      return true;
    }
    long first = head.getVolatile(); // volatile: after the exchange of the place
    while (distance(first, segment) == 0) {
      long counted = (first & ~COUNT) | ((first + 1) & COUNT);
      // atomic: a consumer that found the segment empty cannot pass it
      if (head.weakCompareAndSetPlain(first, counted)) {
        return true;
      }
      first = head.getOpaque(); // opaque: not older than the value last read
    }
    return distance(first, segment) > 0
        || !exchange(place, filled, written(filled, EMPTY)); // volatile: it may be gone
  }

  /** Takes a cell out of the head's segment, or finds that the queue was empty. */
  private long take() {
    int start = spread();
    while (true) {
      // acquire B: a tail that is not behind; volatile: before the reads of the places
      long first = head.getVolatile();
      int index = 0;
      long place;
      long word;
      do {
        place = place(first, start + index);
        word = read(place);
      } while (isEmpty(word) && ++index < k);
      long last = tail.getOpaque(); // opaque: after the reads of the places, which acquire
      if (head.getOpaque() != first) { // opaque: after the reads of the places, which acquire
        continue;
      }
      boolean isLast = distance(first, last) == 0;
      if (isEmpty(word)) { // as were the other places
        if (isLast && tail.getOpaque() == last) { // opaque: still the last, so the queue was empty
          return NOWHERE;
        }
        advance(head, first);
        continue;
      }
      if (isLast) {
        advance(tail, last); // so that the head's segment can become empty
      }
      if (exchange(place, word, written(word, EMPTY))) {
        return (word & CELL) - 1;
      }
    }
  }

  // ---- places ----

  /**
   * Returns the offset of a place in {@code segment}. Any {@code number} is mapped to one of the k
   * places.
   */
  private long place(long segment, int number) {
    return firstPlace(segment) + (long) (number & (k - 1)) * Long.BYTES;
  }

  private static boolean isEmpty(long word) {
    return (word & CELL) == EMPTY;
  }

  private long read(long place) {
    // acquire A: the record; volatile: after the read of head or tail
    return (long) PLACE.getVolatile(memory, place);
  }

  private boolean exchange(long place, long word, long written) {
    // release A: the record; volatile: before the read of the head
    return PLACE.compareAndSet(memory, place, word, written);
  }

  private static long written(long word, long content) {
    return ((word & ~CELL) + WRITE) | content;
  }

  private long firstPlace(long segment) {
    return placesOffset + ((segment >> COUNT_BITS) & segmentMask) * k * Long.BYTES;
  }

  /** Returns how many segments the word {@code to} of head or tail is ahead of {@code from}. */
  private static long distance(long from, long to) {
    return ((to & ~COUNT) - (from & ~COUNT)) >> COUNT_BITS;
  }

  /** Moves head or tail to the next segment, unless another thread has already done so. */
  private static void advance(Sequence sequence, long word) {
    long next = (word & ~COUNT) + SEGMENT;
    while (sequence.getOpaque() == word // opaque: the exchange confirms it
        && !sequence.weakCompareAndSetRelease(word, next)) { // release B: the read of the tail
      // failed spuriously
    }
  }

  /**
   * Returns where this thread starts its search. Threads start at different places, so that they
   * rarely contend.
   */
  private static int spread() {
    return (int) ((Thread.currentThread().threadId() * GOLDEN) >>> 40);
  }

  // ---- seen from outside, and the end ----

  // A position counts places, starting with the first segment. The mark of a record is its place's
  // word, which changes with each exchange.

  @Override
  long size() {
    return committedFrom(firstPosition());
  }

  @Override
  long firstPosition() {
    return (head.getOpaque() >>> COUNT_BITS) * k; // opaque: an estimate
  }

  @Override
  long endPosition() {
    return ((tail.getOpaque() >>> COUNT_BITS) + 1) * k; // opaque: an estimate
  }

  private long placeAt(long position) {
    return firstPlace((position / k) << COUNT_BITS) + position % k * Long.BYTES;
  }

  @Override
  long markAt(long position) {
    long word = read(placeAt(position));
    return isEmpty(word) ? 0 : word;
  }

  @Override
  long stampedAt(long position) {
    return markAt(position) == 0 ? -1 : 1;
  }

  @Override
  long slotOffset(long mark) {
    return ring.offset((mark & CELL) - 1);
  }

  @Override
  void closeToProducers() {
    cells.close();
  }

  @Override
  boolean isConsumed() {
    try {
      return cells.areAllBack();
    } catch (IllegalStateException e) {
      return true; // the memory is freed: the queue is closed
    }
  }
}
