package dev.millrace.queues.history;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.core.internal.history.HistoryWriter;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A ring that keeps the latest records of any number of writing threads, for any number of readers.
 * The ring overwrites its oldest record, and readers only ever see whole records.
 *
 * {@snippet file="Examples.java" region="history"}
 *
 * <p><b>Roles.</b> There may be any number of {@link HistoryProducer}s and {@link HistoryReader}s,
 * each used by one thread at a time. Every reader gets every committed record, unless it counts the
 * record as lost or has skipped it as unfinished. A ring made by {@link #single(Class, int)} has
 * one producer. If you hand that producer to another thread, the hand-over must establish a
 * happens-before edge between the calls of the two threads. With assertions enabled ({@code -ea}),
 * overlapping calls are detected. Any thread may make producers and readers, and close and query
 * the ring.
 *
 * <p><b>Progress.</b> Producers never wait. Writing is lock-free: a producer repeats an attempt
 * only if another producer has changed the same slot. With one producer, writing is wait-free. A
 * producer that stops between claim and commit costs the ring one slot until it continues. If
 * another producer reaches that slot, one lap later, before the stopped producer continues, both
 * producers' records are refused. Readers never hold up other threads. {@link
 * HistoryReader#tryPoll()} reads in order, so it returns null at a record that is still being
 * written. Reading continues when that record is committed, is overwritten a lap later, or is
 * skipped by {@link HistoryReader#skipUnfinished()}. {@link HistoryReader#latest} does not return
 * unfinished records.
 *
 * <p><b>Ordering.</b> Records are in the order of their claims. Everything that a producer did
 * before it committed a record happens-before everything that a reader does after it has read that
 * record.
 *
 * <p><b>Failure.</b> {@link #refusedCount()} counts refused records. A record is refused at its
 * claim, which then returns null, if a producer of an earlier lap is still writing to the slot, or
 * if a producer of a later lap has already taken the slot. A record is also refused if a producer
 * of a later lap reaches the slot before the commit, although the commit still returns normally.
 * The records of a sole producer are never refused. Aborted records count as refused, too. Once all
 * producers have finished, every claim has therefore been either committed or refused. A reader
 * counts each claim that it passes as read, lost, refused or unfinished. After {@link #close()},
 * claims, commits, aborts and reads throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> O(1) per record. Writing takes one fetch-and-add and two compare-and-sets, or
 * three stores with one producer. Reading copies the record. A capacity that is not a power of two
 * costs a division per record. A slot takes the record's size plus 8 bytes, rounded up to a
 * multiple of 8. The ring itself takes 256 bytes. Nothing is allocated after construction.
 *
 * <p><b>Source.</b> The states of a slot follow Linux's <a
 * href="https://docs.kernel.org/core-api/printk-ringbuffer.html">printk_ringbuffer</a>. Reading
 * follows the sequence lock in Boehm, <a href="https://doi.org/10.1145/2247684.2247688">Can
 * Seqlocks Get Along With Programming Language Memory Models?</a> (2012). All records have the same
 * size, unlike those in printk's buffer.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class HistoryRing<T> implements Measured, AutoCloseable {
  // The protocol is in HistoryWriter and HistoryCursor. The memory layout is in HistorySlots.
  private static final Metrics<HistoryRing<?>> METRICS =
      Metrics.<HistoryRing<?>>none()
          .counter("claimed", HistoryRing::claimedCount)
          .counter("refused", HistoryRing::refusedCount)
          .gauge("capacity", HistoryRing::capacity);

  final HistorySlots slots;
  final HistoryWriter writer;

  private final FlyweightType<T> type;
  private final Lifecycle life = new Lifecycle();
  private final NativeMemory owned;
  private final HistoryProducer<T> onlyProducer; // null if the ring allows many

  // written before the memory is freed, and read afterwards
  private long lastClaimedCount;
  private long lastRefusedCount;

  private HistoryRing(FlyweightType<T> type, int capacity, boolean isSingle) {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    this.type = Checks.notNull("type", type);
    long recordBytes = type.layout().sizeBytes();
    this.owned = NativeMemory.allocate(HistorySlots.sizeBytes(capacity, recordBytes));
    this.slots = HistorySlots.over(owned.segment(), capacity, recordBytes);
    this.writer = isSingle ? HistoryWriter.ofOne(slots) : HistoryWriter.ofMany(slots);
    this.onlyProducer = isSingle ? new HistoryProducer<>(this) : null;
  }

  /**
   * Makes a ring for any number of producers.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param capacity how many records the ring keeps, any number in 1..2<sup>30</sup>
   * @return the ring
   * @throws IllegalArgumentException if the capacity is out of range, or the interface does not
   *     describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> HistoryRing<T> multi(Class<T> type, int capacity) {
    return multi(FlyweightType.of(type), capacity);
  }

  /**
   * Makes a ring for any number of producers.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param capacity how many records the ring keeps, any number in 1..2<sup>30</sup>
   * @return the ring
   * @throws IllegalArgumentException if the capacity is out of range
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> HistoryRing<T> multi(FlyweightType<T> type, int capacity) {
    return new HistoryRing<>(type, capacity, false);
  }

  /**
   * Makes a ring for one producer, which writes without an atomic update.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param capacity how many records the ring keeps, any number in 1..2<sup>30</sup>
   * @return the ring
   * @throws IllegalArgumentException if the capacity is out of range, or the interface does not
   *     describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> HistoryRing<T> single(Class<T> type, int capacity) {
    return single(FlyweightType.of(type), capacity);
  }

  /**
   * Makes a ring for one producer, which writes without an atomic update.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param capacity how many records the ring keeps, any number in 1..2<sup>30</sup>
   * @return the ring
   * @throws IllegalArgumentException if the capacity is out of range
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> HistoryRing<T> single(FlyweightType<T> type, int capacity) {
    return new HistoryRing<>(type, capacity, true);
  }

  // ---- ends ----

  /**
   * Returns the producer of a ring for one producer.
   *
   * @return the producer, the same each time
   * @throws IllegalStateException if the ring is for any number of producers
   */
  public HistoryProducer<T> producer() {
    if (onlyProducer == null) {
      throw new IllegalStateException(
          "this history has many producers, which newProducer() makes: " + this);
    }
    return onlyProducer;
  }

  /**
   * Makes a producer. One thread at a time may use it.
   *
   * @return a producer
   * @throws IllegalStateException if the ring was made for one producer, or is closed
   */
  public HistoryProducer<T> newProducer() {
    if (onlyProducer != null) {
      throw new IllegalStateException(
          "this history has one producer, which producer() returns: " + this);
    }
    checkOpen();
    return new HistoryProducer<>(this);
  }

  /**
   * Makes a reader that begins with the oldest record still in the ring.
   *
   * @param window the most records that one read may return, from 1 to the capacity
   * @return the reader, with its own memory for copies of that many records
   * @throws IllegalArgumentException if the window is out of range
   * @throws OutOfMemoryError if there is not enough native memory
   * @throws IllegalStateException if the ring is closed
   */
  public HistoryReader<T> newReader(int window) {
    Checks.inRange("window", window, 1, slots.capacity());
    checkOpen();
    return new HistoryReader<>(this, window);
  }

  T newView(MemorySegment memory) {
    return type.newFlyweight(memory);
  }

  // ---- numbers ----

  /**
   * Returns how many records were claimed since construction, committed or not.
   *
   * @return the number of claims, even after close
   */
  public long claimedCount() {
    try {
      return slots.claimedCount();
    } catch (IllegalStateException e) {
      return lastClaimedCount;
    }
  }

  /**
   * Returns how many of the claimed records were refused or aborted.
   *
   * @return the number, even after close
   */
  public long refusedCount() {
    try {
      return slots.refusedCount();
    } catch (IllegalStateException e) {
      return lastRefusedCount;
    }
  }

  /**
   * Returns how many records the ring keeps.
   *
   * @return the capacity
   */
  public int capacity() {
    return (int) slots.capacity();
  }

  @Override
  public List<String> counters() {
    return METRICS.counters();
  }

  @Override
  public List<String> gauges() {
    return METRICS.gauges();
  }

  @Override
  public void readMetrics(long[] values) {
    METRICS.read(this, values);
  }

  /**
   * Frees the memory. Close the ring only when producers and readers have finished, because
   * operations in progress throw {@link IllegalStateException}. If a thread is accessing the memory
   * when the ring is closed, the JDK may leave that thread's interrupt status set. Repeated calls
   * are allowed.
   */
  @Override
  public void close() {
    if (life.close()) {
      lastClaimedCount = claimedCount();
      lastRefusedCount = refusedCount();
      owned.close(this);
    }
  }

  /** Returns the capacity, counts and state, for debugging. */
  @Override
  public String toString() {
    return "HistoryRing[capacity=%d, claimed=%d, refused=%d, %s]"
        .formatted(capacity(), claimedCount(), refusedCount(), life);
  }

  boolean isOpen() {
    return owned.isOpen();
  }

  void checkOpen() {
    if (!isOpen()) {
      throw new IllegalStateException("history is closed: " + this);
    }
  }
}
