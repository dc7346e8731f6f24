package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordCodec;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.BlockingQueue;
import java.util.function.Predicate;

/**
 * A bounded {@link BlockingQueue} of Java records that are kept off the heap: for the places where
 * an {@link java.util.concurrent.ArrayBlockingQueue} or another queue of the JDK stands today.
 *
 * <pre>{@code
 * record Trade(long timestamp, double price, double volume) {}
 *
 * BlockingQueue<Trade> queue = RecordQueue.of(Trade.class, 65_536);
 * queue.put(new Trade(timestamp, price, volume));
 * Trade trade = queue.take();
 * }</pre>
 *
 * <p>What is put is copied, and what is taken is a new record, equal to the one that was put but
 * not the same. {@link RecordCodec} says which records can be.
 *
 * <p><b>Roles.</b> {@link #of(Class, int)} makes a queue for any number of threads on both sides;
 * {@link #mpsc} one for many producers and one consumer, {@link #spsc} for one of each. A producer
 * calls {@code offer}, {@code put}, {@code add} or {@code addAll}; a consumer {@code poll}, {@code
 * take}, {@code remove()}, {@code drainTo} or {@code clear}. Any thread may call all else. Two
 * threads at once where one is allowed may lose records, get them twice, or leave the queue stuck;
 * only assertions ({@code -ea}) find it reliably: see {@link SpscQueue}.
 *
 * <p><b>Progress.</b> {@code offer} and {@code poll} are lock-free unless another thread stops
 * halfway through its own: before they answer that the queue is full or empty they wait for a slot
 * that another thread is copying, as the side's strategy says. {@code put}, {@code take} and the
 * timed forms wait by that strategy too. {@code peek} spins while the oldest record is being put.
 *
 * <p><b>Ordering.</b> First in, first out. What a thread did before it put a record happens before
 * the return from taking it. Full and empty are answered truthfully. {@link #size} is the number of
 * records at some moment of the call; beside busy consumers it may be less by what they take during
 * the call, never more. {@link #iterator}, {@link #contains} and what is built on them show each
 * record that was put before the call and that nobody takes during it.
 *
 * <p><b>Failure.</b> A record with a null component or a string that is too long is refused with an
 * {@link IllegalArgumentException}. Its accessors are called before a slot is taken, so if one of
 * them throws, the caller gets that exception and nothing has changed. The forms that may wait
 * throw {@link InterruptedException} if the thread is interrupted, whether or not they would have
 * to wait; {@code offer} and {@code poll} leave the interrupt status alone. {@code drainTo} moves
 * at most as many records as were there when it began. If the target's {@code add} throws, that
 * record stays and is the next to be taken; until then it needs no slot, so the queue may hold one
 * more than its capacity.
 *
 * <p><b>Life.</b> After {@link #close()}, putting throws {@link IllegalStateException}. Every
 * record whose putting has returned can still be taken; after the last, {@code poll}, timed or not,
 * returns null, and {@code take} throws {@link IllegalStateException}. The memory is freed a second
 * after the queue was closed and its last record taken, or once the queue is unreachable.
 *
 * <p><b>What differs from the JDK's queues.</b>
 *
 * <ul>
 *   <li>What is taken is a copy: a record equal to the one that was put, never the same object.
 *   <li>The capacity is a power of two, and all memory is taken at construction.
 *   <li>There is a {@link #close()}; a closed queue throws {@link IllegalStateException} to
 *       producers, and from {@code take} once it is empty.
 *   <li>Only the oldest record can be removed: {@code remove(Object)}, {@code removeIf}, {@code
 *       removeAll}, {@code retainAll} and the iterator's {@code remove} throw {@link
 *       UnsupportedOperationException}.
 *   <li>It is not {@link java.io.Serializable}, for its memory is of this process.
 *   <li>Waiting threads get records and slots in no order: there is no {@code fair}.
 *   <li>{@link #iterator} and streams go over copies made when they are asked for.
 *   <li>{@code equals} and {@code hashCode} are those of the object, as with the JDK's queues.
 * </ul>
 *
 * <p><b>Cost.</b> O(1) for a record; {@code offer} allocates nothing (an array for a record of more
 * than some hundred components), taking allocates the record. {@link #peek}, {@link #iterator} and
 * {@link #contains} copy what they show. {@link #close} takes tens of microseconds. For no
 * allocation at all, and for runs of records, use {@link MpmcQueue} and its siblings with a
 * flyweight.
 *
 * @param <E> the record
 * @since 0.1.0
 */
