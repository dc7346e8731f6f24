package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.FlyweightType;
import java.util.List;

/**
 * A bounded queue of fixed-size records in off-heap memory, from one producer to one consumer.
 *
 * {@snippet class=dev.millrace.queues.Snippets region="trade"}
 *
 * {@snippet class=dev.millrace.queues.Snippets region="spsc"}
 *
 * <p><b>Roles.</b> The producer belongs to one thread at a time, and so does the consumer; see
 * {@link SpscProducer} and {@link SpscConsumer}. Any thread may complete, close and query the
 * queue.
 *
 * <p><b>Progress.</b> Wait-free, except for the calls that wait by contract: {@code claim}, {@code
 * poll}, {@code forEach} and {@link #awaitDrained}. A producer that stops between claim and commit
 * holds back only its own claim; a consumer that stops before release keeps its slots, so the
 * producer eventually finds the queue full.
 *
 * <p><b>Ordering.</b> First in, first out. What the producer did before commit happens before the
 * consumer's return from the poll of that record; what the consumer did before release happens
 * before the claim that gets the slot again. Full and empty describe what is visible to the caller:
 * two threads that each publish in one queue and then poll another may both find it empty.
 *
 * <p><b>End.</b> After {@link #complete()} claims throw; an open claim may still be committed. The
 * consumer gets every committed record, and then the queue is drained. Only {@link #close()} frees
 * the memory.
 *
 * <p><b>Cost.</b> O(1) per record, and one shared write per commit and release, whether of one
 * record or of a run. A slot takes 8 bytes more than its record, rounded up to a multiple of 8; the
 * queue itself about 3 KiB of heap, nearly all of it padding. Nothing is allocated after
 * construction.
 *
 * <p><b>Source.</b> Lamport, <a href="https://doi.org/10.1145/69624.357207">Specifying Concurrent
 * Program Modules</a> (1983). Slots say whether they are full, as in Giacomoni et al., <a
 * href="https://doi.org/10.1145/1345206.1345215">FastForward for Efficient Pipeline Parallelism</a>
 * (2008), but for whole runs; the producer has a private copy of the consumer's sequence, as in Lee
 * et al., <a href="https://doi.org/10.1145/1654059.1654063">A lock-free, cache-efficient multi-core
 * synchronization mechanism</a> (2009).
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class SpscQueue<T> extends OffHeapQueue<T> {
  /*
   * A commit stamps the slot of its first record with its end, the sequence after its last. So one
   * cache miss brings the consumer both the stamp and the record. The other stamps of a run stay as
   * they were. Commits are in order, so a stamp above its slot's sequence means that everything
   * before its end is published. Now and then the consumer therefore reads a stamp some slots
   * ahead; if that is published, it reads no other up to there.
   *
   * The head tells the producer which slots are free. The gate keeps the value that the producer
   * last saw, and reads the head again only when the producer has come that far.
   *
   *   field           writer              write mode   read by
   *   stamp           producer            release      consumer: acquire
   *   head            consumer            release      consumer: plain; producer, through the gate,
   *                                                    and any: acquire
   *   claims.next     producer            plain        producer: plain
   *   claims.end      producer            opaque       producer: plain; any, at the end: opaque
   *   own.end         consumer            opaque       consumer: plain
   *   own.limit       consumer; closer    opaque       any: opaque
   *   gate's limit    producer, closers   see Gate     producer
   *
   * Invariants: head <= own.limit <= claims.next <= claims.end <= head + capacity. A claim is open
   * if claims.end > claims.next, a poll if own.end > head. While a claim is being refused,
   * claims.end is for a moment as if it had succeeded. A slot's stamp is 0, or the end of a commit
   * that began at the slot. No run goes past the end of the ring, so a stamp of an older lap is at
   * most the slot's sequence in this one.
   *
   * Each end has its own pair table. Here:
   *
   * B  head.setRelease in                ->  head.getAcquire in isConsumed   what the consumer did
   *    SpscConsumer.release
   * C  claims.end in SpscProducer,       ->  gate.close, Jvm.fenceAll in     one sees the other: the
   *    then gate.admits, gate.limit            closeToProducers, then          claim, or that the gate
   *                                            claims.endSeen in isConsumed    is closed
   * D  STAMP.setRelease in               ->  STAMP.getAcquire in            slot bytes, for samplers
   *    SpscProducer.commit                   stampedAt
   *
   * Completion is exact and costs the producer nothing: the closer executes the producer's fence
   * for it, by a handshake with all threads (C). After that no claim is added; an open one is still
   * committed or given back, and the consumer waits for that.
   */
  private static final List<String> COUNTERS = commonAnd("claimed", "committed", "consumed");

  final Cursor claims = new Cursor();
  final Gate gate;

  private final SpscProducer<T> producer;
  private final SpscConsumer<T> consumer;

  private SpscQueue(FlyweightType<T> type, QueueOptions options) {
    super(type, options, true, true, 0);
    this.gate = new Gate(options.capacity(), head);
    this.producer = new SpscProducer<>(this, type.newFlyweight(ring.memory()));
    this.consumer = new SpscConsumer<>(this, type.newFlyweight(ring.memory()));
  }

  /**
   * Makes a queue with the default options.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not such a number, or the interface does
   *     not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> SpscQueue<T> of(Class<T> type, int capacity) {
    return of(type, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param options the capacity, how each side waits, and what {@code claim} does when full
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two, the options are to drop
   *     the oldest records or to signal, or have a stall limit, or the interface does not describe
   *     a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> SpscQueue<T> of(Class<T> type, QueueOptions options) {
    return of(FlyweightType.of(type), options);
  }

  /**
   * Makes a queue.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param options the capacity, how each side waits, and what {@code claim} does when full
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two, or the options are to
   *     drop the oldest records or to signal, or have a stall limit
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> SpscQueue<T> of(FlyweightType<T> type, QueueOptions options) {
    checkOptions(type, options, OnFull.WAIT, OnFull.DROP_NEWEST);
    options.checkNoStallLimit();
    return new SpscQueue<>(type, options);
  }

  /**
   * The end at which records go in.
   *
   * @return the producer, the same each time
   */
  public SpscProducer<T> producer() {
    return producer;
  }

  /**
   * The end at which records come out.
   *
   * @return the consumer, the same each time
   */
  public SpscConsumer<T> consumer() {
    return consumer;
  }

  @Override
  void closeToProducers() {
    gate.close();
    Jvm.fenceAll(); // fence C: the gate is closed, before the reads of what is claimed
  }

  @Override
  public boolean isCompleted() {
    return gate.isClosed();
  }

  @Override
  boolean isConsumed() {
    long end = claims.endSeen(); // opaque: by fence C it is final, or will be taken back
    return head.getAcquire() == end; // acquire B: what the consumer did
  }

  // ---- seen from outside ----

  @Override
  long endPosition() {
    return claims.endSeen(); // opaque: an estimate
  }

  @Override
  void memoryFreed() {
    consumer.memoryFreed();
  }

  @Override
  long seenEnd() {
    return consumer.seenEnd();
  }

  @Override
  long stampedAt(long sequence) {
    // acquire D: sees commit, hence the slot bytes
    long end = (long) Ring.STAMP.getAcquire(ring.memory(), ring.offset(sequence));
    return end > sequence ? end - sequence : -1;
  }

  @Override
  public List<String> counters() {
    return COUNTERS;
  }

  @Override
  void readMetrics(long[] values, int counters, int gauges) {
    super.readMetrics(values, counters, gauges);
    long consumed = head.getOpaque(); // opaque: a count
    values[counters + 1] = claims.endSeen(); // opaque: a count
    values[counters + 2] = consumed + committedFrom(consumed);
    values[counters + 3] = consumed;
  }
}
