package dev.millrace.disruptor;

import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.Flyweight;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * The events that a stage handles in one go. They are adjacent in the ring: a batch never goes past
 * its end.
 *
 * <pre>{@code
 * pipeline.stage("candles").handledBy(batch -> {
 *   for (int i = 0; i < batch.size(); i++) {
 *     Trade trade = batch.at(i);                      // the fastest way
 *     candle.add(trade.price(), trade.volume());
 *   }
 *   candle.flush();                                   // the end of the batch
 * });
 *
 * pipeline.stage("candles").handledBy(batch -> {
 *   while (batch.next()) {                            // the same, as a walk
 *     candle.add(batch.event().price(), batch.event().volume());
 *   }
 *   candle.flush();
 * });
 * }</pre>
 *
 * <p>In a {@link RecordRing} all events of a batch are one view, which {@link #at} and {@link
 * #next()} move: what shall outlive it must be copied out. Events may be changed in place, for the
 * stages behind. What the handler leaves of a batch, it is taken to have handled.
 *
 * <p><b>Failure.</b> The event that {@code at} or {@code next} moved to last is the one in hand: an
 * exception of the handler counts as one of that event, or of the first before there was any. After
 * it the handler is called again with a batch of what is left: from that event on if it is tried
 * again, else of those behind it. Take events in their order, therefore.
 *
 * <p><b>Roles.</b> Belongs to its worker's thread, while the handler runs.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Batch<E> {
  private final Flyweight view; // an E; null in a ring of objects
  private final Ring ring; // null in a ring of objects
  private final Object[] events; // null in a ring of records

  /**
   * All that changes with each event or batch, padded, for batches of different threads may lie
   * side by side on the heap: next is the index behind the event in hand, end the size, and the
   * limit the sequence of the first event.
   */
  private final Cursor own = new Cursor();

  // of a worker that handles the events of certain keys: their distances from the first
  private int[] picked;
  private ToLongFunction<? super E> key;
  private int worker;
  private int workers;
  private int pickedFrom; // which of them is the batch's first; more than 0 only after a failure
  private Throwable keyFailure; // what the key function threw for the event behind the batch

  /** Makes one of records. */
  Batch(Ring ring, E view) {
    this.ring = ring;
    this.view = (Flyweight) view;
    this.events = null;
  }

  /** Makes one of objects. */
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
   * @return how many events were looked at: all of them, or those before one whose key function
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

  /** What the key function threw for the event behind those of the batch; null if nothing. */
  Throwable keyFailure() {
    return keyFailure;
  }

  /** Whether this worker is the one that answers for an event whose key function throws. */
  boolean answersFor(long sequence) {
    return workerOf(sequence, workers) == worker;
  }

  /** Which worker handles a key: near keys go far apart. */
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
   * The event that {@link #next()} or {@link #at} moved to. Of records it is the same view all
   * along.
   *
   * @return the event; before the first such call meaningless
   */
  @SuppressWarnings("unchecked") // of the ring that made it
  public E event() {
    return view != null ? (E) view : (E) events[(int) sequence() & (events.length - 1)];
  }

  /**
   * The sequence of the event that {@link #next()} or {@link #at} moved to.
   *
   * @return the sequence; before the first such call meaningless
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

  /** The index of the event in hand; of the first if the handler did not get to one. */
  private long inHand() {
    return Math.max(0, own.next() - 1);
  }

  /** Becomes what is left, with or without the event whose handler failed. */
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
