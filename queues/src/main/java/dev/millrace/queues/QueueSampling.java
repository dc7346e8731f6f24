package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Speculative;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.queues.OffHeapQueue.Counters;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** What can be seen of a queue from outside, taken from what is there anyway. */
abstract sealed class QueueSampling<F extends Flyweight> extends QueueLife<F> permits OffHeapQueue {
  /*
   * A  releaseFence in orderClaim  ->  acquireFence in copyTo  that the slot was left, before its new
   *                                                            bytes
   * B  head.setRelease in             ->  acquireFence in copyOldest,   the claims of what was
   *    SingleConsumerQueue.free, and      wasEmpty, size                taken, and a tail no older
   *    head.weakCompareAndSetRelease
   *    in MpmcQueue
   */

  private static final long OPEN = 1L << 32; // far above a count
  private static final int LOOKS = 16;

  private final Sequence dropped = new Sequence();
  private final Sequence highWater = new Sequence();

  QueueSampling(
      QueueOptions options,
      Function<MemorySegment, F> flyweights,
      boolean oneProducer,
      boolean oneConsumer) {
    super(options, flyweights, oneProducer, oneConsumer);
  }

  /**
   * About how many records are in the queue: how many there were at some moment of the call. While
   * consumers keep on taking it may be less by what they take during the call, never more. Where
   * many producers claim, claims count as records, be they open or aborted, until a consumer has
   * come past them.
   *
   * @return the estimate; 0 once drained
   */
  @Override
  public final int sizeEstimate() {
    return isDrained() ? 0 : size();
  }

  /** The distance of head and tail, of one moment unless consumers are too fast for that. */
  private int size() {
    long first = firstSequence();
    long size = 0;
    for (int looks = 0; looks < LOOKS; looks++) {
      VarHandle.acquireFence(); // acquire B: the head before the end
      long end = endSequence();
      VarHandle.acquireFence(); // acquire B: the end before the head
      long again = firstSequence();
      if (again == first) {
        size = end - first; // of the moment when the end was read
        break;
      }
      size = Math.max(size, end - again); // so many at least were there then
      first = again;
    }
    return (int) Math.clamp(size, 0L, mask + 1);
  }

  /** Whether at some moment of the call there was neither a record nor a claim. */
  final boolean wasEmpty() {
    long first = firstSequence();
    VarHandle.acquireFence(); // acquire B: the end that is seen is not before this
    return isDrained() || endSequence() <= first;
  }

  /** Called between a claim and what is written then, so that a snapshot can tell. */
  static void orderClaim() {
    VarHandle.releaseFence(); // release A: that the slots were left, before what is written there
  }

  /** Up to which sequence all slots are free again, or taken by consumers; opaque. */
  abstract long firstSequence();

  /** Up to which sequence slots are claimed; opaque. */
  abstract long endSequence();

  /**
   * What a sequence's slot holds, seen by any thread.
   *
   * @return how many committed records from there on, or less than 0 for as many slots that hold
   *     none, or {@link #open} of as many that may yet hold some, or 0 if that cannot be told
   */
  abstract long recordsAt(long sequence);

  /** What {@link #recordsAt} says of slots that are being written. */
  static long open(long count) {
    return -(OPEN + count);
  }

  /** Of how many slots {@link #recordsAt} has told. */
  static long slotsOf(long records) {
    return Math.abs(records) & (OPEN - 1);
  }

  /** Whether no consumer has freed the record of a sequence. */
  abstract boolean isStillThere(long sequence);

  /**
   * What the kind alone counts: see {@link Counters}.
   *
   * @param first the first sequence, as seen before
   * @param committedInside how many records were there from it on
   */
  abstract Counters ownCounters(long first, long committedInside);

  /**
   * Counts of what has happened so far, taken from the sequences and stamps that are there anyway.
   * Exact while nobody uses the queue, otherwise not of one moment, and off by what happens during
   * the call. Takes time in proportion to the queue's size; for a thread that samples now and then.
   *
   * @return the counts, also after the end
   */
  public final Counters counters() {
    long first = firstSequence();
    long committedInside = committedInside(first);
    long size = size();
    long high = highWater.getOpaque(); // opaque: a count
    // atomic: the highest of several samplers' stays
    while (size > high && !highWater.weakCompareAndSetPlain(high, size)) {
      high = highWater.getOpaque(); // opaque: a count
    }
    return ownCounters(first, committedInside);
  }

  private long committedInside(long first) {
    long[] count = new long[1];
    forEachRun(first, (sequence, records) -> count[0] += records);
    return count[0];
  }

