package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.Flyweight;
import java.util.function.ToLongFunction;

/**
 * The events that a stage handles in one go: a walk along them.
 *
 * <pre>{@code
 * stage.handledBy(batch -> {
 *   while (batch.next()) {
 *     TradeFlyweight trade = batch.event();
 *     candle.add(trade.price(), trade.volume());
 *   }
 *   candle.flush();                                 // the end of the batch
 * });
 * }</pre>
 *
 * <p>In a {@link RecordRing} all events of a batch are one flyweight, which {@link #next()} moves:
 * what shall outlive it must be copied out. Events may be changed in place, for the stages behind.
 * What the handler leaves of a batch, it is taken to have handled.
 *
 * <p><b>Roles.</b> Belongs to its worker's thread, while the handler runs.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Batch<E> {
  // Fields that change are Sequences, for those are padded: batches of different threads may lie
  // side by side on the heap.
  private final Flyweight flyweight;
  private final long base;
  private final long stride;
  private final Object[] events;
  private final long mask;

  private final Sequence first = new Sequence();
  private final Sequence size = new Sequence();
  private final Sequence index = new Sequence(); // of the next one
  private final Sequence called = new Sequence(); // the index at which the handler was called

  // of a worker that handles the events of certain keys: their distances from the first
  private int[] picked;
  private ToLongFunction<? super E> key;
  private int worker;
  private int workers;
  private Throwable keyFailure; // what the key function threw for the event behind the batch

  /** Makes one of records. */
  Batch(Flyweight flyweight, long base, long stride, long mask) {
    this.flyweight = flyweight;
    this.base = base;
    this.stride = stride;
    this.events = null;
    this.mask = mask;
  }

  /** Makes one of objects. */
  Batch(Object[] events) {
    this.flyweight = null;
    this.base = 0;
    this.stride = 0;
    this.events = events;
    this.mask = events.length - 1L;
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
    first.setPlain(sequence); // plain: the worker's own, as all below
    index.setPlain(0); // plain: as above
    if (picked == null) {
      size.setPlain(count); // plain: as above
      return count;
    }
    return pickAmong(sequence, count);
  }

  private int pickAmong(long sequence, int count) {
    keyFailure = null;
    int found = 0;
    int distance = 0;
    try {
      while (distance < count) {
        moveTo(sequence + distance);
        if (workerOf(key.applyAsLong(at(sequence + distance)), workers) == worker) {
          picked[found++] = distance;
        }
        distance++;
      }
    } catch (Throwable e) {
      keyFailure = e;
    }
    size.setPlain(found); // plain: the worker's own
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
   * Moves on to the next event.
   *
   * @return false if there is none
   */
  public boolean next() {
    long next = index.getPlain(); // plain: the worker's own
    if (next == size.getPlain()) { // plain: the worker's own
      return false;
    }
    index.setPlain(next + 1); // plain: the worker's own
    if (flyweight != null) {
      moveTo(sequenceAt(next));
    }
    return true;
  }

  private void moveTo(long sequence) {
    if (flyweight != null) {
      flyweight.moveTo(base + (sequence & mask) * stride);
    }
  }

  private long sequenceAt(long place) {
    long start = first.getPlain(); // plain: the worker's own
    return picked == null ? start + place : start + picked[(int) place];
  }

  /**
   * The event that {@link #next()} moved to. Of records it is the same flyweight all along.
   *
   * @return the event; before the first {@code next()} meaningless
   */
  public E event() {
    return at(events == null ? 0 : sequence());
  }

  @SuppressWarnings("unchecked") // of the ring that made it
  private E at(long sequence) {
    return flyweight != null ? (E) flyweight : (E) events[(int) (sequence & mask)];
  }

  /**
   * The sequence of the event that {@link #next()} moved to.
   *
   * @return the sequence; before the first {@code next()} meaningless
   */
  public long sequence() {
    return sequenceAt(Math.max(0, index.getPlain() - 1)); // plain: the worker's own
  }

  /**
   * Whether the event that {@link #next()} moved to is the last of the batch.
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
    return (int) (size.getPlain() - index.getPlain()); // plain: the worker's own
  }

  /**
   * How many events the batch has.
   *
   * @return the number, at least 1
   */
  public int size() {
    return (int) size.getPlain(); // plain: the worker's own
  }

  /** Begins a call of the handler, on what is left of the batch. */
  void beginCall() {
    called.setPlain(index.getPlain()); // plain: the worker's own
  }

  /** The place of the event in hand; the first of the call if the handler did not get to one. */
  private long inHand() {
    return Math.max(called.getPlain(), index.getPlain() - 1); // plain: the worker's own
  }

  /** The sequence of the event whose handler failed. */
  long failing() {
    return sequenceAt(inHand());
  }

  /** Goes back so that the event whose handler failed is next once more. */
  void again() {
    index.setPlain(inHand()); // plain: the worker's own
  }

  /** Goes on behind the event whose handler failed. */
  void skipFailed() {
    index.setPlain(inHand() + 1); // plain: the worker's own
  }
}
