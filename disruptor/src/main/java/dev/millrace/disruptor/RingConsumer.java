package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.RecordConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a {@link RecordRing}. A ring consumer either sees every record or shares records
 * with other consumers, and may change records in place for the consumers after it. Progress and
 * ordering are the same as for a {@link SequenceConsumer}.
 *
 * <p>If consumers share records, {@code drain} and {@code forEach} take the records one by one. If
 * these methods took whole runs, an exception from the handler would leave the rest of a run
 * unhandled. To take whole runs, poll with a limit and loop over {@code at(i)}.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class RingConsumer<T> extends RecordConsumer<T> {
  // One of sole and shared is null. Both are of final classes, so the JIT binds each call without a
  // profile.
  final SequenceConsumer place;
  private final SoleConsumer sole;
  private final SharedConsumer shared;

  @SuppressWarnings("NullAway") // one of sole and shared stays null
  RingConsumer(RecordRing<T> owner, SequenceConsumer place) {
    super(
        owner,
        owner.ring,
        place.own,
        owner.newView(),
        place instanceof SoleConsumer ? ANY_RUN : 1,
        place.group.waiters,
        null);
    this.place = place;
    this.sole = place instanceof SoleConsumer one ? one : null;
    this.shared = place instanceof SharedConsumer one ? one : null;
  }

  /**
   * Returns the sequence of the first record in hand. The sequence of a record is the number of
   * records that were claimed in the ring before that record. While no poll is open, the method
   * returns the sequence after the last slot that this consumer released or skipped. A consumer
   * skips slots that hold no record.
   *
   * @return the sequence
   */
  public long sequence() {
    return own.next();
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public @Nullable T tryPoll() {
    return tryPoll(1) > 0 ? (T) view : null;
  }

  @Override
  public int tryPoll(int limit) {
    int count = sole != null ? sole.tryPoll(limit) : shared.tryPoll(limit);
    if (count > 0) {
      view.moveTo(ring.recordOffset(own.next()));
    }
    return count;
  }

  @Override
  public void release() {
    long call = beginRelease(own);
    long end = own.end();
    if (sole != null) {
      sole.free(end);
    } else {
      shared.free(end);
    }
    endRelease(call);
  }

  @Override
  public boolean isDrained() {
    return place.isDrained();
  }
}
