package dev.millrace.queues;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * The fast half of a {@link RecordQueue}. Never used itself: {@link RecordQueueClasses} defines it
 * anew, as a hidden class, for each type of record and kind of queue. So the handles are constants
 * of the class, the queue's kind is known to the compiler, and what it learns of one type of record
 * is not blurred by the others.
 */
final class RecordQueueTemplate<E extends Record> extends RecordQueue<E> {
  private static final long AT_ONCE = -1; // instead of a time limit

  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final RecordQueueClasses.Parts PARTS = parts();
  private static final Class<?> KIND = PARTS.kind();
  private static final MethodHandle WRITE = writer();
  private static final MethodHandle READ = PARTS.codec().reader();

  RecordQueueTemplate(OffHeapQueue<?> queue) {
    super(queue);
  }

  private static RecordQueueClasses.Parts parts() {
    try {
      return MethodHandles.classData(LOOKUP, "_", RecordQueueClasses.Parts.class);
    } catch (IllegalAccessException e) {
      throw new LinkageError("the template must be defined with class data", e);
    }
  }

  /** Reads the record, then claims, then writes what was read: {@link #claim} is in its midst. */
  private static MethodHandle writer() {
    try {
      // by the lookup's class, for the template's name means the template itself
      Class<?> own = LOOKUP.lookupClass();
      MethodHandle claim =
          LOOKUP.findVirtual(own, "claim", MethodType.methodType(long.class, long.class));
      MethodHandle memory =
          LOOKUP.findVirtual(own, "memory", MethodType.methodType(MemorySegment.class));
      return PARTS
          .codec()
          .writerTo(
              claim.asType(claim.type().changeParameterType(0, RecordQueue.class)),
              memory.asType(memory.type().changeParameterType(0, RecordQueue.class)));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the template must have its methods", e);
    }
  }

  /** The queue, as one of its kind: a constant class, so that calls of it are direct. */
  private OffHeapQueue<?> own() {
    return (OffHeapQueue<?>) KIND.cast(queue);
  }

  // ---- producers ----

  @Override
  public boolean offer(E element) {
    try {
      return offer(element, AT_ONCE);
    } catch (InterruptedException e) {
      throw new AssertionError(e); // it does not wait
    }
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
    return offer(element, limitNanos <= 0 ? AT_ONCE : limitNanos);
  }

  private boolean offer(E element, long limitNanos) throws InterruptedException {
    Checks.notNull("element", element);
    try {
      OffHeapQueue<?> own = own();
      while (true) {
        long offset = write(element, limitNanos);
        if (offset < 0) {
          return false;
        }
        if (own.commit(offset)) {
          return true;
        } // else the claim had been given up
      }
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Claims a slot and writes the record there; returns its offset, or less than 0 if full. */
  private long write(E element, long limitNanos) throws InterruptedException {
    try {
      return (long) WRITE.invokeExact((RecordQueue<?>) this, limitNanos, (Object) element);
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /** Called by {@link #WRITE} once the record's components are read. */
  long claim(long limitNanos) throws InterruptedException {
    long offset = own().tryClaim();
    if (offset >= 0) {
      return offset;
    }
    return limitNanos == AT_ONCE ? claimStrictly(offset) : awaitClaim(offset, limitNanos);
  }

  /** Where it writes them. */
  MemorySegment memory() {
    return own().memory();
  }

  // ---- consumers ----

  @Override
  public E poll() {
    try {
      OffHeapQueue<?> own = own();
      E aside = hasAside() ? takeAside() : null;
      if (aside != null) {
        return aside;
      }
      long offset = own.tryPoll();
      if (offset < 0) {
        offset = pollStrictly(offset);
      }
      return offset < 0 ? none() : taken(own, offset);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private E none() {
    freeIfDrained();
    return null;
  }

  @Override
  public E take() throws InterruptedException {
    E element = poll(WaitStrategy.FOREVER);
    if (element == null) {
      throw closed();
    }
    return element;
  }

  @Override
  public E poll(long timeout, TimeUnit unit) throws InterruptedException {
    return poll(Checks.notNull("unit", unit).toNanos(timeout));
  }

  /** Takes a record; null if the time has passed, or the queue is closed and drained. */
  private E poll(long limitNanos) throws InterruptedException {
    checkInterrupt();
    if (limitNanos <= 0) {
      return poll();
    }
    try {
      OffHeapQueue<?> own = own();
      while (true) {
        E aside = hasAside() ? takeAside() : null;
        if (aside != null) {
          return aside;
        }
        long offset = own.tryPoll();
        if (offset < 0) {
          offset = awaitPoll(offset, limitNanos);
        }
        if (offset != ASIDE_FOUND) {
          return offset < 0 ? none() : taken(own, offset);
        } // else another may be faster, and the time begins anew
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
  @SuppressWarnings("ReferenceEquality") // itself, not one that has the same
  public int drainTo(Collection<? super E> target, int limit) {
    Checks.notNull("target", target);
    if (target == this) {
      throw new IllegalArgumentException("target must be another collection: target=this");
    }
    int most = Math.min(limit, size()); // or it might never end while producers keep up
    int count = 0;
    while (count < most) {
      E element = poll();
      if (element == null) {
        break;
      }
      try {
        target.add(element);
      } catch (Throwable e) {
        keepAside(element);
        throw e;
      }
      count++;
    }
    return count;
  }

  /** What was polled; its slot is free afterwards, whatever happens. */
  private E taken(OffHeapQueue<?> own, long offset) {
    try {
      return read(own.memory(), offset);
    } finally {
      own.release(offset);
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
    // neither accessors nor constructors of records can declare others
    return thrown instanceof RuntimeException e ? e : new IllegalStateException(thrown);
  }
}
