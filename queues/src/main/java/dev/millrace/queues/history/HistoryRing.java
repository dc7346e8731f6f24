package dev.millrace.queues.history;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.core.internal.history.HistoryWriter;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClosedMemory;
import dev.millrace.queues.internal.HistoryAccess;
import dev.millrace.queues.internal.SharedHistory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * <p><b>Between processes.</b> Processes on one machine can share a ring in a file ({@link
 * #single(Class, int, Path)}, {@link #multi(Class, int, Path)}) and may start in any order. Readers
 * are not registered in the file, and a process that only reads can map it read-only ({@link
 * #observe(Class, Path)}). A reader with a name is registered, and its position survives it ({@link
 * #newReader(int, String)}). Producers hold a lock, which the kernel releases when their process
 * dies. The record that a dead producer was writing is refused, and its slot is used again, as soon
 * as some process makes a producer or a producer finds the slot in use. Until then, readers stop at
 * that record unless they call {@link HistoryReader#skipUnfinished()}. If another producer is
 * claiming the same slot or writing to it, it must finish first. {@link #refusedCount()} may miss
 * one record for each process that died. A suspended process counts as alive and has the same
 * effect as a suspended thread. {@link #close()} aborts the open claims of this process and keeps
 * the file. Stop this process's producers first: a thread that is still writing a record while the
 * ring is closed may write over the record of another process that has the slot by then. If another
 * process overwrites the file, calls may throw {@link UncheckedIOException} and records may be
 * meaningless, but nothing is read or written outside the file.
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

  private final FlyweightType<T> type;
  private final Lifecycle life = new Lifecycle();
  private final boolean isSingle;
  private final NativeMemory owned; // null if several processes map the ring, as the next one
  private final HistoryWriter writer;
  private final SharedHistory shared; // null unless several processes map the ring
  private final ReaderPlaces places; // likewise
  private final @Nullable HistorySeats seats; // likewise, and of an observer
  private final HistoryProducer<T> onlyProducer; // null if the ring allows many, or is observed

  // written before the memory is freed, and read afterwards
  private long lastClaimedCount;
  private long lastRefusedCount;

  @SuppressWarnings("NullAway") // fields that other kinds of rings have stay null
  private HistoryRing(FlyweightType<T> type, int capacity, boolean isSingle) {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    this.type = Checks.notNull("type", type);
    this.isSingle = isSingle;
    long recordBytes = type.layout().sizeBytes();
    this.owned = NativeMemory.allocate(HistorySlots.sizeBytes(capacity, recordBytes));
    this.slots = HistorySlots.over(owned.segment(), capacity, recordBytes);
    this.writer = isSingle ? HistoryWriter.ofOne(slots) : HistoryWriter.ofMany(slots);
    this.shared = null;
    this.places = null;
    this.seats = null;
    this.onlyProducer = isSingle ? makeProducer() : null;
  }

  @SuppressWarnings("NullAway") // fields that other kinds of rings have stay null
  private HistoryRing(FlyweightType<T> type, SharedHistory shared) {
    this.type = type;
    this.isSingle = shared.isSingle();
    this.owned = null;
    this.slots = HistorySlots.over(shared.memory(), shared.capacity(), type.layout().sizeBytes());
    this.writer = null;
    this.shared = shared;
    this.places = new ReaderPlaces(shared.places(), slots, shared.name());
    this.seats = shared.table() == null ? null : new HistorySeats(shared, slots, places);
    this.onlyProducer = isSingle && seats != null ? makeProducer() : null;
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

  // ---- factories between processes ----

  /**
   * Opens a ring for any number of producers in a file that processes share, and makes the file if
   * it does not exist. See "Between processes" above.
   *
   * @param <T> the interface
   * @param type describes a record, as in all processes: see {@link FlyweightType}
   * @param capacity how many records the ring keeps, any number in 1..2<sup>30</sup>; it must be
   *     that of the file
   * @param file the file's name
   * @return the ring, for use by this process
   * @throws IllegalArgumentException if the capacity is not in that range, or the interface does
   *     not describe a record
   * @throws IOException if the file cannot be used or made
   */
  public static <T> HistoryRing<T> multi(Class<T> type, int capacity, Path file)
      throws IOException {
    return multi(FlyweightType.of(type), capacity, file);
  }

  /**
   * Opens a ring for any number of producers in a file, as {@link #multi(Class, int, Path)} does.
   *
   * @param <T> the view of a record
   * @param type the type of the records, as in all processes
   * @param capacity how many records the ring keeps; it must be that of the file
   * @param file the file's name
   * @return the ring, for use by this process
   * @throws IllegalArgumentException if the capacity is not in 1..2<sup>30</sup>
   * @throws IOException if the file cannot be used or made
   */
  public static <T> HistoryRing<T> multi(FlyweightType<T> type, int capacity, Path file)
      throws IOException {
    return attach(type, HistoryFile.open(type, false, capacity, file));
  }

  /**
   * Opens a ring for one producer in a file that processes share, and makes the file if it does not
   * exist. See "Between processes" above.
   *
   * @param <T> the interface
   * @param type describes a record, as in all processes: see {@link FlyweightType}
   * @param capacity how many records the ring keeps, any number in 1..2<sup>30</sup>; it must be
   *     that of the file
   * @param file the file's name
   * @return the ring, for use by this process
   * @throws IllegalArgumentException if the capacity is not in that range, or the interface does
   *     not describe a record
   * @throws IOException if the file cannot be used or made
   */
  public static <T> HistoryRing<T> single(Class<T> type, int capacity, Path file)
      throws IOException {
    return single(FlyweightType.of(type), capacity, file);
  }

  /**
   * Opens a ring for one producer in a file, as {@link #single(Class, int, Path)} does.
   *
   * @param <T> the view of a record
   * @param type the type of the records, as in all processes
   * @param capacity how many records the ring keeps; it must be that of the file
   * @param file the file's name
   * @return the ring, for use by this process
   * @throws IllegalArgumentException if the capacity is not in 1..2<sup>30</sup>
   * @throws IOException if the file cannot be used or made
   */
  public static <T> HistoryRing<T> single(FlyweightType<T> type, int capacity, Path file)
      throws IOException {
    return attach(type, HistoryFile.open(type, true, capacity, file));
  }

  /**
   * Opens the ring in an existing file for reading only. The process maps the file read-only, and
   * leaves no trace in it.
   *
   * @param <T> the interface
   * @param type describes a record, as in all processes: see {@link FlyweightType}
   * @param file the file's name
   * @return the ring, for any number of readers, and for no producer
   * @throws IllegalArgumentException if the interface does not describe a record
   * @throws IOException if the file does not exist, or cannot be used
   */
  public static <T> HistoryRing<T> observe(Class<T> type, Path file) throws IOException {
    return observe(FlyweightType.of(type), file);
  }

  /**
   * Opens the ring in an existing file for reading only, as {@link #observe(Class, Path)} does.
   *
   * @param <T> the view of a record
   * @param type the type of the records, as in all processes
   * @param file the file's name
   * @return the ring, for any number of readers, and for no producer
   * @throws IOException if the file does not exist, or cannot be used
   */
  public static <T> HistoryRing<T> observe(FlyweightType<T> type, Path file) throws IOException {
    return attach(type, HistoryFile.observe(type, file));
  }

  /** Makes a ring in memory that several processes map. What is in the memory is not changed. */
  static <T> HistoryRing<T> attach(FlyweightType<T> type, SharedHistory shared) {
    return new HistoryRing<>(type, shared);
  }

  // ---- ends ----

  /**
   * Returns the producer of a ring for one producer. In a file, it also takes the place of the only
   * producer among all processes, and first recovers what a dead one left.
   *
   * @return the producer, the same each time
   * @throws IllegalStateException if the ring is for any number of producers, or another process
   *     has its producer, or the ring is only observed
   */
  public HistoryProducer<T> producer() {
    checkWritable();
    if (!isSingle) {
      throw new IllegalStateException(
          "this history has many producers, which newProducer() makes: " + this);
    }
    return onlyProducer.takeSeat();
  }

  /**
   * Makes a producer. One thread at a time may use it. In a file, it takes a place among the
   * producers of all processes, and what dead ones left is recovered first.
   *
   * @return a producer
   * @throws IllegalStateException if the ring was made for one producer, is closed, or is only
   *     observed, or if all places in the file are taken
   */
  public HistoryProducer<T> newProducer() {
    checkWritable();
    if (isSingle) {
      throw new IllegalStateException(
          "this history has one producer, which producer() returns: " + this);
    }
    checkOpen();
    return makeProducer().takeSeat();
  }

  private HistoryProducer<T> makeProducer() {
    if (seats == null) {
      return new HistoryProducer<>(this, writer, null);
    }
    HistorySeats.Seat seat = seats.newSeat();
    return new HistoryProducer<>(this, seat.newWriter(), seat);
  }

  private void checkWritable() {
    if (shared != null && seats == null) {
      throw new IllegalStateException("this history is observed, it has no producers: " + this);
    }
  }

  /** Searches for producers of other processes that have died and have left a slot in use. */
  void buryDead() {
    if (seats != null) {
      seats.buryDead();
    }
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
    return new HistoryReader<>(this, window, null);
  }

  /**
   * Makes a reader with a name in a ring in a file. The file keeps the position that the reader
   * {@linkplain HistoryReader#release() releases}. If a reader had this name before, in any
   * process, the new one continues where that one last released. Otherwise it begins with the
   * oldest record still in the ring. A file has room for 64 names. {@link #removeReader} makes room
   * for another one.
   *
   * @param window the most records that one read may return, from 1 to the capacity
   * @param name the name, of 1 to 112 of the characters A-Z, a-z, 0-9, '.', '_' and '-'
   * @return the reader, with its own memory for copies of that many records
   * @throws IllegalArgumentException if the window is out of range, or the name is not one
   * @throws OutOfMemoryError if there is not enough native memory
   * @throws UncheckedIOException if the file is damaged
   * @throws IllegalStateException if a living reader of any process has the name, there is no room
   *     for another name, or the ring is closed, is only observed, or is not in a file
   */
  public HistoryReader<T> newReader(int window, String name) {
    Checks.inRange("window", window, 1, slots.capacity());
    HistorySeats.Place place = namedSeats().takePlace(name);
    HistoryReader<T> reader = null;
    try {
      reader = new HistoryReader<>(this, window, place);
      return reader;
    } finally {
      if (reader == null) {
        place.giveUp();
      }
    }
  }

  /**
   * Returns where a named reader last released: it has handled all records with smaller sequences.
   * {@link #claimedCount()} minus this number is how far it is behind. Any process can ask, also
   * one that only observes.
   *
   * @param name the reader's name
   * @return the sequence from which the reader would continue; -1 if no reader has the name
   * @throws IllegalArgumentException if the name is not one
   * @throws UncheckedIOException if the file is damaged
   * @throws IllegalStateException if the ring is closed or not in a file
   */
  public long releasedBy(String name) {
    checkHasNames();
    ReaderPlaces.Name wanted = new ReaderPlaces.Name(name);
    try {
      return places.position(wanted);
    } catch (IllegalStateException e) {
      checkOpen();
      throw e;
    }
  }

  /**
   * Returns the names of all readers whose positions the file keeps, living or not. Any process can
   * ask, also one that only observes.
   *
   * @return the names, in order
   * @throws UncheckedIOException if the file is damaged
   * @throws IllegalStateException if the ring is closed or not in a file
   */
  public List<String> readerNames() {
    checkHasNames();
    try {
      return places.names();
    } catch (IllegalStateException e) {
      checkOpen();
      throw e;
    }
  }

  /**
   * Removes the name of a reader, and its position. A reader with the same name then begins with
   * the oldest record still in the ring.
   *
   * @param name the reader's name
   * @return whether there was such a name
   * @throws IllegalArgumentException if the name is not one
   * @throws UncheckedIOException if the file is damaged
   * @throws IllegalStateException if a living reader of any process has the name, or the ring is
   *     closed, is only observed, or is not in a file
   */
  public boolean removeReader(String name) {
    return namedSeats().removeName(name);
  }

  private HistorySeats namedSeats() {
    checkHasNames();
    if (seats == null) {
      throw new IllegalStateException("this history is observed, it keeps no positions: " + this);
    }
    return seats;
  }

  private void checkHasNames() {
    if (shared == null) {
      throw new IllegalStateException(
          "this history is not in a file, it keeps no positions: " + this);
    }
    checkOpen();
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
   * when the ring is closed, the JDK may leave that thread's interrupt status set. A ring in a file
   * keeps its records; only the use by this process ends. Repeated calls are allowed.
   */
  @Override
  public void close() {
    boolean _ = close(false);
  }

  /**
   * Closes a ring in a file, and removes the file if no other process has it open for writing.
   *
   * <p>If every process closes the ring in this way, the last one removes the file. Processes that
   * have died do not count, and neither do those that only observe. A process that opens the ring
   * at this moment either keeps the file, because this call does not remove it, or finds no file,
   * and makes a new one. A process that is killed removes nothing.
   *
   * @return whether this call removed the file; false if the ring was closed before
   * @throws IllegalStateException if the ring is not in a file, or is only observed
   * @throws UncheckedIOException if the file is damaged or cannot be removed
   */
  public boolean closeAndRemove() {
    if (seats == null) {
      throw new IllegalStateException(
          "this history is %s: %s".formatted(shared == null ? "not in a file" : "observed", this));
    }
    return close(true);
  }

  private boolean close(boolean removes) {
    if (!life.close()) {
      return false;
    }
    lastClaimedCount = claimedCount();
    lastRefusedCount = refusedCount();
    if (shared == null) {
      owned.close(this);
      return false;
    }
    ClosedMemory.note(slots.memory(), this);
    boolean isWhole = false;
    try {
      if (seats != null) {
        seats.abandonAll();
      }
      isWhole = true;
    } finally {
      if (!isWhole) {
        boolean _ = unmap(false);
      }
    }
    return unmap(removes);
  }

  private boolean unmap(boolean removes) {
    try {
      return shared.unmapping().run(removes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the capacity, counts and state, and the file if there is one, for debugging. */
  @Override
  public String toString() {
    return "HistoryRing[capacity=%d, claimed=%d, refused=%d, %s%s]"
        .formatted(
            capacity(),
            claimedCount(),
            refusedCount(),
            life,
            shared == null ? "" : ", " + shared.name());
  }

  boolean isOpen() {
    return owned != null ? owned.isOpen() : slots.memory().scope().isAlive();
  }

  void checkOpen() {
    if (!isOpen()) {
      throw new IllegalStateException("history is closed: " + this);
    }
  }

  static {
    HistoryAccess.SECRET.share(new HistorySecrets());
  }
}
