package dev.millrace.queues;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.RingProtocol;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.RecordStore;
import dev.millrace.queues.internal.Spills;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The fast half of a {@link RecordQueue}. This class itself is never used: {@link
 * RecordQueueClasses} defines a copy of it, as a hidden class, for each combination of record type,
 * kind of queue and slot rules. The JIT therefore treats the handles and the kind as constants, and
 * each combination has a profile of its own.
 */
final class RecordQueueTemplate<E> extends RecordQueue<E> {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final RecordQueueClasses.Parts PARTS = parts();
  private static final Class<?> PROTOCOL = PARTS.kind().protocol;
  private static final MethodHandle WRITE = writer();
  private static final MethodHandle READ = PARTS.codec().reader();

  // These are final fields of a hidden class, so the JIT does not reread them after an ordered
  // access.
  private final RingProtocol protocol;
  private final Ring ring;
  private final Spills spills;

  RecordQueueTemplate(RecordStore store) {
    super(store);
    this.protocol = store.protocol;
    this.ring = store.ring;
    this.spills = store.spills;
  }

  private static RecordQueueClasses.Parts parts() {
    try {
      return MethodHandles.classData(LOOKUP, "_", RecordQueueClasses.Parts.class);
    } catch (IllegalAccessException e) {
      throw new LinkageError("the template must be defined with class data", e);
    }
  }

  /**
   * Returns a handle that reads the record, then calls {@link #claim}, then writes what it read.
   */
  private static MethodHandle writer() {
    return PARTS
        .codec()
        .writerTo(
            own("claim", long.class, long.class),
            own("memory", MemorySegment.class),
            own("offset", long.class, long.class),
            own("spill", void.class, long.class, Object.class));
  }

  private static MethodHandle own(String name, Class<?> result, Class<?>... arguments) {
    try {
      // from the lookup's class, because the template's name means the template itself
      MethodHandle method =
          LOOKUP.findVirtual(LOOKUP.lookupClass(), name, MethodType.methodType(result, arguments));
      return method.asType(method.type().changeParameterType(0, RecordQueue.class));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the template must have its methods", e);
    }
  }

  /** Returns the protocol, cast to the constant class, so that calls to it are direct. */
  private RingProtocol protocol() {
    return (RingProtocol) PROTOCOL.cast(protocol);
  }

  // ---- producers ----

  @Override
  public boolean offer(E element) {
    return offer(element, AT_ONCE);
  }

  @Override
  public void put(E element) throws InterruptedException {
    offerInTime(element, WaitStrategy.FOREVER);
  }

  @Override
  public boolean offer(E element, long timeout, TimeUnit unit) throws InterruptedException {
    return offerInTime(element, Checks.notNull("unit", unit).toNanos(timeout));
  }

  private boolean offerInTime(E element, long limitNanos) throws InterruptedException {
    Checks.notNull("element", element);
    checkInterrupt();
    boolean isPut = offer(element, limitNanos);
    if (!isPut) {
      checkInterrupt();
    }
    return isPut;
  }

  private boolean offer(E element, long limitNanos) {
    Checks.notNull("element", element);
    try {
      while (true) {
        long sequence =
            (long) WRITE.invokeExact((RecordQueue<?>) this, limitNanos, (Object) element);
        if (sequence < 0) {
          return false;
        }
        if (store.commit(protocol(), ring, sequence)) {
          return true;
        }
        spills.remove(sequence); // the put exceeded the stall limit: try again
      }
    } catch (Throwable e) {
      throw unchecked(e);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Claims a slot. Called by {@link #WRITE} once the record's components are read. */
  long claim(long limitNanos) {
    long sequence = store.tryClaim(protocol(), ring);
    if (sequence == Ring.NONE) {
      sequence = await(true, limitNanos);
    }
    if (sequence == Ring.CLOSED) {
      throw closed();
    }
    return sequence;
  }

  /** Returns the memory to which {@link #WRITE} writes records. */
  MemorySegment memory() {
    return ring.memory();
  }

  /** Returns the offset at which {@link #WRITE} writes the record with {@code sequence}. */
  long offset(long sequence) {
    return ring.recordOffset(sequence);
  }

  /**
   * Keeps {@code element} on the heap. Called by {@link #WRITE} instead of writing a record if one
   * of its values does not fit.
   */
  void spill(long sequence, Object element) {
    spills.put(sequence, element);
  }

  // ---- consumers ----

  @Override
  public @Nullable E poll() {
    return poll(AT_ONCE);
  }

  @Override
  public E take() throws InterruptedException {
    E element = pollInTime(WaitStrategy.FOREVER);
    if (element == null) {
      throw closed();
    }
    return element;
  }

  @Override
  public @Nullable E poll(long timeout, TimeUnit unit) throws InterruptedException {
    return pollInTime(Checks.notNull("unit", unit).toNanos(timeout));
  }

  private @Nullable E pollInTime(long limitNanos) throws InterruptedException {
    checkInterrupt();
    E element = poll(limitNanos);
    if (element == null) {
      checkInterrupt();
    }
    return element;
  }

  /**
   * Takes a record. Returns null if there is none in time, or if the queue is closed and drained.
   */
  private @Nullable E poll(long limitNanos) {
    try {
      while (true) {
        long sequence = tryPoll(protocol(), ring);
        if (sequence == Ring.NONE) {
          sequence = await(false, limitNanos);
        }
        if (sequence != ASIDE) {
          return sequence >= 0 ? taken(sequence) : null;
        }
        E aside = takeAside();
        if (aside != null) {
          return aside;
        } // otherwise another thread took it: wait again, for the full time
      }
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public int drainTo(Collection<? super E> target) {
    return drainTo(target, Integer.MAX_VALUE);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // identity, not equality
  public int drainTo(Collection<? super E> target, int limit) {
    Checks.notNull("target", target);
    if (target == this) {
      throw new IllegalArgumentException("a queue cannot be drained to itself: target=this");
    }
    int most = Math.min(limit, size()); // otherwise the call might never end while producers put
    int count = 0;
    while (count < most) {
      E element = poll();
      if (element == null) {
        break;
      }
      handOver(element, target);
      count++;
    }
    return count;
  }

  /**
   * Reads the record that was polled at {@code sequence}. Its slot is free afterwards, whatever
   * happens.
   */
  @SuppressWarnings("unchecked") // as it was put
  private E taken(long sequence) {
    Object spilled = spills.find(sequence);
    if (spilled != null) {
      store.release(protocol(), ring, sequence);
      spills.remove(sequence);
      return (E) spilled;
    }
    try {
      return read(ring.memory(), ring.recordOffset(sequence));
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "record is lost, because making it again failed: type="
              + PARTS.codec().type().getName()
              + ", sequence="
              + sequence
              + ", "
              + e,
          e);
    } finally {
      store.release(protocol(), ring, sequence);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // the codec's reader makes them
  E read(MemorySegment memory, long offset) {
    try {
      return (E) (Object) READ.invokeExact(memory, offset);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    // neither accessors nor constructors of records can declare checked exceptions
    return thrown instanceof RuntimeException e ? e : new IllegalStateException(thrown);
  }
}
