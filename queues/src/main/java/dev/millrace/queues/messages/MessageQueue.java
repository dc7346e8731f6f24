package dev.millrace.queues.messages;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.MemorySequence;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.SharedClaims;
import dev.millrace.core.internal.ring.SoleClaims;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.MessageQueueAccess;
import dev.millrace.queues.internal.QueueState;
import dev.millrace.queues.internal.RingPeers.Seat;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.Transfers;
import dev.millrace.queues.internal.shared.Role;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue in off-heap memory for messages of any length. A message has a type number, and
 * bytes that are written and read in place.
 *
 * {@snippet file="Examples.java" region="messages"}
 *
 * <p><b>Roles.</b> Each producer and each consumer belongs to one thread at a time. An {@link
 * #spsc} queue has one producer and one consumer. An {@link #mpsc} queue has many producers and one
 * consumer. An {@link #mpmc} queue has many producers and many consumers. Any thread may make
 * producers and consumers, and complete, close and query the queue.
 *
 * <p><b>Room.</b> The memory is divided into cells of {@value #CELL_BYTES} bytes. A message
 * occupies consecutive cells, as many as its bytes need and at least one. A message never wraps
 * past the end of the memory. With many producers, a claim that would wrap is aborted as a whole,
 * and the producer claims again. A sole producer instead aborts only the cells that are left before
 * the end, and puts the message at the start of the memory. Because a message never wraps, it may
 * take at most half the capacity; {@link #maxLength()} returns the exact limit. The messages of a
 * run, and the messages that {@link MessageProducer#next} puts into one claim, are claimed and
 * committed together, and occupy consecutive cells. {@link #capacity()}, {@link #sizeEstimate()}
 * and nearly all metrics count cells. Only the counters {@code dropped}, {@code lost} and {@code
 * repeated} count messages.
 *
 * <p><b>Progress.</b> Claims are lock-free: a claim repeats an attempt only if another producer
 * claimed first, or if the claim would wrap past the end of the memory. Commit and abort are
 * wait-free. With one consumer, polls are wait-free. A poll passes over all aborted claims that
 * precede its message, however many there are. With many consumers, polls are lock-free. Only in a
 * file does a poll that finds no message search for dead consumers now and then. Taking over what a
 * dead consumer had in hand, and releasing it, take a lock and system calls. A producer that stops
 * between claim and commit holds back all later messages. In a queue with a stall limit, consumers
 * skip the claim of a stopped producer once the limit has passed, and a later commit of the claim
 * throws. As in {@link MpscQueue}, the cells of a skipped claim are out of use until its producer
 * commits or aborts. A consumer that stops before release keeps its cells, and producers that reach
 * these cells find the queue full.
 *
 * <p><b>Ordering.</b> Messages are taken in the order of the claims. Everything that a producer did
 * before it committed a message happens-before everything that a consumer does after it has polled
 * that message. Everything that a consumer did before it released a message happens-before
 * everything that a producer does after it has claimed that message's cells again. {@code tryPoll}
 * reports empty while the oldest claim is open, even if later messages are committed.
 *
 * <p><b>End.</b> Any thread may call {@link #complete()}. After the call, no new claim succeeds,
 * but open claims may still be committed. Consumers see the end only once each open claim has been
 * committed, aborted or given up. {@link #close()} frees the memory, except memory that you
 * supplied, which you must free yourself.
 *
 * <p><b>Cost.</b> Each message costs O(1), plus the time that you take to write and read its bytes.
 * Memory is not cleared. For each cell the queue has an entry of {@value #ENTRY_BYTES} bytes, so
 * its memory is about twice its capacity. Only two costs of the queue grow with the length of a
 * message. First, while stalled producers keep cells, a claim takes one read per cell. Second, in a
 * queue of up to 1 MiB, a sole consumer that frees more than 128 bytes at once first writes these
 * bytes back unchanged. If the messages are short, the consumer also writes back their entries.
 * Writing bytes back lets the producer overwrite them faster, because a cache line that the
 * consumer has only read is shared between two caches. While the queue is nearly full, the consumer
 * writes nothing back. Whether for one message or for a run, a claim takes one compare-and-set, or
 * one store if the queue has one producer. A commit takes one store per message. With a stall
 * limit, a claim takes two compare-and-sets and a commit takes one. With many consumers, a poll
 * takes one compare-and-set. Claims, commits, polls and releases allocate nothing.
 *
 * <p><b>Memory.</b> Messages, stamps and all positions except that of a sole producer are in native
 * memory. You may supply the native memory yourself: see {@link #requiredBytes}. Before you close a
 * queue in memory of your own and reuse the memory, stop both sides, because closing does not end a
 * view or a claim that is still in use. Free your memory only after {@link #close()}; if you free
 * it earlier, calls throw {@link IllegalStateException}.
 *
 * <p><b>Between processes.</b> A queue in a file ({@link #spsc(QueueOptions, Path)}, {@link
 * #mpsc(QueueOptions, Path)}, {@link #mpmc(QueueOptions, Path)}) connects processes on one machine.
 * Each process opens the file and makes producers or consumers. A producer gives up its place in
 * {@link MessageProducer#close}. A consumer gives up its place when its process calls {@link
 * #close} on the queue. Closing does not complete a queue in a file, but only ends the process's
 * use of the file. If a process dies, the kernel releases the lock of that process, so that a new
 * producer or consumer can take its place at once. An open claim of a dead producer vanishes, and
 * every message that the dead producer committed is delivered. Messages that a dead consumer had
 * not released go to another consumer, {@linkplain Message#isRepeated marked as repeated}, or are
 * counted as lost if the file was made {@linkplain QueueOptions#withoutRepeats without repeats}. In
 * an {@code mpmc} queue, a living consumer that finds no other message takes them, without waiting
 * for a new consumer. There each poll announces what it takes, which costs a fence, and {@link
 * MessageConsumer#isDrained} waits for the releases of all consumers. The producer's process may
 * complete the queue. While there is no producer, any process may complete the queue. Any process
 * may complete a queue with many producers. A suspended process holds up the other processes, just
 * as a suspended thread holds up other threads. A process cannot wake a thread of another process.
 * When its wait strategy would park, a thread therefore sleeps instead, for at most a millisecond
 * at a time. If another process overwrites the file, calls may throw {@link
 * java.io.UncheckedIOException} and messages may be lost, but nothing is read or written outside
 * the file. With many producers, claims and commits in a file work as with a stall limit. But if
 * stalled producers have left no room, the queue is full and a claim does not throw, because the
 * stalled producers may be dead, and their cells are then used again. The metrics {@code dropped}
 * and {@code highWater} are those of this process alone.
 *
 * <p><b>Source.</b> Producers claim cells as they claim the slots of an {@link MpscQueue}. The
 * stamps are outside the cells, so that no message can look like a stamp. With many consumers, a
 * producer goes from one released message to the next to find out how far the cells are free.
 * Readers of Linux's <a href="https://docs.kernel.org/core-api/printk-basics.html">printk</a> ring
 * go from record to record in the same way.
 *
 * @since 0.1.0
 */
public final class MessageQueue implements Measured, AutoCloseable {
  /*
   * Each cell has an entry: its stamp, then the type and length of the message that begins there.
   * The stamp of a message's first cell counts the message's cells. The stamps of the others are
   * never read.
   *
   *   0                     16 x cells +0   +128     +256     +384     +512
   *   +---------------------+--------+--------+--------+--------+-------------------+
   *   | entries             | (free) | tail   | head   | freed  | cells             |
   *   +---------------------+--------+--------+--------+--------+-------------------+
   *
   * One segment holds everything, because the JIT checks a segment once rather than for each
   * access.
   *
   *   field    writer             write mode           read by
   *   stamp    producer;          release, or an       all: acquire
   *            sharing consumer   exchange
   *   header   producer           plain                consumers, after the stamp: plain
   *   tail     producers, closer  exchange: release    all: acquire
   *            one producer       see SoleClaims
   *   head     consumer           release              producers, through the limit, and any: acquire
   *            sharing consumers  exchange: release    all: opaque, or acquire
   *   freed    producers          exchange: release    producers, and any at the end: acquire
   *
   * A lone consumer may rewrite the entries in its hand, plain, with their own contents: see
   * MessageConsumer.rewrite.
   *
   * Invariants: freed <= head <= tail <= freed + capacity; a lone consumer's head stands for freed.
   * Tail, head and freed are always at the first cell of a message or of an aborted claim, which
   * may be a different cell in each lap. The tail of a sole producer is on the heap, because the
   * stamps suffice to find it again.
   *
   * With one consumer, the head says which cells are free: see MpscRing. Sharing consumers release
   * in any order. Each stamps the first cell FREE of the next turn, with the number of cells. A
   * producer that finds the queue full checks how far they have released without a gap, and moves
   * freed there. So a release is one store, and claims pay one read for each release, or a few when
   * several producers check at once.
   *
   * Among consumers in several processes, the head also says who moved it: see SharedConsumers.
   *
   * B  head.setRelease in                   ->  head.getAcquire in            what the consumer did
   *    MessageConsumer.freeUpTo                    passedEnd, Gate.slowest
   * C  head.setRelease in                   ->  head.getAcquire in            the tail that let the
   *    MessageConsumer.freeUpTo                    passedEnd                     head get so far
   * D  STAMP.setRelease in                  ->  stamp.getAcquire in           cells are free again;
   *    MessageConsumer.stampFree                  isConsumed                    what was done with them
   */
  private static final Metrics<MessageQueue> METRICS =
      QueueState.<MessageQueue>metricsOf(
              queue -> queue.state, MessageQueue::sizeEstimate, MessageQueue::capacity)
          .counter(
              "claimed", queue -> queue.shared == null ? queue.end() : queue.shared.claimedCount())
          .counter("committed", MessageQueue::committedCount)
          .counter("consumed", MessageQueue::consumedCount)
          .counter(
              "aborted",
              queue ->
                  queue.shared == null
                      ? queue.aborted.getOpaque() // opaque: a count
                      : queue.shared.abortedCount())
          .counter("lost", queue -> queue.words == null ? 0 : queue.words.lostCount())
          .counter("repeated", queue -> queue.words == null ? 0 : queue.words.repeatedCount())
          .counter("stalled", queue -> queue.ofClaims(SharedClaims::stalledCount))
          .counter("refused", queue -> queue.ofClaims(SharedClaims::refusedCount))
          .gauge("outOfUse", queue -> queue.ofClaims(SharedClaims::outOfUseCount))
          .gauge("inHand", queue -> queue.words == null ? 0 : queue.words.inHandCount());

  /** The size of a cell in bytes. */
  public static final int CELL_BYTES = 16;

  /** The size in bytes of the entry that the queue has for each cell. */
  public static final int ENTRY_BYTES = 16;

  static final int CELL_SHIFT = Integer.numberOfTrailingZeros(CELL_BYTES);
  private static final int ENTRY_SHIFT = Integer.numberOfTrailingZeros(ENTRY_BYTES);
  private static final VarHandle HEADER =
      ValueLayout.JAVA_LONG_UNALIGNED.varHandle().withInvokeExactBehavior(); // one check fewer

  private static final long LEAST_BYTES = 1L << 9;
  private static final long MOST_BYTES = (long) Checks.MAX_CAPACITY << CELL_SHIFT;
  private static final long TAIL = MemorySequence.SIZE_BYTES;
  private static final long HEAD = TAIL + MemorySequence.SIZE_BYTES;
  private static final long FREED = HEAD + MemorySequence.SIZE_BYTES;
  private static final long WORDS = FREED + MemorySequence.SIZE_BYTES;

  /** How long a thread rests that waits for another process, which cannot wake it. */
  private static final long MOST_REST_NANOS = 1_000_000;

  private static final int COPIED = 1 << 16; // bytes of messages at a time, for a snapshot

  final Ring ring; // the entries
  final Waiters producerWaiters;
  final Waiters consumerWaiters;
  final QueueState state;
  final Transfers transfers = new Transfers(this);

  private final long mask; // a copy of the ring's mask, which saves a load
  private final long cellsOffset;
  final Sequence head; // the end of the released cells, or of the taken ones if consumers share
  final Stamps stamps;
  final SoleClaims sole; // null with many producers
  final GatedClaims shared; // null with one producer
  final boolean manyConsumers;
  private final MemorySequence tailWord;
  private final MemorySequence headWord;
  private final MemorySequence freedWord;
  private final FreedCells freedCells; // null with one consumer
  final boolean manyProducers;
  final SharedWords words; // null unless several processes map the memory
  private final OnFull onFull;
  private final int maxLength;

  /** How many cells the only producer has claimed and given back. */
  private final Sequence aborted;

  /** How many cells consumers have passed that held no message or a dropped one. */
  private final Sequence passed;

  private final List<Seat> producerSeats = new ArrayList<>(1); // guarded by words, if there are any
  private final List<Seat> consumerSeats = new ArrayList<>(1); // likewise
  private boolean hasLeft; // likewise: all seats are given up, for good

  private final Sequence producersMade = new Sequence();
  private final Sequence consumersMade = new Sequence();

  @SuppressWarnings("NullAway") // fields that other kinds of queues have stay null
  private MessageQueue(
      boolean manyProducers,
      boolean manyConsumers,
      QueueOptions options,
      @Nullable NativeMemory owned,
      MemorySegment memory,
      @Nullable SharedRing file) {
    long count = options.capacity() >> CELL_SHIFT;
    long entriesBytes = count * ENTRY_BYTES;
    this.ring = new Ring(memory, ENTRY_BYTES, count - 1);
    long restNanos = file == null ? WaitStrategy.FOREVER : MOST_REST_NANOS;
    this.state = new QueueState(options, !manyProducers, !manyConsumers, owned, restNanos);
    this.producerWaiters = state.producerWaiters;
    this.consumerWaiters = state.consumerWaiters;
    this.stamps = Stamps.of(memory, ENTRY_BYTES, count);
    this.tailWord = manyProducers ? new MemorySequence(memory, entriesBytes + TAIL) : null;
    this.headWord = new MemorySequence(memory, entriesBytes + HEAD);
    this.freedWord = new MemorySequence(memory, entriesBytes + FREED);
    this.head = headWord;
    this.mask = count - 1;
    this.cellsOffset = entriesBytes + WORDS;
    this.manyProducers = manyProducers;
    this.onFull = options.onFull();
    this.manyConsumers = manyConsumers;
    long stallNanos = options.stallNanos();
    this.sole = manyProducers ? null : new SoleClaims(count, head);
    this.maxLength = (int) Math.min(count / 2, Stamps.MAX_COUNT) << CELL_SHIFT;
    int headShift = file == null ? 0 : SharedConsumers.TAKER_BITS;
    this.freedCells = manyConsumers ? new FreedCells(ring, headWord, headShift, freedWord) : null;
    this.words =
        file == null
            ? null
            : new SharedWords(
                file,
                ring,
                tailWord,
                headWord,
                freedCells,
                cellsOffset + (count << CELL_SHIFT),
                stallNanos,
                maxLength);
    this.shared =
        !manyProducers
            ? null
            : words != null
                ? words.announced
                : manyConsumers
                    ? new Sharing(stamps, stallNanos, freedCells, tailWord)
                    : new GatedClaims(stamps, count, stallNanos, false, tailWord, head);
    this.aborted = words == null ? new Sequence() : words.counts.aborted();
    this.passed = words == null ? new Sequence() : words.passed;
  }

  // ---- factories ----

  /**
   * Makes a queue for one producer and one consumer.
   *
   * @param options the capacity in bytes, how each side waits, and what {@code claim} does when the
   *     queue is full
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two in
   *     2<sup>9</sup>..2<sup>34</sup>, if {@code onFull} is {@code DROP_OLDEST} or {@code SIGNAL},
   *     if there is a stall limit, if {@code textBytes} or {@code holdsReferences} is set, or if
   *     {@code repeats} is false
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static MessageQueue spsc(QueueOptions options) {
    checkInMemory(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    QueueState.checkNoStallLimit(options);
    return make(false, false, options);
  }

  /**
   * Makes a queue for any number of producers and one consumer.
   *
   * @param options the capacity in bytes, how each side waits, what {@code claim} does when the
   *     queue is full, and how long a claim may be open
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two in
   *     2<sup>9</sup>..2<sup>34</sup>, if {@code onFull} is {@code DROP_OLDEST} or {@code SIGNAL},
   *     if {@code textBytes} or {@code holdsReferences} is set, or if {@code repeats} is false
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static MessageQueue mpsc(QueueOptions options) {
    checkInMemory(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return make(true, false, options);
  }

  /**
   * Makes a queue for any number of producers and any number of consumers. Each message goes to one
   * consumer.
   *
   * @param options the capacity in bytes, how each side waits, what {@code claim} does when the
   *     queue is full, and how long a claim may be open
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two in
   *     2<sup>9</sup>..2<sup>34</sup>, if {@code onFull} is {@code SIGNAL}, if {@code textBytes} or
   *     {@code holdsReferences} is set, or if {@code repeats} is false
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static MessageQueue mpmc(QueueOptions options) {
    checkInMemory(options, OnFull.WAIT, OnFull.DROP_NEWEST, OnFull.DROP_OLDEST);
    return make(true, true, options);
  }

  /**
   * Makes an {@link #mpmc(QueueOptions) mpmc} queue in memory supplied by the caller. The contents
   * of the memory are overwritten.
   *
   * @param options as for {@code mpmc}
   * @param memory native memory, aligned to 128 bytes, of at least {@link #requiredBytes}. All
   *     threads must be able to access it until the queue is closed
   * @return the queue
   * @throws IllegalArgumentException if the memory is too small, not aligned, read-only or on the
   *     heap, and as for {@code mpmc}
   */
  public static MessageQueue mpmc(QueueOptions options, MemorySegment memory) {
    checkInMemory(options, OnFull.WAIT, OnFull.DROP_NEWEST, OnFull.DROP_OLDEST);
    return lay(true, true, options, memory);
  }

  /**
   * Makes an {@link #mpsc(QueueOptions) mpsc} queue in memory supplied by the caller.
   *
   * @param options as for {@link #mpsc(QueueOptions)}
   * @param memory as for {@link #mpmc(QueueOptions, MemorySegment)}
   * @return the queue
   * @throws IllegalArgumentException as for {@link #mpmc(QueueOptions, MemorySegment)}
   */
  public static MessageQueue mpsc(QueueOptions options, MemorySegment memory) {
    checkInMemory(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return lay(true, false, options, memory);
  }

  /**
   * Makes an {@link #spsc(QueueOptions) spsc} queue in memory supplied by the caller.
   *
   * @param options as for {@link #spsc(QueueOptions)}
   * @param memory as for {@link #mpmc(QueueOptions, MemorySegment)}
   * @return the queue
   * @throws IllegalArgumentException as for {@link #mpmc(QueueOptions, MemorySegment)}
   */
  public static MessageQueue spsc(QueueOptions options, MemorySegment memory) {
    checkInMemory(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    QueueState.checkNoStallLimit(options);
    return lay(false, false, options, memory);
  }

  /**
   * Opens an {@link #spsc(QueueOptions) spsc} queue in a file that two processes share, and makes
   * the file if it does not exist. See "Between processes" above.
   *
   * @param options as for {@link #spsc(QueueOptions)}; the capacity and {@code repeats} must be
   *     those of the file
   * @param file the file's name
   * @return the queue, for use by this process
   * @throws IllegalArgumentException as for {@link #spsc(QueueOptions)}, or if the file is not in
   *     the default file system
   * @throws IOException if the file cannot be used or made, for example because it has a different
   *     capacity
   */
  public static MessageQueue spsc(QueueOptions options, Path file) throws IOException {
    check(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return spsc(options, QueueFile.open(QueueFile.SPSC, options, file));
  }

  /**
   * Opens an {@link #mpsc(QueueOptions) mpsc} queue in a file that several processes share, and
   * makes the file if it does not exist. See "Between processes" above.
   *
   * @param options as for {@link #mpsc(QueueOptions)}; the capacity and {@code repeats} must be
   *     those of the file. The stall limit that counts is that of the consumer's process
   * @param file the file's name
   * @return the queue, for use by this process
   * @throws IllegalArgumentException as for {@link #mpsc(QueueOptions)}, or if the file is not in
   *     the default file system
   * @throws IOException if the file cannot be used or made, for example because it has a different
   *     capacity
   */
  public static MessageQueue mpsc(QueueOptions options, Path file) throws IOException {
    check(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return mpsc(options, QueueFile.open(QueueFile.MPSC, options, file));
  }

  /**
   * Opens an {@link #mpmc(QueueOptions) mpmc} queue in a file that several processes share, and
   * makes the file if it does not exist. See "Between processes" above.
   *
   * @param options as for {@link #mpmc(QueueOptions)}, but without {@code DROP_OLDEST}; the
   *     capacity and {@code repeats} must be those of the file. The stall limits that count are
   *     those of the consumers' processes
   * @param file the file's name
   * @return the queue, for use by this process
   * @throws IllegalArgumentException as for {@link #mpmc(QueueOptions)}, if {@code onFull} is
   *     {@code DROP_OLDEST}, or if the file is not in the default file system
   * @throws IOException if the file cannot be used or made, for example because it has a different
   *     capacity
   */
  public static MessageQueue mpmc(QueueOptions options, Path file) throws IOException {
    check(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return mpmc(options, QueueFile.open(QueueFile.MPMC, options, file));
  }

  /**
   * Makes an {@link #mpsc(QueueOptions) mpsc} queue in memory that several processes map, which
   * holds {@link #sharedBytes}. What is in the memory is not changed.
   */
  static MessageQueue mpsc(QueueOptions options, SharedRing file) {
    check(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return new MessageQueue(true, false, options, null, file.memory(), file);
  }

  /**
   * Makes an {@link #spsc(QueueOptions) spsc} queue in memory that several processes map, which
   * holds {@link #sharedBytes}. What is in the memory is not changed.
   */
  static MessageQueue spsc(QueueOptions options, SharedRing file) {
    check(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    QueueState.checkNoStallLimit(options);
    return new MessageQueue(false, false, options, null, file.memory(), file);
  }

  /**
   * Makes an {@link #mpmc(QueueOptions) mpmc} queue in memory that several processes map, which
   * holds {@link #sharedBytes}. What is in the memory is not changed.
   */
  static MessageQueue mpmc(QueueOptions options, SharedRing file) {
    check(options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return new MessageQueue(true, true, options, null, file.memory(), file);
  }

  /** How much memory a queue takes that several processes share. */
  static long sharedBytes(long capacity, boolean manyConsumers) {
    long bytes = requiredBytes(capacity) + SharedWords.BYTES;
    return manyConsumers ? bytes + SharedConsumers.BYTES : bytes;
  }

  private static MessageQueue lay(
      boolean producers, boolean consumers, QueueOptions options, MemorySegment memory) {
    Checks.notNull("memory", memory);
    long required = requiredBytes(options.capacity());
    long alignment = NativeMemory.ALIGNMENT_BYTES;
    if (!memory.isNative()
        || memory.isReadOnly()
        || memory.byteSize() < required
        || memory.address() % alignment != 0) {
      throw new IllegalArgumentException(
          "memory must be native, writable, aligned to %d bytes, of at least %d bytes: memory=%s"
              .formatted(alignment, required, memory));
    }
    memory.asSlice(0, required - options.capacity()).fill((byte) 0); // all but the messages
    return new MessageQueue(producers, consumers, options, null, memory, null);
  }

  private static void checkInMemory(QueueOptions options, OnFull... supported) {
    check(options, supported);
    QueueState.checkForOneProcess(options);
  }

  private static void check(QueueOptions options, OnFull... supported) {
    Checks.notNull("options", options);
    Checks.powerOfTwo("capacity", options.capacity(), LEAST_BYTES, MOST_BYTES);
    QueueState.checkOnFull(options, supported);
    QueueState.checkForViews(options);
  }

  private static MessageQueue make(boolean producers, boolean consumers, QueueOptions options) {
    NativeMemory memory = NativeMemory.allocate(requiredBytes(options.capacity()));
    return new MessageQueue(producers, consumers, options, memory, memory.segment(), null);
  }

  /**
   * Returns how much memory a queue of a given capacity takes.
   *
   * @param capacity the capacity of the queue in bytes
   * @return the size in bytes
   * @throws IllegalArgumentException if the capacity is not a power of two in
   *     2<sup>9</sup>..2<sup>34</sup>
   */
  public static long requiredBytes(long capacity) {
    Checks.powerOfTwo("capacity", capacity, LEAST_BYTES, MOST_BYTES);
    return (capacity >> CELL_SHIFT) * ENTRY_BYTES + WORDS + capacity;
  }

  // ---- ends ----

  /**
   * Makes a producer. One thread at a time may use it.
   *
   * @return a producer
   * @throws IllegalStateException if the queue allows only one producer and already has one
   */
  public MessageProducer newProducer() {
    return makeProducer(null);
  }

  /**
   * Makes a producer whose messages carry the time of their commit. One thread at a time may use
   * it. The time takes 8 bytes, so the longest message is 8 bytes shorter.
   *
   * @param clock gives the time in any unit, such as {@code System::nanoTime}
   * @return a producer
   * @throws IllegalStateException if the queue allows only one producer and already has one
   */
  public MessageProducer newProducer(LongSupplier clock) {
    return makeProducer(Checks.notNull("clock", clock));
  }

  private MessageProducer makeProducer(@Nullable LongSupplier clock) {
    if (words != null) {
      return makeSharedProducer(clock);
    }
    // atomic: one of several callers is the first
    if (producersMade.getAndAddPlain(1) > 0 && !manyProducers) {
      throw new IllegalStateException("this queue already has its one producer: " + this);
    }
    return new MessageProducer(this, clock, onFull == OnFull.DROP_OLDEST, null);
  }

  /**
   * Makes a consumer. One thread at a time may use it.
   *
   * @return a consumer
   * @throws IllegalStateException if the queue allows only one consumer and already has one
   */
  public MessageConsumer newConsumer() {
    if (words != null) {
      return makeSharedConsumer();
    }
    // atomic: one of several callers is the first
    if (consumersMade.getAndAddPlain(1) > 0 && !manyConsumers) {
      throw new IllegalStateException("this queue already has its one consumer: " + this);
    }
    return new MessageConsumer(this, null);
  }

  // ---- seats among several processes ----

  private MessageProducer makeSharedProducer(@Nullable LongSupplier clock) {
    synchronized (words) {
      Seat seat = enter(Role.PRODUCER);
      try {
        if (sole != null) {
          sole.next(words.beginProducing());
          sole.end(sole.next());
          if (words.isClosed()) {
            sole.closeOwn();
          }
        }
        producerSeats.add(seat);
      } finally {
        if (!producerSeats.contains(seat)) { // the queue is damaged
          seat.leave();
        }
      }
      return new MessageProducer(this, clock, false, seat);
    }
  }

  private MessageConsumer makeSharedConsumer() {
    synchronized (words) {
      Seat seat = enter(Role.CONSUMER);
      try {
        MessageConsumer consumer = new MessageConsumer(this, seat);
        consumerSeats.add(seat);
        return consumer;
      } finally {
        if (!consumerSeats.contains(seat)) { // the queue is damaged
          seat.abandon(); // what came with the seat goes to another consumer
        }
      }
    }
  }

  private Seat enter(Role role) {
    if (hasLeft) {
      throw new IllegalStateException("queue is closed, it has no " + role + ": " + this);
    }
    return words.enter(role);
  }

  /** Gives up the seat of a producer, which has no open claim. */
  void leave(Seat seat) {
    synchronized (words) {
      if (producerSeats.remove(seat)) {
        seat.leave();
      }
    }
  }

  /** Gives up the seats of this process, as if it had died, and so its open claim and poll. */
  private void leaveAll() {
    synchronized (words) {
      hasLeft = true;
      if (sole != null) {
        sole.close();
      }
      try {
        leaveEach(producerSeats.iterator(), this::abandon);
        producerSeats.clear();
      } finally {
        leaveEach(consumerSeats.iterator(), Seat::abandon);
      }
    }
  }

  private static void leaveEach(Iterator<Seat> seats, Consumer<Seat> leaving) {
    if (seats.hasNext()) {
      try {
        leaving.accept(seats.next());
      } finally {
        leaveEach(seats, leaving);
      }
    }
  }

  /** Makes the polls of a consumer with a seat; returns null if it is the only consumer. */
  @Nullable SharedPolls polls(Seat seat) {
    SharedConsumers consumers = words.consumers;
    return consumers == null ? null : new SharedPolls(this, words, consumers, seat);
  }

  /** Takes the seat of a dead consumer that had messages in hand; returns null if there is none. */
  @Nullable Seat tryInherit() {
    if (!words.isInheritingDue()) { // first, or consumers that spin would wait for each other
      return null;
    }
    synchronized (words) {
      Seat seat = hasLeft ? null : words.tryInherit();
      if (seat != null) {
        consumerSeats.add(seat);
      }
      return seat;
    }
  }

  /** Gives up a seat that was inherited. What it still has in hand is inherited by another one. */
  void abandonInherited(Seat seat) {
    synchronized (words) {
      if (consumerSeats.remove(seat)) {
        seat.abandon();
      }
    }
  }

  /** Gives up a producer's seat, even if the queue is damaged and its claim cannot be aborted. */
  private void abandon(Seat seat) {
    try {
      words.abandon(seat);
    } finally {
      seat.leave();
    }
  }

  /** Completes the queue in the producer's place, which is this process's or free. */
  private void completeShared() {
    synchronized (words) {
      if (producerSeats.isEmpty()) {
        Seat seat = words.enter(Role.PRODUCER);
        words.close();
        seat.leave();
      } else {
        sole.close();
        words.close();
      }
    }
  }

  // ---- numbers ----

  /**
   * Returns the number of cells, which is also how many messages of one cell each fit.
   *
   * @return the capacity in cells, which is a sixteenth of the capacity in bytes
   */
  public int capacity() {
    return (int) (mask + 1);
  }

  /**
   * Returns an estimate of the number of cells in use. Cells of messages that are being written or
   * read count as in use. With many consumers, released cells also count until the cells of all
   * earlier messages are released.
   *
   * @return an estimate from 0 to the capacity; exact while no thread produces or consumes
   */
  public int sizeEstimate() {
    return isDrained() ? 0 : (int) Math.clamp(end() - firstInUse(), 0L, mask + 1);
  }

  /**
   * Returns the length of the longest possible message: half the capacity, but at most 65,535 cells
   * (1,048,560 bytes).
   *
   * @return the length in bytes
   */
  public int maxLength() {
    return maxLength;
  }

  /**
   * Returns an estimate of the number of free bytes, counted in whole cells. A claim of that many
   * bytes may still fail, because a message cannot wrap past the end of the memory.
   *
   * @return an estimate from 0 to the capacity
   */
  public long freeBytes() {
    return (long) (capacity() - sizeEstimate()) << CELL_SHIFT;
  }

  /** Counts cells that were passed without a message for a consumer. */
  void countPassed(int count) {
    passed.getAndAddPlain(count); // atomic: a count
  }

  /**
   * {@inheritDoc} The values are derived from data that the queue keeps anyway, so they cost
   * nothing until they are read. Reading the values takes time proportional to the number of cells
   * in use. All values except {@code dropped}, {@code lost} and {@code repeated} are in cells.
   *
   * <ul>
   *   <li>{@code size}, {@code capacity}: see {@link #sizeEstimate} and {@link #capacity}
   *   <li>{@code highWater}: the largest size that any reading of the metrics has found so far, in
   *       this process
   *   <li>{@code dropped}: messages dropped because the queue was full. A dropped claim of a run
   *       counts as many messages as were requested. Drops of other processes do not count
   *   <li>{@code claimed}, {@code committed}, {@code consumed}: how many cells were claimed,
   *       committed and consumed. With many consumers, cells that a consumer has in hand count as
   *       consumed. Cells that {@link #close} has freed do not count as committed
   *   <li>{@code aborted}: cells that were claimed and given back
   *   <li>{@code lost}, {@code repeated}: messages that a consumer had in hand when its process
   *       died. {@code lost} counts the messages that no later consumer gets, and {@code repeated}
   *       counts the messages that were handed out again. Both counts are always 0 in a queue
   *       within one process
   *   <li>{@code inHand}: cells that the consumer of a queue in a file has in hand; always 0 in a
   *       queue within one process. With many consumers, released cells count until all cells
   *       before them are released
   *   <li>{@code stalled}, with many producers: cells of claims that were given up because they
   *       were open for too long
   *   <li>{@code refused}, with many producers: cells of given-up claims that the producer has
   *       since tried to commit or abort
   *   <li>{@code outOfUse}, with many producers: cells of claims that were given up, as long as
   *       producers cannot claim these cells again. In an {@code mpmc} queue in a file, the number
   *       stays too high if a consumer dies while it gives up a claim
   * </ul>
   */
  @Override
  public List<String> counters() {
    return METRICS.counters();
  }

  /** {@inheritDoc} See {@link #counters}. */
  @Override
  public List<String> gauges() {
    return METRICS.gauges();
  }

  /** {@inheritDoc} The call allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    METRICS.read(this, values);
  }

  private long ofClaims(ToLongFunction<SharedClaims> count) {
    return shared == null ? 0 : count.applyAsLong(shared);
  }

  /** Returns how many cells were consumed, given the sequence of the first one that was not. */
  private long consumedBefore(long first) {
    return Math.max(0, first - passed.getOpaque()); // opaque: a count, of another moment
  }

  private long consumedCount() {
    return consumedBefore(passedEnd());
  }

  private long committedCount() {
    long first = passedEnd();
    return consumedBefore(first) + committedFrom(first);
  }

  /**
   * Returns how many cells of committed messages there are, starting at the sequence {@code first}.
   */
  private long committedFrom(long first) {
    long count = 0;
    try {
      long end = isDrained() ? first : endAfter(first);
      for (long sequence = first; sequence < end; ) {
        long cells = stamps.recordsAt(sequence);
        count += Math.clamp(cells, 0, end - sequence);
        sequence += Math.max(1, Math.abs(cells));
      }
    } catch (IllegalStateException e) {
      return 0; // the memory is freed
    }
    return count;
  }

  /** Returns the end of the claimed cells, which garbage in a file cannot move out of reach. */
  private long endAfter(long first) {
    return Math.min(end(), first + mask + 1);
  }

  // ---- the end ----

  /**
   * Completes the queue, so that no claim succeeds any more. Messages committed before the call are
   * delivered. An open claim may still be aborted or committed. If the claim is committed, its
   * messages are delivered too. The call wakes all waiting threads. Any thread may call this
   * method, any number of times. With one producer, the call takes some tens of microseconds.
   *
   * @throws IllegalStateException if the queue is in a file and its one producer is in a different
   *     process
   */
  public void complete() {
    if (shared != null) {
      shared.close();
    } else if (words != null) {
      completeShared();
    } else {
      sole.close();
    }
    state.noteCompletion();
  }

  /**
   * Returns whether the queue is completed or closed.
   *
   * @return whether claims throw
   */
  public boolean isCompleted() {
    if (words != null) {
      return isEndKnown() || state.isCompleted();
    }
    return shared != null ? shared.isClosed() : sole.isClosed();
  }

  /**
   * Returns whether no more messages will come, because the queue either is closed, or is completed
   * and has no open claim and no unreleased message. When this method returns true, everything the
   * consumers did before their releases is visible to the caller.
   *
   * @return whether both sides can stop
   */
  public boolean isDrained() {
    if (state.isDrained()) {
      return true;
    }
    if (!isEndKnown() || !(isConsumed() || isConsumedWithoutTheDead())) {
      return false;
    }
    if (words != null) {
      state.noteCompletion(); // perhaps by another process
    }
    state.noteDrained();
    return true;
  }

  /** Whether nothing is left once a claim that died after the completion is taken back. */
  private boolean isConsumedWithoutTheDead() {
    return words != null && words.buryDead() && isConsumed();
  }

  /**
   * Waits until the queue is drained. This method does not complete the queue.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    return Waiters.awaitUnsignalled(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Completes the queue, wakes all waiting threads, and frees the memory unless you supplied it.
   * Remaining messages are lost. A queue in a file, however, is not completed and keeps its
   * messages: the call only ends this process's use of the file. Repeated calls are allowed.
   *
   * <p>Stop both sides first, for example with {@link #complete} and {@link #awaitDrained}. A
   * thread that is still working finds the queue empty, or gets an {@link IllegalStateException}
   * from a claim, a commit or a message. If closing cuts short a memory access of that thread, the
   * JDK may leave the thread's interrupt status set. If that thread is in {@link Message#readFrom}
   * or {@link Message#writeTo}, closing the queue closes the channel, so that a thread that is
   * blocked there also gets an {@code IllegalStateException}. A thread that still polls or releases
   * while its process closes an {@code mpmc} queue in a file may tear messages of other processes,
   * or leave cells that no process can use again.
   */
  @Override
  public void close() {
    boolean _ = close(false);
  }

  /**
   * Closes a queue in a file, and removes the file if no other process has the queue open. Messages
   * that were not released are lost with the file.
   *
   * <p>If every process closes the queue in this way, the last one removes the file. Processes that
   * have died do not count, and neither do observers. A process that opens the queue at this moment
   * either keeps the file, because this call does not remove it, or finds no file, and makes a new
   * one. A process that is killed removes nothing.
   *
   * @return whether this call removed the file; false if the queue was closed before
   * @throws IllegalStateException if the queue is not in a file
   * @throws java.io.UncheckedIOException if the file is damaged or cannot be removed
   */
  public boolean closeAndRemove() {
    if (words == null) {
      throw new IllegalStateException("this queue is not in a file: " + this);
    }
    return close(true);
  }

  private boolean close(boolean removes) {
    if (words == null) {
      complete();
    } else {
      state.noteCompletion();
    }
    if (!state.close()) {
      return false;
    }
    transfers.endAll(); // or the memory could not be freed
    boolean isWhole = false;
    try {
      if (words != null) {
        leaveAll();
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        boolean _ = free(false);
      }
    }
    return free(removes);
  }

  private boolean free(boolean removes) {
    if (tailWord != null) {
      tailWord.keep();
    }
    headWord.keep();
    freedWord.keep();
    state.freeMemory(this);
    return words != null && words.unmap(removes);
  }

  /** Returns the end of the claimed cells. */
  long end() {
    if (words != null) {
      return words.end();
    }
    return shared != null ? shared.end() : sole.endSeen();
  }

  /** Counts cells that were claimed and given back. */
  void countAborted(int count) {
    if (shared != null) {
      shared.countAborted(count);
    } else {
      aborted.setOpaque(aborted.getPlain() + count); // opaque: a count; plain: its only writer
    }
  }

  /** Returns what consumers find at {@code sequence}: see {@link Stamps#ready}. */
  int ready(long sequence, long word) {
    return shared != null ? shared.ready(sequence, 1, word) : stamps.ready(sequence, 1, word);
  }

  private boolean isEndKnown() {
    if (words != null) {
      return words.isClosed();
    }
    // shared claims are final as soon as they are refused; one producer's after the closer's fence
    return shared != null ? shared.isClosed() : state.isCompleted();
  }

  /**
   * Returns whether there was neither a message nor an open claim at some moment during the call.
   */
  boolean isEmpty() {
    long first = passedEnd(); // so the tail read next is not behind it
    return end() <= first;
  }

  /** Returns whether no cell holds a message or an open claim. */
  private boolean isConsumed() {
    try {
      long first = firstInUse();
      long end = end();
      boolean isInReach = words == null || end - first <= mask + 1; // garbage may not be
      return isInReach && stamps.isEmptyBetween(first, end); // acquire D: what consumers did
    } catch (IllegalStateException e) {
      return true; // the memory is freed: the queue is closed
    }
  }

  /**
   * Returns whether consumers will find no more messages, although some may have messages in hand.
   */
  boolean isExhausted() {
    return isEndKnown() && (isEmpty() || isDrained());
  }

  /**
   * Returns whether the first cells that producers wait for were taken but are not released yet.
   */
  boolean isOldestInHand() {
    return firstInUse() < passedEnd();
  }

  /** Returns the end of the cells that consumers have taken, or with one consumer, released. */
  private long passedEnd() {
    // acquire B, C: what the consumer did, and the tail that let the head get so far
    return manyConsumers ? freedCells.takenEnd() : head.getAcquire();
  }

  private long released() {
    return freedCells.end();
  }

  private long firstInUse() {
    return manyConsumers ? released() : passedEnd();
  }

  // ---- snapshots ----

  private long firstPosition() {
    return passedEnd(); // the stamps decide
  }

  private boolean isStillThere(long sequence) {
    return words != null
        ? words.firstInUseNow() <= sequence // the fence of the copy is not one of other processes
        : passedEnd() <= sequence; // read after the fence of the copy
  }

  /**
   * Shows copies of the committed messages that are not yet taken, oldest first, without removing
   * them. This method is meant for debugging. With one consumer, the messages that the consumer has
   * in hand are shown too. A message that is taken during the call may be left out. The call
   * allocates memory, makes all threads of this process execute a fence, and takes time
   * proportional to the number of cells in use. Any thread may call it. In a queue in a file,
   * messages that wait to be handed out again are left out.
   *
   * @param viewer receives a copy of each message, which is valid only during the call
   * @return how many were shown
   */
  public int snapshot(Handler<? super Message> viewer) {
    Checks.notNull("viewer", viewer);
    int shown = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copies =
          arena.allocate(Math.max(Math.min(COPIED, (ring.mask() + 1) << CELL_SHIFT), maxLength));
      Message view = new Message(copies);
      Copied copied = new Copied();
      long next = firstPosition();
      long end = endAfter(next);
      while (next < end) {
        next = copy(next, end, copies, copied);
        long at = 0;
        for (int i = 0; i < copied.sequences.length && copied.sequences[i] >= 0; i++) {
          if (isStillThere(copied.sequences[i])) {
            view.moveTo(at, copied.headers[i]);
            viewer.handle(view);
            shown++;
          }
          at += Message.bytesIn(copied.headers[i]);
        }
        view.leave();
      }
    }
    return shown;
  }

  /** The messages that were copied. After the last one, the sequence is negative. */
  private static final class Copied {
    final long[] sequences = new long[COPIED >> CELL_SHIFT];
    final long[] headers = new long[COPIED >> CELL_SHIFT];
  }

  /** Copies the next messages, as many as fit. Returns the sequence after them. */
  private long copy(long from, long end, MemorySegment copies, Copied copied) {
    Arrays.fill(copied.sequences, -1);
    long next = from;
    long at = 0;
    try {
      for (int count = 0; next < end && count < copied.sequences.length; ) {
        long cellsThere = stamps.recordsAt(next);
        if (cellsThere > 0) {
          long header = racyHeader(next);
          long length = Message.bytesIn(header);
          long most = Math.min(cellsThere, ring.contiguous(next)) << CELL_SHIFT;
          if (length > Math.min(most, maxLength)) {
            header = 0; // of a later message, because this one was taken; or garbage in a file
            length = 0;
          }
          if (at + length > copies.byteSize()) {
            break;
          }
          copied.sequences[count] = next;
          copied.headers[count++] = header;
          copyBytes(start(next), copies, at, length);
          at += length;
        }
        next += Math.max(1, Math.abs(cellsThere));
      }
    } catch (IllegalStateException e) {
      next = end; // the memory is freed: the queue is closed
      Arrays.fill(copied.sequences, -1);
    }
    Jvm.fenceAll(); // the copies, before checking whether they were taken
    return next;
  }

  /** Reads a header that a producer may be writing. The caller validates it afterwards. */
  @Speculative
  private long racyHeader(long sequence) {
    return (long) HEADER.get(ring.memory(), ring.recordOffset(sequence)); // plain: validated later
  }

  /** Copies bytes that a producer may be writing. The caller validates them afterwards. */
  @Speculative
  private void copyBytes(long start, MemorySegment copies, long at, long length) {
    MemorySegment.copy(ring.memory(), start, copies, at, length);
  }

  // ---- cells ----

  /** Returns the offset of the bytes of the message that begins at the cell {@code sequence}. */
  long start(long sequence) {
    return cellsOffset + ((sequence & mask) << CELL_SHIFT);
  }

  /** Returns the offset of the cell's entry, which is its stamp and then the header. */
  long entry(long sequence) {
    return (sequence & mask) << ENTRY_SHIFT;
  }

  /** Writes the header of a message, which is published afterwards. */
  static void putHeader(MemorySegment memory, long entry, long header) {
    HEADER.set(memory, entry + Ring.STAMP_BYTES, header); // plain: the stamp publishes it
  }

  /** Reads the header of a message whose stamp was already read. */
  static long header(MemorySegment memory, long entry) {
    return (long) HEADER.get(memory, entry + Ring.STAMP_BYTES); // plain: the stamp was acquired
  }

  /** Returns the capacity, size and state, for debugging. */
  @Override
  public String toString() {
    isDrained(); // updates the state shown below
    return "MessageQueue[capacity=%d, size~%d, %s]".formatted(capacity(), sizeEstimate(), state);
  }

  static {
    MessageQueueAccess.SECRET.share(new MessageQueueSecrets());
  }

  /** The producers' side of a queue whose consumers release in any order. */
  static final class Sharing extends GatedClaims {
    private final FreedCells freed;

    Sharing(Stamps stamps, long stallNanos, FreedCells freed, Sequence tail) {
      super(stamps, stamps.capacity(), stallNanos, false, tail);
      this.freed = freed;
    }

    @Override
    protected long slowest() {
      return freed.end();
    }
  }
}
