package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.Flyweight;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * The events that a handler gets in one call. A batch never goes past the end of the ring.
 *
 * {@snippet file="Examples.java" region="batch"}
 *
 * <p>In a {@link RecordRing} all events of a batch share one view, which {@link #at} and {@link
 * #next()} move: copy out whatever must outlive it. Events may be changed in place, for later
 * stages. Events that the handler does not visit count as handled.
 *
 * <p><b>Failure.</b> The event that {@code at} or {@code next} moved to last is the current one: an
 * exception of the handler counts as a failure of that event, or of the first one if there is no
 * current one yet. The handler is then called again with the rest of the batch: from that event on
 * if it is retried, otherwise with those after it. So take events in their order.
 *
 * <p><b>Roles.</b> Used only by its worker's thread, while the handler runs.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Batch<E> {
  private final Flyweight view; // an E; null in a ring of objects
  private final Ring ring; // null in a ring of objects
  private final Object[] events; // null in a ring of records

  /**
   * Everything that changes with each event or batch; padded, because batches of different threads
   * may be adjacent on the heap. Next is the index after the current event, end the size, and limit
   * the sequence of the first event.
   */
  private final Cursor own = new Cursor();

  // where workers share events by key: the distances of this worker's events from the first
  private int[] picked;
  private ToLongFunction<? super E> key;
  private int worker;
  private int workers;
  private int pickedFrom; // which of them is the batch's first; more than 0 only after a failure
  private Throwable keyFailure; // what the key function threw for the event after the batch

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

  /** Leaves only the events whose keys are this worker's. */
  void pick(ToLongFunction<? super E> byKey, int ofWorker, int ofWorkers, int largest) {
    key = byKey;
    worker = ofWorker;
    workers = ofWorkers;
    picked = new int[largest];
  }

  /**
   * Begins a batch.
   *
   * @return how many events were examined: all of them, or those before one whose key function
   *     throws, see {@link #keyFailure}
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

  /** What the key function threw for the event after those of the batch; null if nothing. */
  Throwable keyFailure() {
    return keyFailure;
  }

  /** Whether this worker is the one that reports an event whose key function throws. */
  boolean isReporterOf(long sequence) {
    return workerOf(sequence, workers) == worker;
  }

  /** The worker that handles a key; near keys go far apart. */
  private static int workerOf(long key, int workers) {
    long spread = (key * 0x9E3779B97F4A7C15L) >>> 32;
    return (int) ((spread * workers) >>> 32);
  }

  /**
   * Moves to an event of the batch.
   *
   * @param index which, from 0
   * @return the event
   * @throws IndexOutOfBoundsException if the batch has no such event
   */
  public E at(int index) {
    Objects.checkIndex(index, own.end());
    own.next(index + 1);
    return eventAt(picked == null ? index : distanceOf(index));
  }

  /** The event at a distance from the first sequence. */
  @SuppressWarnings("unchecked") // of the ring that made it
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
   * @return false if there is none
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
   * The event that {@link #next()} or {@link #at} moved to. For records it is always the same view.
   *
   * @return the event; meaningless before the first such call
   */
  @SuppressWarnings("unchecked") // of the ring that made it
  public E event() {
    return view != null ? (E) view : (E) events[(int) sequence() & (events.length - 1)];
  }

  /**
   * The sequence of the event that {@link #next()} or {@link #at} moved to.
   *
   * @return the sequence; meaningless before the first such call
   */
  public long sequence() {
    return sequenceOf(inHand());
  }

  private long sequenceOf(long index) {
    return own.limit() + (picked == null ? index : distanceOf(index));
  }

  /**
   * Whether the event that {@link #next()} or {@link #at} moved to is the last of the batch.
   *
   * @return whether {@code next()} would return false
   */
  public boolean isLast() {
    return remaining() == 0;
  }

  /**
   * How many events are left.
   *
   * @return how often {@link #next()} will return true
   */
  public int remaining() {
    return (int) (own.end() - own.next());
  }

  /**
   * How many events the batch has.
   *
   * @return the number, at least 1
   */
  public int size() {
    return (int) own.end();
  }

  /** The index of the current event; of the first if the handler has not reached one. */
  private long inHand() {
    return Math.max(0, own.next() - 1);
  }

  /** Keeps only the rest of the batch, with or without the event whose handler failed. */
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
