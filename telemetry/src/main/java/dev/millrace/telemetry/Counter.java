package dev.millrace.telemetry;

import dev.millrace.core.internal.Role;
import dev.millrace.telemetry.internal.CounterTable;
import org.jspecify.annotations.Nullable;

/**
 * A count of events: a labelled off-heap number on its own pair of cache lines. Any thread can read
 * the number, and so can other processes.
 *
 * {@snippet file="Examples.java" region="counters"}
 *
 * <p><b>Roles.</b> Any thread may read a counter. Only one thread at a time may add to a counter
 * that was created for a sole writer; assertions detect overlapping additions. Any thread may add
 * to any other counter. Any thread may close a counter once its writers have finished. An addition
 * that overlaps the close may be lost, or may be added to a later counter in the same slot.
 *
 * <p><b>Progress.</b> Additions are wait-free where the processor has an instruction for an atomic
 * addition, and lock-free elsewhere. Closing takes the telemetry's lock.
 *
 * <p><b>Ordering.</b> While the counter is open, no addition is lost. A read does not order other
 * accesses. The sum of several stripes is not a snapshot. If all additions are positive, the sum
 * lies between the counter's value at the start of the read and its value at the end.
 *
 * <p><b>Failure.</b> After the counter or the telemetry is closed, additions and reads throw {@link
 * IllegalStateException} in every thread that can see the close. The value wraps at 2<sup>63</sup>.
 *
 * <p><b>Cost.</b> An addition takes one atomic operation or, in a counter for a sole writer, a read
 * and a write. No addition allocates. Each stripe takes 384 bytes.
 *
 * <p><b>Source.</b> Stripes work as in {@link java.util.concurrent.atomic.LongAdder}, but their
 * number is fixed. Labels and values are laid out as in Agrona's <a
 * href="https://github.com/aeron-io/agrona">CountersManager</a>, but readers validate what they
 * read.
 *
 * @since 0.1.0
 */
public final class Counter extends Labelled {
  /** The largest number of stripes that a counter can have. */
  public static final int MAX_STRIPES = 64;

  private final int stripes;
  private final @Nullable Role writer; // null unless there is a sole writer

  Counter(Telemetry owner, CounterValues values, Place place, @Nullable Role writer) {
    super(owner, values, place, writer != null ? ALONE : place.stripes() > 1 ? STRIPED : SHARED);
    this.stripes = place.stripes();
    this.writer = writer;
  }

  /**
   * Adds one to the value.
   *
   * @throws IllegalStateException if the counter is closed
   */
  public void increment() {
    add(1);
  }

  /**
   * Adds to the value.
   *
   * @param delta the amount to add. It must not be negative, because a counter only rises
   * @throws IllegalStateException if the counter is closed
   */
  public void add(long delta) {
    int how = way;
    if (how == SHARED) {
      values.add(at, delta);
    } else if (how == ALONE) {
      addAlone(delta);
    } else {
      checkOpen();
      values.add(CounterTable.valueAt(place.slot() + stripe()), delta);
    }
  }

  private void addAlone(long delta) {
    long call = 0;
    assert (call = writer.begin()) >= 0;
    values.addAlone(at, delta);
    assert writer.end(call);
  }

  /**
   * Returns the calling thread's stripe. Thread ids are consecutive, so threads spread over the
   * stripes.
   */
  private int stripe() {
    return (int) Thread.currentThread().threadId() & (stripes - 1);
  }
}
