package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Function;

/** What a queue is made of, and its life: open, closed to producers, drained, freed. */
abstract sealed class QueueLife<F extends Flyweight> implements AutoCloseable
    permits QueueSampling {
  /*
   * A  DRAIN.setRelease in finish, abandon  ->  DRAIN.getAcquire in isDrained  what was done before
   *
   * The JDK interrupts a thread whose access to freed memory it cuts short. So where others may be
   * amid an access when a consumer finds the end, the memory stays until the owner has closed and
   * has looked, in the slots, whether all is consumed. The consumer that finishes and the owner that
   * is through may come at the same time, and each looks for the other: drained and closed are
   * written, a full fence, closed and drained are read.
   *
   * B  CLOSE.setRelease in close  ->  fullFence, CLOSE.getOpaque in finish  one sees the other, and
   *                                                                         the owner's look is over
   */

  final MemorySegment memory;
  final long strideBytes;
  final long mask;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;
  private final boolean signalsProducer;
  private final boolean signalsConsumer;

  /** Finds stalled claims; null if claims may be open for ever. */
  final StallWatch stalls;

  private final NativeMemory owned;
  final Function<MemorySegment, F> flyweights;

  @SuppressWarnings("unused") // through OWNER
  private boolean closing;

  @SuppressWarnings("unused") // through CLOSE
  private boolean closed;

  @SuppressWarnings("unused") // through DRAIN
  private boolean drained;

  @SuppressWarnings("unused") // through FREE
  private boolean freed;

  QueueLife(
      QueueOptions options,
      Function<MemorySegment, F> flyweights,
      boolean oneProducer,
      boolean oneConsumer) {
    Checks.notNull("options", options);
    Checks.powerOfTwoCapacity(options.capacity());
    Checks.notNull("flyweights", flyweights);
    F sample = Checks.notNull("flyweight", flyweights.apply(MemorySegment.NULL));
    this.flyweights = flyweights;
    this.strideBytes = Ring.strideBytes(sample.layout().sizeBytes());
    this.mask = options.capacity() - 1L;
    // who looks for stalled claims must not sleep for longer than a look is worth
    this.stalls =
        options.stallNanos() == WaitStrategy.FOREVER ? null : new StallWatch(options.stallNanos());
    long rest = stalls == null ? WaitStrategy.FOREVER : stalls.lookNanos();
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    this.consumerWaiters = new Waiters(options.consumerWaits(), oneConsumer, rest);
    this.signalsProducer = producerWaiters.needSignals();
    this.signalsConsumer = consumerWaiters.needSignals();
    this.owned = NativeMemory.allocate(options.capacity() * strideBytes);
    this.memory = owned.segment();
  }

  /**
   * Makes a flyweight for one thread.
   *
   * @return the flyweight, on no record: every access throws {@link IndexOutOfBoundsException}
   *     until it is moved onto one
   * @throws IllegalStateException if the memory is freed
   */
  public final F newFlyweight() {
    if (isDrained()) {
      throw new IllegalStateException("queue must not be drained: " + this);
    }
    F flyweight = flyweights.apply(memory);
    flyweight.slots(Ring.STAMP_BYTES, strideBytes, capacity());
    flyweight.moveTo(Ring.NOWHERE); // slots() moves to the first, which may hold a record
    return flyweight;
  }

  final void checkOwn(F flyweight) {
    checkOn(memory, flyweight);
  }

  /** Refuses a flyweight on other memory, and null, before anything is changed. */
  @SuppressWarnings({
    "ReferenceEquality",
    "MemorySegmentReferenceEquality"
  }) // the very segment that it was made with
  static void checkOn(MemorySegment memory, Flyweight flyweight) {
    if (flyweight.memory() != memory) {
      throw new IllegalArgumentException(
          "flyweight must be made by newFlyweight() of the same: flyweight=" + flyweight);
    }
  }

  /** Checks that a record lies at an offset; returns where its slot begins. */
  final long checkSlot(long recordOffset) {
    long offset = recordOffset - Ring.STAMP_BYTES;
    if (offset < 0 || offset > mask * strideBytes || offset % strideBytes != 0) {
      throw new IllegalArgumentException("offset must be that of a record: offset=" + recordOffset);
    }
    return offset;
  }

  // ---- end ----

  /**
   * Closes the queue to its producers and wakes who waits: the producers' last word. Consumers go
   * on to the last record committed before. May be repeated.
   *
   * <p>Any thread may complete. The kinds say what becomes of a claim that overlaps it.
   */
  public final void complete() {
    closeToProducers();
    wakeAll();
  }

  /**
   * Closes the queue for its owner, once: completes it, and frees the memory if all committed
   * records are consumed. <b>If some are left, it frees nothing</b>: a consumer does when it has
   * drained them, or {@link #abandon()} does.
   *
   * <p>Close after both sides have stopped. A thread that is still at work gets an {@link
   * IllegalStateException} or is told by value, whatever the moment; but the JDK sets the interrupt
   * status of a thread whose access to the memory it cuts short.
   *
   * @throws IllegalStateException if it was closed before
   */
  @Override
  public final void close() {
    // atomic: one close gets through
    if ((boolean) OWNER.getAndSetAcquire(this, true)) {
      throw new IllegalStateException("queue must be closed only once: " + this);
    }
    complete();
    if (!isDrained() && isConsumed()) {
      setDrained();
    }
    freeOnceDrained();
  }

  final void setDrained() {
    DRAIN.setRelease(this, true); // release A: what the look has seen
  }

  private void freeOnceDrained() {
    CLOSE.setRelease(this, true); // release B: what is known of consumers before
    VarHandle.fullFence(); // fence B: closed before the look whether it is drained
    if (isDrained()) {
      freeMemory();
    }
  }

  /**
   * Completes the queue and frees its memory at once; records still in it are lost. For consumers
   * that cannot go on. May be called before or after {@link #close()}, and again; to threads at
   * work it does what {@link #close()} does.
   */
  public final void abandon() {
    closeToProducers();
    DRAIN.setRelease(this, true); // release A: what the caller did before
    try {
      freeMemory();
    } catch (RuntimeException e) {
      DRAIN.setOpaque(this, false); // opaque: lent to I/O, so consumers may go on
      throw e;
    } finally {
      wakeAll();
    }
  }

  /** Lets no claim succeed from now on. */
  abstract void closeToProducers();

  /**
   * Whether no committed record is left, nor in the hands of a consumer; asked after {@link
   * #closeToProducers()}.
   */
  abstract boolean isConsumed();

  /** Whether nobody can be amid an access when a consumer finds the end. */
  abstract boolean freesAtEnd();

  /** Called by a consumer once all is consumed and nothing more can come. */
  final void finish() {
    DRAIN.setRelease(this, true); // release A: all that consumers did
    VarHandle.fullFence(); // fence B: drained before the look whether it is closed
    // opaque: the fence orders it, B
    if (freesAtEnd() || (boolean) CLOSE.getOpaque(this)) {
      freeMemory();
    }
  }

  /** Frees the memory, unless that was done; what still uses it gets an exception. */
  private void freeMemory() {
    // atomic: one of them frees it
    if (!(boolean) FREE.getAndSetRelease(this, true)) {
      try {
        owned.close();
      } catch (RuntimeException e) {
        FREE.setOpaque(this, false); // opaque: lent to I/O, so may be tried again
        throw e;
      }
    }
  }

  /** Wakes producers that rest, once slots are free; costs nothing unless their strategy parks. */
  final void signalProducers() {
    if (signalsProducer) {
      producerWaiters.signal();
    }
  }

  /** Wakes consumers that rest, once a claim has ended. */
  final void signalConsumers() {
    if (signalsConsumer) {
      consumerWaiters.signal();
    }
  }

  final void wakeAll() {
    producerWaiters.signal();
    consumerWaiters.signal();
  }

  /**
   * Whether the queue is closed to its producers.
   *
   * @return whether it was completed, closed or abandoned
   */
  public abstract boolean isClosed();

  /**
   * Whether the end was found: all records are consumed and no more can come, or they were
   * abandoned. What consumers did before happens before this returns true.
   *
   * @return whether consumers can stop
   */
  public final boolean isDrained() {
    return (boolean) DRAIN.getAcquire(this); // acquire A: sees true, hence what consumers did
  }

  /** A look at freed memory finds no record; any other failure is what it is. */
  final boolean noneIfFreed(IllegalStateException e) {
    if (!isDrained()) {
      throw e;
    }
    return false;
  }

  /**
   * The memory of the slots, for use with {@link OffHeapQueue#tryClaim()} and {@link
   * OffHeapQueue#tryPoll()}.
   *
   * @return the segment that offsets refer to
   */
  public final MemorySegment memory() {
    return memory;
  }

  final IllegalStateException noneOpen(String what) {
    return new IllegalStateException(what + " must be open: none is, " + this);
  }

  /** Where the slot of a sequence begins, with its stamp. */
  final long slotOffset(long sequence) {
    return (sequence & mask) * strideBytes;
  }

  final long recordOffset(long sequence) {
    return slotOffset(sequence) + Ring.STAMP_BYTES;
  }

  /**
   * The number of records that fit.
   *
   * @return the capacity
   */
  public final int capacity() {
    return (int) (mask + 1);
  }

  /** About how many records are in the queue. */
  abstract int sizeEstimate();

  /** Returns kind, capacity, size and state, for debugging. */
  @Override
  public final String toString() {
    String state = isDrained() ? "drained" : isClosed() ? "closed" : "open";
    return getClass().getSimpleName()
        + "[capacity="
        + capacity()
        + ", size~"
        + sizeEstimate()
        + ", "
        + state
        + "]";
  }

  private static final VarHandle OWNER = flag("closing");
  private static final VarHandle CLOSE = flag("closed");
  private static final VarHandle DRAIN = flag("drained");
  private static final VarHandle FREE = flag("freed");

  private static VarHandle flag(String name) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, QueueLife.class, boolean.class)
        .withInvokeExactBehavior();
  }
}
