package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.RingProtocol;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClassGeneration;
import dev.millrace.flyweight.internal.RecordCodec;
import dev.millrace.flyweight.internal.SlotRules;
import dev.millrace.queues.internal.QueueState;
import dev.millrace.queues.internal.RecordStore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bounded {@link BlockingQueue} of Java records that are stored off the heap. The queue can
 * replace an {@link java.util.concurrent.ArrayBlockingQueue} or another JDK queue. The elements of
 * a queue are instances of a record class, or of a sealed interface whose permitted types are
 * records and enums.
 *
 * {@snippet file="Examples.java" region="records"}
 *
 * <p>A record is stored as a struct of its components, in their order:
 *
 * <table>
 * <caption>Components</caption>
 * <tr><th>component</th><th>in memory</th></tr>
 * <tr><td>a primitive type</td><td>the same, in the machine's byte order</td></tr>
 * <tr><td>an enum</td><td>its constant's ordinal, in a byte, or in a short if there are more than
 * 256 constants</td></tr>
 * <tr><td>a record</td><td>a struct of its components</td></tr>
 * <tr><td>a sealed interface whose permitted types are records, enums or further such
 * interfaces</td><td>{@code int variant}, then as many bytes as the largest variant takes</td></tr>
 * <tr><td>a {@code String}</td><td>64 bytes, or as many as {@link QueueOptions#withTextBytes} or
 *     {@link dev.millrace.flyweight.Utf8 Utf8} says: the text, then zeros</td></tr>
 * <tr><td>{@code BigInteger}</td><td>{@code long high}, {@code long low}</td></tr>
 * <tr><td>{@code BigDecimal}</td><td>{@code unscaledValue}, {@code int scale}</td></tr>
 * <tr><td>an array of numbers or {@code char}s</td><td>its length as an {@code int}, then as much
 * room as a string has, or as many elements as {@link dev.millrace.flyweight.Length Length}
 * says</td></tr>
 * <tr><td>{@code Instant}</td><td>{@code long epochSecond}, {@code int nano}</td></tr>
 * <tr><td>{@code Duration}</td><td>{@code long seconds}, {@code int nano}</td></tr>
 * <tr><td>{@code UUID}</td><td>{@code long mostSignificantBits}, {@code long
 *     leastSignificantBits}</td></tr>
 * <tr><td>{@code LocalDate}</td><td>{@code long epochDay}</td></tr>
 * <tr><td>{@code LocalTime}</td><td>{@code long nanoOfDay}</td></tr>
 * <tr><td>{@code LocalDateTime}</td><td>{@code localDate}, {@code localTime}</td></tr>
 * <tr><td>{@code OffsetDateTime}, {@code OffsetTime}</td><td>{@code localDateTime} or {@code
 *     localTime}, {@code offset}</td></tr>
 * <tr><td>{@code ZoneOffset}</td><td>{@code int totalSeconds}</td></tr>
 * <tr><td>{@code Year}, {@code YearMonth}, {@code MonthDay}, {@code Period}</td><td>an {@code int}
 *     for each of their fields</td></tr>
 * <tr><td>{@code Integer} and the other boxes, {@code OptionalInt}, {@code OptionalLong}, {@code
 *     OptionalDouble}, and {@code Optional} of any of these</td><td>{@code boolean present},
 *     {@code value}; zeros if absent</td></tr>
 * </table>
 *
 * <p>The type of a component may be a type parameter of its record if the type argument is known.
 * The argument can be known from the component that holds the record, or from the sealed interface
 * that permits the record. For example, {@code record Order(Envelope<Trade> trade)} works, but a
 * queue of {@code Envelope} itself does not.
 *
 * <p>The factories reject a component of any other type, unless {@link QueueOptions#withReferences}
 * lets the queue hold it by reference. The factories also reject a record type that contains
 * itself. The exception's message names all rejected components and says what to write instead. The
 * record's class must meet one of three conditions: it is in the unnamed module, it is public in an
 * exported package, or its package is open to {@code dev.millrace.flyweight}. For a class that
 * meets none of these conditions, use the factories that take a lookup. Where no class can be made
 * at run time, as in a native image, the factories throw {@link UnsupportedOperationException}.
 *
 * <p><b>Records that do not fit.</b> If a value of a record does not fit, the queue keeps the
 * record on the heap instead of in its slot. The following values do not fit:
 *
 * <ul>
 *   <li>A string or an array that is too long.
 *   <li>A string that contains a NUL or half a surrogate pair.
 *   <li>A number of more than 127 bits.
 *   <li>Null in a component that a slot stores and that is not a box.
 *   <li>An object of a type that is never stored in a slot: {@code URI}, {@code URL}, {@code
 *       InetAddress}, {@code InetSocketAddress}, {@code Currency}, {@code Locale}, {@code ZoneId},
 *       {@code ZonedDateTime}, {@code Path}, {@code File}, {@code Class}, {@code Pattern}, {@code
 *       boolean[]}, and the type of any component held by reference.
 * </ul>
 *
 * <p>For a record on the heap, the queue holds the object that was put, and the consumer takes that
 * same object. The metric {@code spilled} counts the records that were kept on the heap. When the
 * first record is kept on the heap, the queue allocates an array with one reference for each slot.
 * For each record on the heap, the queue also allocates a small object. {@link
 * QueueOptions#withOnOversize} can make the queue truncate strings that are too long, or reject
 * records that do not fit.
 *
 * <p><b>Roles.</b> {@link #of(Class, int)} makes a queue for any number of threads on both sides.
 * {@link #mpsc} makes a queue for many producers and one consumer. {@link #spsc} makes a queue for
 * one producer and one consumer. Producers call {@code offer}, {@code put}, {@code add} or {@code
 * addAll}. Consumers call {@code poll}, {@code take}, {@code remove()}, {@code drainTo} or {@code
 * clear}. Any thread may call the other methods. If a side allows only one thread, but two threads
 * use that side at the same time, records may be lost or taken twice, or the queue may get stuck.
 * With assertions enabled ({@code -ea}), the queue detects overlapping calls on a side for one
 * thread.
 *
 * <p><b>Progress.</b> {@code offer} and {@code poll} are lock-free unless another thread stops
 * halfway through its own call. If another thread is copying a record, both calls wait for that
 * thread before they report that the queue is full or empty. All waits, including those of {@code
 * put}, {@code take} and the timed forms, follow the wait strategy of the caller's side. {@code
 * peek} spins while the oldest record is being put.
 *
 * <p><b>Stalled producers.</b> With {@link QueueOptions#withStallLimit}, consumers stop waiting for
 * a put that takes too long. When the producer continues, it puts the record again, behind the
 * records that were put in the meantime. Until the producer continues, the queue has room for one
 * record fewer. If stalled producers occupy all slots, putting throws {@link
 * IllegalStateException}.
 *
 * <p><b>Ordering.</b> The queue is first-in-first-out. Everything that a thread did before it put a
 * record happens-before everything that another thread does after it has taken that record. If a
 * call reports that the queue is full or empty, the queue was full or empty at some moment during
 * the call. If no consumer takes a record while {@link #size} runs, the result is the number of
 * records at some moment during that call. If consumers do take records, the result may be too low,
 * by up to the number of records taken, but is never too high. {@link #iterator}, {@link #contains}
 * and the methods based on them see each record that was put before the call and is not taken
 * during the call.
 *
 * <p><b>Failure.</b> If an accessor of the record throws, the caller gets that exception and the
 * queue is unchanged. Taking a record runs its canonical constructor again, with the values that
 * the accessors returned. If the constructor throws an exception, the record is lost, and the call
 * that takes it throws an {@link IllegalStateException}. The {@code IllegalStateException} names
 * the record's type and sequence number, and has the exception from the constructor as its cause.
 * If a record was kept on the heap, no constructor runs, and the consumer gets the object that was
 * put. All other records that the consumer gets are new objects, so recognize a poison pill by
 * {@code equals}, not by identity. If an accessor returns something other than its component, the
 * record that is taken differs from the one that was put.
 *
 * <p>A method that may wait throws {@link InterruptedException} if the thread is interrupted, even
 * if the method does not have to wait. {@code offer} and {@code poll} without a timeout leave the
 * interrupt status alone. If the target of a {@code drainTo} throws, the rejected record stays in
 * the queue and is the next to be taken. Until the rejected record is taken, the queue may hold one
 * record more than its capacity. {@code drainTo} without a timeout moves at most as many records as
 * the queue held at the start of the call.
 *
 * <p><b>End.</b> {@link #close()} and {@link #complete()} are equivalent. After either call,
 * putting throws {@link IllegalStateException}. Every record whose put has returned can still be
 * taken. Once the closed queue is empty, {@code poll} returns null, even with a timeout, and {@code
 * take} throws {@link IllegalStateException}. The memory is freed one second after a call has found
 * the closed queue empty. If no call finds it empty, the memory is freed once the queue is
 * unreachable.
 *
 * <p><b>Differences from JDK queues.</b>
 *
 * <ul>
 *   <li>Taking returns a copy that is equal to the record that was put. If the record did not fit
 *       into its slot, taking returns the same object.
 *   <li>All memory is allocated at construction, for the capacity rounded up to a power of two.
 *   <li>The queue can be closed. Putting into a closed queue throws {@link IllegalStateException},
 *       as does {@code take} once the closed queue is empty.
 *   <li>Only the oldest record can be removed: {@code remove(Object)}, {@code removeIf}, {@code
 *       removeAll}, {@code retainAll} and the iterator's {@code remove} throw {@link
 *       UnsupportedOperationException}.
 *   <li>The queue is not {@link java.io.Serializable}.
 *   <li>Waiting threads get records and room in no particular order. There is no {@code fair}
 *       option.
 *   <li>{@link #iterator} and {@link #stream} copy all records when they are called, so they do not
 *       see later puts and takes.
 *   <li>Two methods have no counterpart in JDK queues: a {@link #drainTo(Collection, int, Duration)
 *       drainTo} with a timeout waits for records, and {@link #takeEach} takes records until the
 *       queue ends.
 * </ul>
 *
 * <p><b>Cost.</b> O(1) per record. Taking allocates the record. {@code offer} allocates nothing,
 * except that the JDK allocates the digits of a {@code BigDecimal}. The digits take 63 bytes if the
 * unscaled value fits into a {@code long}. To allocate nothing at all, or to move records in runs,
 * use {@link dev.millrace.queues.MpmcQueue} and its siblings. {@link #peek} copies the oldest
 * record, while {@link #iterator} and {@link #contains} copy all records. In a queue with one
 * producer, {@link #close} takes tens of microseconds. A record of more than a few hundred values,
 * including those of nested records, is slow to put, because the method that stores the record is
 * too long for the JIT compiler.
 *
 * @param <E> the type of the records
 * @since 0.1.0
 */
public abstract class RecordQueue<E> extends AbstractQueue<E>
    implements BlockingQueue<E>, Measured, AutoCloseable {
  /*
   * This is the slow half, which all types of records share. The fast half is RecordQueueTemplate.
   * Each type of record gets its own copy of that class, so that its method handles are constants
   * and it has a JIT profile of its own. RecordStore holds the memory and the ring, and the rings
   * implement the protocols.
   */

  private static final Cleaner CLEANER = Cleaner.create();

  /** Returned instead of a sequence if a record is kept aside. */
  static final long ASIDE = -4;

  /** A time limit that means not to wait for room or for a record. */
  static final long AT_ONCE = 0;

  private static final Metrics<RecordQueue<?>> METRICS =
      Metrics.<RecordQueue<?>>none()
          .counter("put", queue -> queue.store.putCount())
          .counter("taken", queue -> Math.max(0, queue.store.takenCount() - queue.asideCount()))
          .counter("stalled", queue -> queue.store.stalledCount())
          .counter("spilled", queue -> queue.store.spills.count())
          .gauge("size", RecordQueue::size)
          .gauge("capacity", queue -> queue.store.capacity);

  final RecordStore store;

  @SuppressWarnings("unused") // through TOP
  private @Nullable Aside<E> aside;

  /** A record that was taken but could not be handed over, on top of earlier ones. */
  private record Aside<E>(E element, @Nullable Aside<E> below) {}

  /** For classes made from {@link RecordQueueTemplate} only. */
  RecordQueue(RecordStore store) {
    this.store = store;
    CLEANER.register(this, store.freeing()); // holds no reference to the queue
  }

  // ---- factories ----

  /**
   * Makes a queue for any number of threads on both sides, with the default options.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param capacity the number of records that fit, in 1..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if the capacity is out of range, or records of that type
   *     cannot be stored
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> of(Class<E> type, int capacity) {
    return of(type, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue for any number of threads on both sides.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param options the capacity, how each side waits, and the stall limit; {@code onFull} must be
   *     {@code WAIT}
   * @return the queue
   * @throws IllegalArgumentException if the capacity is out of range, {@code onFull} is a different
   *     policy, or records of that type cannot be stored
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> of(Class<E> type, QueueOptions options) {
    return make(type, null, options, RecordStore.Kind.MPMC);
  }

  /**
   * Makes a queue of records that only a lookup can access, for any number of threads on both
   * sides. An example is a record in a package that its named module does not open.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param lookup a lookup of a class that can make the records and read their components, usually
   *     {@link MethodHandles#lookup()}
   * @param options the capacity, how each side waits, and the stall limit; {@code onFull} must be
   *     {@code WAIT}
   * @return the queue
   * @throws IllegalArgumentException if the capacity is out of range, {@code onFull} is a different
   *     policy, records of that type cannot be stored, or the lookup cannot access them
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> of(
      Class<E> type, MethodHandles.Lookup lookup, QueueOptions options) {
    return make(type, Checks.notNull("lookup", lookup), options, RecordStore.Kind.MPMC);
  }

  /**
   * Makes a queue for any number of producers and one consumer, with the default options.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param capacity the number of records that fit, in 1..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException as for {@link #of(Class, int)}
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> mpsc(Class<E> type, int capacity) {
    return mpsc(type, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue for any number of producers and one consumer.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param options as for {@link #of(Class, QueueOptions)}
   * @return the queue
   * @throws IllegalArgumentException as for {@link #of(Class, QueueOptions)}
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> mpsc(Class<E> type, QueueOptions options) {
    return make(type, null, options, RecordStore.Kind.MPSC);
  }

  /**
   * Makes a queue of records that only a lookup can access, for any number of producers and one
   * consumer. An example is a record in a package that its named module does not open.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param lookup a lookup of a class that can make the records and read their components, usually
   *     {@link MethodHandles#lookup()}
   * @param options as for {@link #of(Class, QueueOptions)}
   * @return the queue
   * @throws IllegalArgumentException as for {@link #of(Class, MethodHandles.Lookup, QueueOptions)}
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> mpsc(
      Class<E> type, MethodHandles.Lookup lookup, QueueOptions options) {
    return make(type, Checks.notNull("lookup", lookup), options, RecordStore.Kind.MPSC);
  }

  /**
   * Makes a queue for one producer and one consumer, with the default options.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param capacity the number of records that fit, in 1..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException as for {@link #of(Class, int)}
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> spsc(Class<E> type, int capacity) {
    return spsc(type, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue for one producer and one consumer.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param options as for {@link #of(Class, QueueOptions)}, but without a stall limit
   * @return the queue
   * @throws IllegalArgumentException as for {@link #of(Class, QueueOptions)}, or if there is a
   *     stall limit
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> spsc(Class<E> type, QueueOptions options) {
    return make(type, null, options, RecordStore.Kind.SPSC);
  }

  /**
   * Makes a queue of records that only a lookup can access, for one producer and one consumer. An
   * example is a record in a package that its named module does not open.
   *
   * @param <E> the type of the records
   * @param type the record class or sealed interface
   * @param lookup a lookup of a class that can make the records and read their components, usually
   *     {@link MethodHandles#lookup()}
   * @param options as for {@link #of(Class, QueueOptions)}, but without a stall limit
   * @return the queue
   * @throws IllegalArgumentException as for {@link #of(Class, MethodHandles.Lookup, QueueOptions)},
   *     or if there is a stall limit
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <E> RecordQueue<E> spsc(
      Class<E> type, MethodHandles.Lookup lookup, QueueOptions options) {
    return make(type, Checks.notNull("lookup", lookup), options, RecordStore.Kind.SPSC);
  }

  private static <E> RecordQueue<E> make(
      Class<E> type,
      MethodHandles.@Nullable Lookup lookup,
      QueueOptions options,
      RecordStore.Kind kind) {
    Checks.notNull("options", options);
    ClassGeneration.require(
        "RecordQueue of " + Checks.notNull("type", type).getName(),
        "use an SpscQueue, MpscQueue or MpmcQueue with a subclass of Flyweight, or a MessageQueue");
    SlotRules rules =
        new SlotRules(options.textBytes(), options.holdsReferences(), options.onOversize());
    RecordCodec<E> codec =
        lookup == null ? RecordCodec.of(type, rules) : RecordCodec.of(type, lookup, rules);
    // the contract of BlockingQueue rules out the other policies
    QueueState.checkOnFull(options, OnFull.WAIT);
    QueueState.checkForOneProcess(options);
    if (kind == RecordStore.Kind.SPSC) {
      QueueState.checkNoStallLimit(options);
    }
    return RecordQueueClasses.make(codec, rules, new RecordStore(kind, codec.layout(), options));
  }

  // ---- where the fast half has to wait ----

  /**
   * Claims a slot or polls a record after a first attempt has failed. An interrupt ends the wait,
   * unless {@code limitNanos} is {@link #AT_ONCE} or less, and leaves the interrupt status set.
   *
   * @param claims whether to claim a slot rather than poll a record
   * @param limitNanos how long to wait for room or a record. With {@link #AT_ONCE} or less, the
   *     wait lasts only as long as it is uncertain whether the queue is full or empty
   * @return a sequence; or {@link Ring#NONE} if there was none in time or the queue is closed and
   *     empty; or {@link Ring#CLOSED} from a claim; or {@link #ASIDE} from a poll
   */
  final long await(boolean claims, long limitNanos) {
    Waiters waiters = claims ? store.producerWaiters : store.consumerWaiters;
    boolean atOnce = limitNanos <= AT_ONCE;
    long deadline = Waiters.deadline(atOnce ? WaitStrategy.FOREVER : limitNanos);
    boolean interrupted = false;
    long answer = Ring.NONE;
    WaitPlace place = null;
    long step = 0;
    try {
      while (answer == Ring.NONE && !isNoneLeft(claims, atOnce)) {
        try {
          place = waiters.placeAt(step, place);
          step = waiters.pause(place, step, deadline, 1);
        } catch (InterruptedException e) {
          interrupted = true;
        }
        if (step == Waiters.TIMED_OUT || (interrupted && !atOnce)) {
          break;
        }
        answer =
            claims
                ? store.tryClaim(store.protocol, store.ring)
                : tryPoll(store.protocol, store.ring);
      }
      return answer;
    } finally {
      waiters.leave(place, step);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns whether there is nothing to wait for, because the queue is full or empty or will stay
   * empty.
   */
  private boolean isNoneLeft(boolean claims, boolean atOnce) {
    if (claims) {
      return atOnce && store.isFull();
    }
    return atOnce ? store.isEmpty() : store.isExhausted();
  }

  /**
   * Polls a record. Returns its sequence, or {@link Ring#NONE} if there was none, or {@link #ASIDE}
   * if one is kept aside.
   */
  final long tryPoll(RingProtocol protocol, Ring ring) {
    return hasAside() ? ASIDE : store.tryPoll(protocol, ring);
  }

  final IllegalStateException closed() {
    return new IllegalStateException("queue is closed: capacity=" + store.capacity);
  }

  /**
   * Throws if the thread is interrupted. As in JDK queues, methods that may wait throw even if they
   * do not have to wait.
   */
  static void checkInterrupt() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  // ---- records kept aside ----

  /*
   * A slot cannot take a record back. So if the target of a drainTo rejects a record, this stack
   * keeps the record for the next poll. The stack is nearly always empty, and one read shows
   * whether it is.
   *
   * A  TOP.weakCompareAndSetRelease in   ->  TOP.getAcquire in newestAside   what was done before
   *    keepAside                                                             the record was put
   */

  final boolean hasAside() {
    return (Aside) TOP.getOpaque(this) != null; // opaque: takeAside reads it again
  }

  @SuppressWarnings("unchecked") // keepAside put only such records there
  private @Nullable Aside<E> newestAside() {
    return (Aside<E>) (Aside<?>) TOP.getAcquire(this); // acquire A: the records
  }

  /**
   * Adds {@code element} to {@code target}. If that throws, keeps the record for the next consumer.
   */
  final void handOver(E element, Collection<? super E> target) {
    try {
      target.add(element);
    } catch (Throwable e) {
      keepAside(element);
      throw e;
    }
  }

  private void keepAside(E element) {
    Aside<E> below;
    do {
      below = newestAside();
    } while (!TOP.weakCompareAndSetRelease(this, below, new Aside<>(element, below))); // release A
    store.consumerWaiters.signal();
  }

  /** Takes a record that was kept aside. Returns null if there is none. */
  final @Nullable E takeAside() {
    Aside<E> top;
    do {
      top = newestAside();
      if (top == null) {
        return null;
      }
      // atomic: one thread takes it; the exchange carries on the release of the records below
    } while (!TOP.weakCompareAndSetPlain(this, top, top.below()));
    return top.element();
  }

  // ---- reading without taking ----

  /** Reads the record at {@code offset}. */
  abstract E read(MemorySegment memory, long offset);

  @SuppressWarnings("unchecked") // as it was put
  private E read(RecordStore.Copy copy) {
    return copy.spilled == null ? read(copy.bytes, 0) : (E) copy.spilled;
  }

  /**
   * Copies the oldest record without removing it.
   *
   * @return the copy, or null if the queue is empty
   */
  @Override
  public final @Nullable E peek() {
    Aside<E> next = newestAside();
    if (next != null) {
      return next.element();
    }
    try (Arena arena = Arena.ofConfined()) { // heap memory would spoil the reader's profile
      RecordStore.Copy copy = store.newCopy(arena);
      return store.copyOldest(copy) ? read(copy) : null;
    }
  }

  @Override
  public final int size() {
    return store.size() + asideCount();
  }

  private int asideCount() {
    int count = 0;
    for (Aside<E> one = newestAside(); one != null; one = one.below()) {
      count++;
    }
    return count;
  }

  @Override
  public final boolean isEmpty() {
    return store.isEmpty() && !hasAside();
  }

  /**
   * Returns how many more records fit now: the capacity minus the {@link #size}.
   *
   * @return the number, at least 0
   */
  @Override
  public final int remainingCapacity() {
    return Math.max(0, store.capacity - size());
  }

  /**
   * Returns an iterator over copies of the records that are in the queue when the method is called.
   * The iterator cannot remove records.
   */
  @Override
  public final Iterator<E> iterator() {
    return Collections.unmodifiableList(copies()).iterator();
  }

  /**
   * Returns a spliterator of unknown size, which may be used while other threads put and take
   * records.
   */
  @Override
  public final Spliterator<E> spliterator() {
    return Spliterators.spliteratorUnknownSize(
        iterator(), Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.CONCURRENT);
  }

  private List<E> copies() {
    List<E> copies = new ArrayList<>();
    for (Aside<E> one = newestAside(); one != null; one = one.below()) {
      copies.add(one.element());
    }
    try (Arena arena = Arena.ofConfined()) {
      RecordStore.Copy copy = store.newCopy(arena);
      store.copyEach(copy, () -> copies.add(read(copy)));
    }
    return copies;
  }

  // ---- unsupported ----

  /** Always throws: only the oldest record can be removed. */
  @Override
  public final boolean remove(Object element) {
    throw unsupported("remove(Object)");
  }

  /** Always throws: only the oldest record can be removed. */
  @Override
  public final boolean removeIf(Predicate<? super E> filter) {
    throw unsupported("removeIf");
  }

  /** Always throws: only the oldest record can be removed. */
  @Override
  public final boolean removeAll(Collection<?> elements) {
    throw unsupported("removeAll");
  }

  /** Always throws: only the oldest record can be removed. */
  @Override
  public final boolean retainAll(Collection<?> elements) {
    throw unsupported("retainAll");
  }

  private static UnsupportedOperationException unsupported(String operation) {
    return new UnsupportedOperationException(
        operation + " is not supported: only the oldest record can be removed");
  }

  // ---- several at once ----

  /**
   * Moves up to {@code limit} records into a collection, waiting for records up to a time limit.
   * The call returns as soon as it has moved {@code limit} records, the time is up, or the queue is
   * closed and empty. With a timeout of zero or less, the call moves only the records that are
   * available now.
   *
   * <p>If the call throws, the records moved so far stay in the target. All other records stay in
   * the queue.
   *
   * @param target receives the records
   * @param limit the most records to move; none if it is 0 or less
   * @param timeout how long to wait
   * @return how many records were moved
   * @throws InterruptedException if the thread is interrupted, before the call or while it waits
   * @throws IllegalArgumentException if the target is this queue
   */
  public final int drainTo(Collection<? super E> target, int limit, Duration timeout)
      throws InterruptedException {
    long limitNanos = Checks.nanos("timeout", timeout);
    checkInterrupt();
    long deadline = Waiters.deadline(limitNanos);
    int count = drainTo(target, limit);
    long nanos = limitNanos;
    while (count < limit && nanos > 0) {
      E element = poll(nanos, TimeUnit.NANOSECONDS);
      if (element == null) {
        break;
      }
      handOver(element, target);
      count++;
      count += drainTo(target, limit - count);
      nanos = deadline == WaitStrategy.FOREVER ? deadline : deadline - System.nanoTime();
    }
    return count;
  }

  // ---- measured ----

  /**
   * {@inheritDoc} Here {@code put} and {@code taken} count records. {@code stalled} counts puts
   * that took longer than the stall limit. {@code spilled} counts records that did not fit into
   * their slots.
   */
  @Override
  public final List<String> counters() {
    return METRICS.counters();
  }

  @Override
  public final List<String> gauges() {
    return METRICS.gauges();
  }

  @Override
  public final void readMetrics(long[] values) {
    METRICS.read(this, values);
  }

  // ---- end ----

  /**
   * Closes the queue to producers, as {@link #complete} does.
   *
   * <p>The memory is freed one second after a call has found the queue {@linkplain #isDrained
   * drained}. If no call finds it drained, the memory is freed once the queue is unreachable.
   */
  @Override
  public final void close() {
    complete();
  }

  /**
   * Closes the queue to producers. A put that overlaps this call either succeeds, or throws because
   * the queue is closed. All records that were put can still be taken. A second call has no effect.
   *
   * <p>In a queue with one producer, the call makes all threads of the process execute a fence. The
   * fence takes tens of microseconds, or hundreds of microseconds in a process with a thousand
   * threads. In return, the producer needs no fence for each record. On a JVM that is not derived
   * from HotSpot, each put executes a fence instead.
   */
  public final void complete() {
    store.complete();
  }

  /**
   * Returns whether the queue is completed and every record was taken. When this method returns
   * true, everything the consumers did before they took the last record is visible to the caller.
   * Even after this method has returned true, a record may come back to the queue if the target of
   * a {@code drainTo} rejects that record.
   *
   * @return whether both sides can stop
   */
  public final boolean isDrained() {
    return store.isDrained() && !hasAside();
  }

  /**
   * Waits until the queue is drained. This method does not complete the queue.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean awaitDrained(Duration timeout) throws InterruptedException {
    return Waiters.awaitUnsignalled(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Takes each record and hands it to a handler until the queue is completed and empty. The method
   * waits while the queue is empty. If the handler throws, the record that it was given is not put
   * back. Do not confuse this method with the {@link #forEach} of every collection, which passes on
   * copies and takes no records.
   *
   * @param handler receives each record
   * @throws InterruptedException if the thread is interrupted, whether or not it has to wait
   */
  public final void takeEach(Handler<? super E> handler) throws InterruptedException {
    Checks.notNull("handler", handler);
    E element = poll(WaitStrategy.FOREVER, TimeUnit.NANOSECONDS);
    while (element != null) {
      handler.handle(element);
      element = poll(WaitStrategy.FOREVER, TimeUnit.NANOSECONDS);
    }
  }

  private static final VarHandle TOP =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "aside", VarHandle.class, RecordQueue.class, Aside.class)
          .withInvokeExactBehavior();

  static {
    RecordStore.SECRET.share(queue -> queue.store);
  }
}
