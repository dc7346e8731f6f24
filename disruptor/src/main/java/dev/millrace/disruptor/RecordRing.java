package dev.millrace.disruptor;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A ring of fixed-size records in off-heap memory, which producers write and consumers read and
 * change in place, through flyweights.
 *
 * <pre>{@code
 * RecordRing<TradeFlyweight> ring =
 *     RecordRing.of(RingOptions.multiProducer(65_536), TradeFlyweight::new);
 *
 * TradeFlyweight trade = ring.newFlyweight();       // each producer's own
 * if (ring.claim(trade)) {
 *   trade.timestamp(t).price(p).volume(v);
 *   ring.publish(trade);
 * }
 * }</pre>
 *
 * <p><b>Roles, progress, ordering.</b> Those of its {@link Sequencer}. A flyweight belongs to one
 * thread at a time and holds one claim at a time.
 *
 * <p><b>Failure.</b> Full is a value; claims of a closed ring throw {@link IllegalStateException},
 * whose cause is the failure if a stage of a {@link Pipeline} has failed. A slot's bytes are what a
 * former record left there, until they are written.
 *
 * <p><b>Cost.</b> As the sequencer's. A slot takes the record's bytes, rounded up to 8, and with
 * many producers 8 more for its stamp. Nothing is allocated after construction.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class RecordRing<F extends Flyweight> extends EventRing<F> {
  private final NativeMemory owned;
  private final MemorySegment memory;
  private final Function<MemorySegment, F> flyweights;
  private final long stampBytes; // with many producers, else 0
  private final long strideBytes;
  private final long mask;

  private RecordRing(
      RingOptions options,
      Function<MemorySegment, F> flyweights,
      NativeMemory owned,
      long strideBytes) {
    super(Sequencer.of(options, owned.segment(), strideBytes));
    this.owned = owned;
    this.memory = owned.segment();
    this.flyweights = flyweights;
    this.stampBytes = stampBytes(options);
    this.strideBytes = strideBytes;
    this.mask = options.capacity() - 1L;
  }

  /**
   * Makes a ring.
   *
   * @param <F> the flyweight on a record
   * @param options the capacity, who produces, and what happens when it is full
   * @param flyweights makes a flyweight on the ring's memory, usually its constructor; asked once
   *     for one on {@link MemorySegment#NULL}, to learn the layout
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> RecordRing<F> of(
      RingOptions options, Function<MemorySegment, F> flyweights) {
    Checks.notNull("options", options).check();
    Checks.notNull("flyweights", flyweights);
    F sample = Checks.notNull("flyweight", flyweights.apply(MemorySegment.NULL));
    long recordBytes = sample.layout().sizeBytes();
    long strideBytes = Ring.strideBytes(recordBytes) - Ring.STAMP_BYTES + stampBytes(options);
    NativeMemory owned = NativeMemory.allocate(options.capacity() * strideBytes);
    return new RecordRing<>(options, flyweights, owned, strideBytes);
  }

  private static long stampBytes(RingOptions options) {
    return options.manyProducers() ? Ring.STAMP_BYTES : 0;
  }

  /**
   * Makes a flyweight for one thread.
   *
   * @return the flyweight, on no record: every access throws {@link IndexOutOfBoundsException}
   *     until it is moved onto one
   * @throws IllegalStateException if the memory is freed
   */
  public F newFlyweight() {
    F flyweight = flyweights.apply(owned.segment());
    flyweight.slots(stampBytes, strideBytes, capacity());
    flyweight.moveTo(Ring.NOWHERE); // slots() moves to the first, which may hold a record
    return flyweight;
  }

  // ---- producers ----

  /**
   * Claims a free slot, if there is one.
   *
   * @param flyweight is moved onto the slot; if there is none, it is on no record
   * @return whether a slot was claimed; then {@link #publish} or {@link #abort} must follow
   * @throws IllegalStateException if the ring is closed, or a claim is open
   * @throws IllegalArgumentException if the flyweight is not one of this ring's
   */
  public boolean tryClaim(F flyweight) {
    return tryClaim(flyweight, 1);
  }

  /**
   * Claims a run of free slots: all of them or none.
   *
   * @param flyweight is moved onto the first slot; {@link Flyweight#next()} moves it along the run
   * @param count how many slots, from 1 to the capacity, with a stall limit at most 65,535
   * @return whether they were claimed
   * @throws IllegalStateException if the ring is closed, or a claim is open
   * @throws IllegalArgumentException if the count is not in that range, or the flyweight is not one
   *     of this ring's
   */
  public boolean tryClaim(F flyweight, int count) {
    checkFree(flyweight);
    return hold(flyweight, sequencer.tryClaim(count), count);
  }

  /**
   * Claims a free slot; while the ring is full it does what the back-pressure says.
   *
   * @param flyweight is moved onto the slot; if there is none, it is on no record
   * @return false only as the {@linkplain RingOptions#backPressure() back-pressure} says
   * @throws IllegalStateException if the ring is or gets closed, or a claim is open
   * @throws IllegalArgumentException if the flyweight is not one of this ring's
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean claim(F flyweight) throws InterruptedException {
    return claim(flyweight, 1);
  }

  /**
   * Claims a run of free slots, all of them or none; while the ring is too full it does what the
   * back-pressure says.
   *
   * @param flyweight is moved onto the first slot; {@link Flyweight#next()} moves it along the run
   * @param count how many slots, from 1 to the capacity, with a stall limit at most 65,535
   * @return false only as the {@linkplain RingOptions#backPressure() back-pressure} says
   * @throws IllegalStateException if the ring is or gets closed, or a claim is open
   * @throws IllegalArgumentException if the count is not in that range, or the flyweight is not one
   *     of this ring's
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean claim(F flyweight, int count) throws InterruptedException {
    checkFree(flyweight);
    return hold(flyweight, sequencer.claim(count), count);
  }

  /**
   * Claims a run of free slots, all of them or none, and waits for them no longer than the given
   * time.
   *
   * @param flyweight is moved onto the first slot
   * @param count how many slots, from 1 to the capacity, with a stall limit at most 65,535
   * @param timeout how long to wait, whatever the back-pressure
   * @param unit the timeout's unit
   * @return false if the time passed
   * @throws IllegalStateException if the ring is or gets closed, or a claim is open
   * @throws IllegalArgumentException if the count is not in that range, or the flyweight is not one
   *     of this ring's
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean claim(F flyweight, int count, long timeout, TimeUnit unit)
      throws InterruptedException {
    checkFree(flyweight);
    return hold(flyweight, sequencer.claim(count, timeout, unit), count);
  }

  private boolean hold(F flyweight, long sequence, int count) {
    if (sequence >= 0) {
      if (stampBytes != 0) {
        flyweight.moveToRun(offset(sequence), count);
      } else {
        flyweight.moveTo(offset(sequence)); // the sequencer knows the only claim
      }
      return true;
    }
    flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would write on a former record
    if (sequence == Sequencer.CLOSED) {
      throw closed();
    }
    return false;
  }

  /**
   * Publishes what was claimed, be it one record or a run.
   *
   * @param flyweight the flyweight that the claim was made with; it is on no record of yours then
   * @return whether consumers will see it: false only if the ring has a stall limit and they passed
   *     over the claim
   * @throws IllegalStateException if nothing is claimed, or the memory is freed
   * @throws IllegalArgumentException if the flyweight is not one of this ring's
   */
  public boolean publish(F flyweight) {
    return end(flyweight, true);
  }

  /**
   * Gives back what was claimed, be it one slot or a run; consumers see nothing of it.
   *
   * @param flyweight the flyweight that the claim was made with; it is on no record of yours then
   * @throws IllegalStateException if nothing is claimed
   * @throws IllegalArgumentException if the flyweight is not one of this ring's
   */
  public void abort(F flyweight) {
    end(flyweight, false);
  }

  private boolean end(F flyweight, boolean publishes) {
    checkOwn(flyweight);
    if (stampBytes == 0) {
      flyweight.moveTo(Ring.NOWHERE); // or who writes too late would write into an event
      return sequencer.endAt(0, 0, publishes);
    }
    int count = flyweight.runCount();
    if (count == 0) {
      throw new IllegalStateException("claim must be open: none is, " + this);
    }
    long slotOffset = flyweight.runOffset() - stampBytes;
    flyweight.moveToRun(Ring.NOWHERE, 0); // and a second publish might end another's claim
    return sequencer.endAt(slotOffset, count, publishes);
  }

  private void checkFree(F flyweight) {
    checkOwn(flyweight);
    if (flyweight.runCount() != 0) {
      throw new IllegalStateException(
          "claim must be published or aborted before the next: " + flyweight);
    }
  }

  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // the very segment
  private void checkOwn(F flyweight) {
    if (flyweight.memory() != memory) {
      throw new IllegalArgumentException(
          "flyweight must be made by newFlyweight() of the same: flyweight=" + flyweight);
    }
  }

  // ---- records ----

  /**
   * Where the record of a sequence lies, for those who access the memory themselves.
   *
   * @param sequence a sequence that the caller has claimed or polled
   * @return bytes from the start of {@link #memory()}
   */
  public long offset(long sequence) {
    return stampBytes + (sequence & mask) * strideBytes;
  }

  /**
   * The memory of the slots.
   *
   * @return the segment that offsets refer to
   */
  public MemorySegment memory() {
    return memory;
  }

  @Override
  Batch<F> newBatch() {
    return new Batch<>(newFlyweight(), stampBytes, strideBytes, mask);
  }

  @Override
  public void close() {
    super.close();
    if (owned.isOpen()) { // or a pipeline has closed it
      owned.close();
    }
  }

  /** Returns the size of a slot and the sequencer's state. */
  @Override
  public String toString() {
    return "RecordRing[slotBytes=" + strideBytes + ", " + sequencer + "]";
  }
}