public abstract class RecordQueue<E extends Record> extends AbstractQueue<E>
    implements BlockingQueue<E>, AutoCloseable {
  /*
   * This is what all records share, the slow half. The fast half is RecordQueueTemplate, of which
   * each type of record gets a class of its own, so that its handles are constants and its profile is
   * its own.
   */

  private static final Cleaner CLEANER = Cleaner.create();

  /** Returned instead of an offset: a record was kept aside. */
  static final long ASIDE_FOUND = -4;

  final OffHeapQueue<?> queue;

  @SuppressWarnings("unused") // through ASIDE
  private Aside aside;

  @SuppressWarnings("unused") // through FREEING
  private boolean freeing;

  /** A record that was taken and could not be handed over, above those that were so before. */
  private record Aside(Record element, Aside below) {}

  /** Only for the classes made of {@link RecordQueueTemplate}. */
  RecordQueue(OffHeapQueue<?> queue) {
    this.queue = queue;
    CLEANER.register(this, new Remains(queue));
  }

  /** What is freed once the queue is unreachable; so it must not reach the queue. */
  private record Remains(OffHeapQueue<?> queue) implements Runnable {
    @Override
    public void run() {
      queue.abandon();
    }
  }

  // ---- factories ----

  /**
   * Makes a queue for any number of threads on both sides, with the default options.
   *
   * @param <E> the record
   * @param type its class
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not such a number, or the record cannot be
   *     mapped
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <E extends Record> RecordQueue<E> of(Class<E> type, int capacity) {
    return of(RecordCodec.of(type), QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue for any number of threads on both sides.
   *
   * @param <E> the record
   * @param codec maps the record; one is for many queues
   * @param options the capacity, how each side waits, and the stall limit; the strategies have no
   *     time limit, for the operations have their own, and a full queue waits
   * @return the queue
   * @throws IllegalArgumentException if the options say otherwise
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <E extends Record> RecordQueue<E> of(RecordCodec<E> codec, QueueOptions options) {
    RecordLayout layout = Checks.notNull("codec", codec).layout();
    return RecordQueueClasses.make(
        codec, MpmcQueue.of(checked(options), memory -> new View(layout, memory)));
  }

  /**
   * Makes a queue for any number of producers and one consumer, with the default options.
   *
   * @param <E> the record
   * @param type its class
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException as {@link #of(Class, int)}
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <E extends Record> RecordQueue<E> mpsc(Class<E> type, int capacity) {
    return mpsc(RecordCodec.of(type), QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue for any number of producers and one consumer.
   *
   * @param <E> the record
   * @param codec maps the record
   * @param options as for {@link #of(RecordCodec, QueueOptions)}
   * @return the queue
   * @throws IllegalArgumentException as {@link #of(RecordCodec, QueueOptions)}
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <E extends Record> RecordQueue<E> mpsc(RecordCodec<E> codec, QueueOptions options) {
    RecordLayout layout = Checks.notNull("codec", codec).layout();
    return RecordQueueClasses.make(
        codec, MpscQueue.of(checked(options), memory -> new View(layout, memory)));
  }

  /**
   * Makes a queue for one producer and one consumer, with the default options.
   *
   * @param <E> the record
   * @param type its class
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException as {@link #of(Class, int)}
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <E extends Record> RecordQueue<E> spsc(Class<E> type, int capacity) {
    return spsc(RecordCodec.of(type), QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue for one producer and one consumer.
   *
   * @param <E> the record
   * @param codec maps the record
   * @param options as for {@link #of(RecordCodec, QueueOptions)}, but without a stall limit
   * @return the queue
   * @throws IllegalArgumentException as {@link #of(RecordCodec, QueueOptions)}
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <E extends Record> RecordQueue<E> spsc(RecordCodec<E> codec, QueueOptions options) {
    RecordLayout layout = Checks.notNull("codec", codec).layout();
    return RecordQueueClasses.make(
        codec, SpscQueue.of(checked(options), memory -> new View(layout, memory)));
  }

  /** The contract of {@link BlockingQueue} has no place for what these would do. */
  private static QueueOptions checked(QueueOptions options) {
    if (Checks.notNull("options", options).whenFull() != QueueOptions.WhenFull.WAIT) {
      throw new IllegalArgumentException(
          "whenFull must be WAIT in a RecordQueue: whenFull=" + options.whenFull());
    }
    checkLimit("producerWaits", options.producerWaits());
    checkLimit("consumerWaits", options.consumerWaits());
    return options;
  }

  private static void checkLimit(String name, WaitStrategy strategy) {
    if (strategy.timeLimitNanos() != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          name + " must have no time limit in a RecordQueue: " + name + "=" + strategy);
    }
  }

  /** A place in memory, and the layout of what is there. */
  private static final class View extends Flyweight {
    View(RecordLayout layout, MemorySegment memory) {
      super(layout, memory);
    }
  }

  // ---- where the fast half has to wait ----

  /**
   * Claims a slot, or finds beyond doubt that there is none.
   *
   * @param answer what a claim said that got none
   * @return its offset, or {@link OffHeapQueue#FULL}
   * @throws IllegalStateException if the queue is closed
   */
  final long claimStrictly(long answer) {
    Waiters waiters = queue.producerWaiters;
    boolean interrupted = false;
    long step = 0;
    try {
      long offset = answer;
      while (true) {
        checkOpen(offset);
        if (offset >= 0 || queue.isFull()) {
          return offset;
        }
        try {
          step = waiters.pause(step, WaitStrategy.FOREVER);
        } catch (InterruptedException e) {
          interrupted = true; // for whoever called, later
        }
        offset = queue.tryClaim();
      }
    } finally {
      waiters.leave(step);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits for a slot.
   *
   * @return its offset, or {@link OffHeapQueue#FULL} if the time passed
   * @throws IllegalStateException if the queue is closed
   */
  final long awaitClaim(long answer, long limitNanos) throws InterruptedException {
    Waiters waiters = queue.producerWaiters;
    long deadline = Waiters.deadline(limitNanos);
    long offset = answer;
    long step = 0;
    try {
      checkOpen(offset);
      while (offset < 0) {
        step = waiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return OffHeapQueue.FULL;
        }
        offset = queue.tryClaim();
        checkOpen(offset);
      }
      return offset;
    } finally {
      waiters.leave(step);
    }
  }

  private void checkOpen(long answer) {
    if (answer == OffHeapQueue.CLOSED) {
      throw closed();
    }
  }

  final IllegalStateException closed() {
    return new IllegalStateException("queue is closed: capacity=" + queue.capacity());
  }

  /** The forms that may wait answer an interrupt also when they need not, as those of the JDK. */
  static void checkInterrupt() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /**
   * Takes a record, or finds beyond doubt that there is none.
   *
   * @param answer what a poll said that got none
   * @return its offset, or {@link OffHeapQueue#EMPTY} or {@link OffHeapQueue#CLOSED}
   */
  final long pollStrictly(long answer) {
    Waiters waiters = queue.consumerWaiters;
    boolean interrupted = false;
    long step = 0;
    try {
      long offset = answer;
      while (offset == OffHeapQueue.EMPTY && !queue.isDrained() && !queue.isEmpty()) {
        try {
          step = waiters.pause(step, WaitStrategy.FOREVER);
        } catch (InterruptedException e) {
          interrupted = true; // for whoever called, later
        }
        offset = queue.tryPoll();
      }
      return offset;
    } finally {
      waiters.leave(step);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Waits for a record.
   *
   * @return its offset, or {@link OffHeapQueue#EMPTY} if the time passed, {@link
   *     OffHeapQueue#CLOSED} if the queue is closed and drained, or {@link #ASIDE_FOUND}
   */
  final long awaitPoll(long answer, long limitNanos) throws InterruptedException {
    Waiters waiters = queue.consumerWaiters;
    long deadline = Waiters.deadline(limitNanos);
    long offset = answer;
    long step = 0;
    try {
      while (offset == OffHeapQueue.EMPTY) {
        step = waiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return OffHeapQueue.EMPTY;
        }
        offset = hasAside() ? ASIDE_FOUND : queue.tryPoll();
      }
      return offset;
    } finally {
      waiters.leave(step);
    }
  }

  // ---- records kept aside ----

  /*
   * A ring takes nothing back. So a record that drainTo has taken, and whose target threw, is kept
   * here: the next poll has it. The stack is empty nearly always, and one read tells.
   *
   * A  ASIDE.weakCompareAndSetRelease in keepAside  ->  ASIDE.getAcquire in  what was done before
   *                                                      newestAside         the record was put
   */

  final boolean hasAside() {
    return (Aside) ASIDE.getOpaque(this) != null; // opaque: who takes it looks again
  }

  private Aside newestAside() {
    return (Aside) ASIDE.getAcquire(this); // acquire A: the records
  }

  /** Keeps a record for the next consumer. */
  final void keepAside(E element) {
    Aside below;
    do {
      below = (Aside) ASIDE.getOpaque(this); // opaque: the exchange carries on its release
    } while (!ASIDE.weakCompareAndSetRelease(this, below, new Aside(element, below))); // release A
    queue.signalConsumers();
  }

  /** Takes a record that was kept aside; null if there is none. */
  final E takeAside() {
    Aside top;
    do {
      top = newestAside();
      if (top == null) {
        return null;
      }
      // atomic: one takes it; the exchange carries on the release of those below
    } while (!ASIDE.weakCompareAndSetPlain(this, top, top.below()));
    return elementOf(top);
  }

  @SuppressWarnings("unchecked") // as it was kept
  private E elementOf(Aside aside) {
    return (E) aside.element();
  }

  // ---- looks ----

  /** The record at an offset. */
  abstract E read(MemorySegment memory, long offset);

  /**
   * The oldest record, which stays. It is copied and looked at again, until it was there all the
   * while.
   */
  @Override
  public final E peek() {
    Aside next = newestAside();
    if (next != null) {
      return elementOf(next);
    }
    try (Arena arena = Arena.ofConfined()) { // on the heap it would blur the reader's profile
      MemorySegment copy = arena.allocate(queue.strideBytes, NativeMemory.ALIGNMENT_BYTES);
      return queue.copyOldest(copy) ? read(copy, Ring.STAMP_BYTES) : null;
    }
  }

  @Override
  public final int size() {
    int size = queue.sizeEstimate();
    for (Aside one = newestAside(); one != null; one = one.below()) {
      size++;
    }
    return size;
  }

  @Override
  public final boolean isEmpty() {
    return queue.wasEmpty() && !hasAside();
  }

  /**
   * How many records more would fit just now, as {@link #size} tells.
   *
   * @return the capacity less the size
   */
  @Override
  public final int remainingCapacity() {
    return Math.max(0, queue.capacity() - size());
  }

  /** Iterates over records that were there at the call; it cannot remove them. */
  @Override
  public final Iterator<E> iterator() {
    return Collections.unmodifiableList(copies()).iterator();
  }

  /** Its size is not known, and it may be used while others put and take. */
  @Override
  public final Spliterator<E> spliterator() {
    return Spliterators.spliteratorUnknownSize(
        iterator(), Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.CONCURRENT);
  }

  private List<E> copies() {
    List<E> copies = new ArrayList<>();
    forEachCopy(copies::add);
    return copies;
  }

  /** Tells whether an equal record is there. */
  @Override
  public final boolean contains(Object element) {
    boolean[] found = new boolean[1];
    if (element != null) {
      forEachCopy(
          copy -> {
            found[0] = element.equals(copy);
            return !found[0];
          });
    }
    return found[0];
  }

  /** Shows the records, oldest first, until the viewer wants no more. */
  private void forEachCopy(Predicate<E> viewer) {
    for (Aside one = newestAside(); one != null; one = one.below()) {
      if (!viewer.test(elementOf(one))) {
        return;
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(queue.strideBytes, NativeMemory.ALIGNMENT_BYTES);
      queue.copyEach(copy, () -> viewer.test(read(copy, Ring.STAMP_BYTES)));
    }
  }

  // ---- what a ring cannot do ----

  /** Always throws: a ring cannot remove from its midst. */
  @Override
  public final boolean remove(Object element) {
    throw unsupported("remove(Object)");
  }

  /** Always throws: a ring cannot remove from its midst. */
  @Override
  public final boolean removeIf(Predicate<? super E> filter) {
    throw unsupported("removeIf");
  }

  /** Always throws: a ring cannot remove from its midst. */
  @Override
  public final boolean removeAll(Collection<?> elements) {
    throw unsupported("removeAll");
  }

  /** Always throws: a ring cannot remove from its midst. */
  @Override
  public final boolean retainAll(Collection<?> elements) {
    throw unsupported("retainAll");
  }

  private static UnsupportedOperationException unsupported(String operation) {
    return new UnsupportedOperationException(
        operation + " must not be called: a ring gives out its oldest record only");
  }

  // ---- end ----

  /**
   * Closes the queue to producers. A putting that overlaps this call either returns, and its record
   * can be taken, or throws that the queue is closed. All records that were put can still be taken.
   * A second call does nothing.
   *
   * <p>With one producer it takes tens of microseconds, more on a busy machine: the producer leaves
   * it to this call to find out what it has begun.
   */
  @Override
  public final void close() {
    queue.completeExactly();
    queue.endIfConsumed();
    freeIfDrained();
  }

  /**
   * Frees the memory, once, if all is taken and nothing more can come. Not at once: threads may be
   * amid a last look at it, which the JDK would cut short by an exception and an interrupt.
   */
  final void freeIfDrained() {
    // atomic: one of them frees it
    if (queue.isDrained() && !(boolean) FREEING.getAndSetAcquire(this, true)) {
      Jvm.runLater(new Remains(queue));
    }
  }

  private static final VarHandle ASIDE = field("aside", Aside.class);
  private static final VarHandle FREEING = field("freeing", boolean.class);

  private static VarHandle field(String name, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, RecordQueue.class, type)
        .withInvokeExactBehavior();
  }
}