  /** A run of committed records. */
  private interface RunVisitor {
    void accept(long first, long count);
  }

  /** Visits what is committed, as far as it can be told. */
  private void forEachRun(long first, RunVisitor visitor) {
    long end = endSequence();
    long sequence = first;
    while (sequence < end && !isDrained()) {
      long records = countAt(sequence);
      if (records == 0) {
        return;
      }
      if (records > 0) {
        visitor.accept(sequence, records);
      }
      sequence += slotsOf(records);
    }
  }

  /** As {@link #recordsAt}; of freed memory it cannot be told. */
  final long countAt(long sequence) {
    try {
      return recordsAt(sequence);
    } catch (IllegalStateException e) {
      noneIfFreed(e);
      return 0;
    }
  }

  /** Counts records that were dropped because the queue was full. */
  final void countDropped(int count) {
    dropped.getAndAddAcquire(count); // atomic: a count
  }

  final long droppedCount() {
    return dropped.getOpaque(); // opaque: a count
  }

  final int highWater() {
    return (int) highWater.getOpaque(); // opaque: a count
  }

  /**
   * Shows the committed records that nobody has taken, oldest first, and leaves them where they
   * are: for debugging. Where one consumer polls, what it has in hand is shown too. Each is copied
   * and then looked at again; what was taken meanwhile, or could not be seen for a claim of unknown
   * length before it, is left out. Allocates, and takes time in proportion to the queue's size. Any
   * thread may ask.
   *
   * @param viewer is given a flyweight on the copy of each record, which is overwritten afterwards
   * @return how many were shown
   */
  public final int snapshot(Consumer<? super F> viewer) {
    Checks.notNull("viewer", viewer);
    int[] shown = new int[1];
    // Confined: to close a shared arena is a handshake with all threads.
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(strideBytes, NativeMemory.ALIGNMENT_BYTES);
      F flyweight = flyweights.apply(copy);
      forEachRun(
          firstSequence(),
          (first, count) -> {
            for (long sequence = first; sequence < first + count; sequence++) {
              if (copyTo(copy, sequence)) {
                flyweight.moveTo(Ring.STAMP_BYTES);
                viewer.accept(flyweight);
                shown[0]++;
              }
            }
          });
    }
    return shown[0];
  }

  /**
   * Copies the oldest record that nobody has taken.
   *
   * @param copy memory of a slot's size
   * @return false if at some moment of the call there was beyond doubt none
   */
  final boolean copyOldest(MemorySegment copy) {
    while (!isDrained()) {
      long sequence = firstSequence();
      VarHandle.acquireFence(); // acquire B: the end that is seen is not before this
      long records = -1;
      while (isGap(records)) {
        if (sequence >= endSequence()) {
          return false;
        }
        records = countAt(sequence);
        if (isGap(records)) {
          sequence -= records;
        }
      }
      if (records > 0 && copyTo(copy, sequence) && firstSequence() <= sequence) {
        return true;
      }
      Thread.onSpinWait(); // for a claim that is open, or who takes them is faster
    }
    return false;
  }

  private static boolean isGap(long records) {
    return records < 0 && records > -OPEN;
  }

  /**
   * Copies the records, oldest first, one after the other: for queues into which they are put one
   * by one. Each slot is looked at by itself, so a claim that is open hides no other record: none
   * is left out that was put before the call and that nobody takes during it.
   *
   * @param copy memory of a slot's size
   * @param viewer called when a record is in the copy; returns whether it wants the next
   */
  final void copyEach(MemorySegment copy, BooleanSupplier viewer) {
    long sequence = firstSequence();
    long end = endSequence();
    while (sequence < end && !isDrained()) {
      if (countAt(sequence) > 0 && copyTo(copy, sequence)) {
        if (!viewer.getAsBoolean()) {
          return;
        }
        sequence++;
      } else {
        sequence = Math.max(sequence + 1, firstSequence()); // being put, or taken with others
      }
    }
  }

  private boolean copyTo(MemorySegment copy, long sequence) {
    try {
      copySlot(copy, slotOffset(sequence));
      VarHandle.acquireFence(); // acquire A: the copy before the second look
      return isStillThere(sequence);
    } catch (IllegalStateException e) {
      return noneIfFreed(e);
    }
  }

  /** Copies bytes that a producer may be writing; a second look tells afterwards. */
  @Speculative
  private void copySlot(MemorySegment copy, long offset) {
    MemorySegment.copy(
        memory, offset + Ring.STAMP_BYTES, copy, Ring.STAMP_BYTES, strideBytes - Ring.STAMP_BYTES);
  }
}
