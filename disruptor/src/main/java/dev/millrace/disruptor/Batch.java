package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.Flyweight;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The events that a handler gets in one call. A batch never wraps around the end of the ring.
 *
 * {@snippet file="Examples.java" region="batch"}
 *
 * <p>In a {@link RecordRing}, all events of a batch share one view, which {@link #at} and {@link
 * #next()} move. Before the view moves on, copy whatever you still need. A handler may change
 * events in place, and later stages see the changes. Events that the handler does not visit count
 * as handled.
 *
 * <p><b>Failure.</b> The current event is the event to which {@code at} or {@code next} moved last.
 * If the handler has called neither method, the first event is current. If the handler throws an
 * exception, the current event has failed. If the stage retries the event, the worker calls the
 * handler again with that event and the rest of the batch. If the stage skips the event, the worker
 * calls the handler again with the events after it, if any are left. If the stage neither retries
 * nor skips the event, the pipeline stops. Events before the failed one count as handled, so handle
 * events in order.
 *
 * <p><b>Roles.</b> Only the worker's thread may use a batch, and only while the handler runs.
 *
 * @param <E> the events
 * @since 0.1.0
 */
@SuppressWarnings("NullAway") // a batch of records has no array, one of objects no view
public final class Batch<E> {
  private final Flyweight view; // an E; null in a ring of objects
  private final Ring ring; // null in a ring of objects
  private final Object[] events; // null in a ring of records

  /**
   * Holds everything that changes with each event or batch. It is padded, because batches of
   * different threads may be adjacent on the heap. In it, next is the index after the current
   * event, end is the size, and limit is the sequence of the first event.
   */
  private final Cursor own = new Cursor();

  // if workers share events by key: the distances of this worker's events from the first event
  private int[] picked;
  private ToLongFunction<? super E> key;
  private int worker;
  private int workers;
  private int pickedFrom; // index in picked of the batch's first event; 0 unless one failed
  private Throwable keyFailure; // thrown by the key function for the event after the batch

  /** Makes a batch of records. */
  Batch(Ring ring, E view) {
    this.ring = ring;
    this.view = (Flyweight) view;
    this.events = null;
  }

  /** Makes a batch of objects. */
  Batch(Object[] events) {
    this.ring = null;
    this.view = null;
    this.events = events;
  }

  /** Makes batches contain only the events whose keys belong to this worker. */
  void pick(ToLongFunction<? super E> byKey, int ofWorker, int ofWorkers, int largest) {
    key = byKey;
    worker = ofWorker;
    workers = ofWorkers;
    picked = new int[largest];
  }

  /**
   * Begins a batch.
   *
   * @return how many events were examined: all of them, or those before the first one whose key
   *     function throws; see {@link #keyFailure}
   */
  int begin(long sequence, int count) {
    own.limit(sequence);
    own.next(0);
    if (picked == null) {
      own.end(count);
      return count;
    }
    return pickAmong(count);
  }

  private int pickAmong(int count) {
    keyFailure = null;
    pickedFrom = 0;
    int found = 0;
    int distance = 0;
    try {
      while (distance < count) {
        if (workerOf(key.applyAsLong(eventAt(distance)), workers) == worker) {
          picked[found++] = distance;
        }
        distance++;
      }
    } catch (Throwable e) {
      keyFailure = e;
    }
    own.end(found);
    return distance;
  }

  /**
   * Returns what the key function threw for the event after the batch, or null if it threw nothing.
   */
  @Nullable Throwable keyFailure() {
    return keyFailure;
  }

  /**
   * Returns whether this worker reports the event at {@code sequence} if its key function throws.
   */
  boolean isReporterOf(long sequence) {
    return workerOf(sequence, workers) == worker;
  }

  /** Returns the worker that handles {@code key}. Neighbouring keys go to workers far apart. */
  private static int workerOf(long key, int workers) {
    long spread = (key * 0x9E3779B97F4A7C15L) >>> 32;
    return (int) ((spread * workers) >>> 32);
  }

  /**
   * Moves to an event of the batch.
   *
   * @param index the index of the event, from 0
   * @return the event
   * @throws IndexOutOfBoundsException if the batch has no such event
   */
  public E at(int index) {
    Objects.checkIndex(index, own.end());
    own.next(index + 1);
    return eventAt(picked == null ? index : distanceOf(index));
  }

  /** Returns the event whose sequence is {@code distance} after the first. */
  @SuppressWarnings("unchecked") // the ring that made the batch holds only Es
  private E eventAt(int distance) {
    if (view == null) {
      return (E) events[(int) own.limit() + distance & (events.length - 1)];
    }
    view.moveTo(ring.recordOffset(own.limit()) + ring.distance(distance));
    return (E) view;
  }

  private int distanceOf(long index) {
    return picked[pickedFrom + (int) index];
  }

  /**
   * Moves on to the next event.
   *
   * @return false if there is no further event
   */
  public boolean next() {
    long next = own.next();
    if (next == own.end()) {
      return false;
    }
    at((int) next);
    return true;
  }

  /**
   * Returns the event that {@link #next()} or {@link #at} moved to. In a {@link RecordRing}, the
   * method always returns the same view.
   *
   * @return the event, which is meaningless before the first call to {@link #next()} or {@link #at}
   */
  @SuppressWarnings("unchecked") // the ring that made the batch holds only Es
  public E event() {
    return view != null ? (E) view : (E) events[(int) sequence() & (events.length - 1)];
  }

  /**
   * Returns the sequence of the event that {@link #next()} or {@link #at} moved to.
   *
   * @return the sequence, which is meaningless before the first call to {@link #next()} or {@link
   *     #at}
   */
  public long sequence() {
    return sequenceOf(inHand());
  }

  private long sequenceOf(long index) {
    return own.limit() + (picked == null ? index : distanceOf(index));
  }

  /**
   * Returns whether the event that {@link #next()} or {@link #at} moved to is the last one in the
   * batch.
   *
   * @return whether {@code next()} would return false
   */
  public boolean isLast() {
    return remaining() == 0;
  }

  /**
   * Returns how many events {@link #next()} can still move to.
   *
   * @return how many more times {@link #next()} will return true
   */
  public int remaining() {
    return (int) (own.end() - own.next());
  }

  /**
   * Returns how many events the batch has.
   *
   * @return the number, at least 1
   */
  public int size() {
    return (int) own.end();
  }

  /** Returns the index of the current event, or 0 if the handler has not moved to any. */
  private long inHand() {
    return Math.max(0, own.next() - 1);
  }

  /**
   * Keeps only the rest of the batch after the current event failed, with or without that event.
   */
  void goOn(boolean withFailed) {
    long count = withFailed ? inHand() : inHand() + 1;
    if (picked == null) {
      own.limit(own.limit() + count);
    } else {
      pickedFrom += (int) count;
    }
    own.end(own.end() - count);
    own.next(0);
  }
}
