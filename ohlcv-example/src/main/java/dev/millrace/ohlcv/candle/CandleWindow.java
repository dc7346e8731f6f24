package dev.millrace.ohlcv.candle;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The open candles of one symbol in native memory: a slot for each of the newest intervals, found
 * by the interval's number modulo the window.
 *
 * <p><b>Roles.</b> One thread writes ({@link #add}, {@link #emitAll}). Any number read, each with a
 * copy of its own ({@link #copy}). Whoever closes makes sure that the writer has ended.
 *
 * <p><b>Progress.</b> Writing is wait-free. A reader tries again only if the candle that it copies
 * was changed meanwhile; a writer that stops amid a change holds up the readers of that one candle.
 *
 * <p><b>Ordering.</b> A reader that sees a trade's effect sees those of the trades before it in the
 * same candle. Two candles may be of different moments.
 *
 * <p><b>Failure.</b> After close every access throws {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> 160 bytes per candle. A trade is some twenty stores; one that moves the window
 * empties the slots between the old and the new newest interval. No allocation.
 *
 * <p><b>Source.</b> A sequence lock per slot, as in Boehm, Can Seqlocks Get Along With Programming
 * Language Memory Models? (2012), https://doi.org/10.1145/2247684.2247688. With one writer the
 * version needs no compare-and-set.
 */
final class CandleWindow implements AutoCloseable {
  /*
   * A candle changes in place while it is open, so a reader may meet one that is half changed. Each
   * slot has a version: odd while its writer is at work. A reader copies the slot between two looks
   * at the version, and takes the copy only if both saw the same even number.
   *
   * Invariants: a version only grows; a slot holds the newest interval that has its remainder and
   * was traded in or passed. Non-invariant: newest may be published before its slot has a candle in
   * it, or after; readers go by what the slot says.
   *
   * A  version.setRelease, even, in endChange      ->  version.getAcquire in copy   slot bytes
   * B  version.setOpaque, odd, storeStoreFence     ->  acquireFence,                a changed slot
   *    in beginChange, slot bytes                      version.getOpaque in copy    shows as such
   * C  newest.setRelease in advance                ->  newest.getAcquire in newest  emptied slots
   */
  private static final long NOTHING_YET = Long.MIN_VALUE;

  private static final long SLOT_BYTES = CandleFlyweight.LAYOUT.sizeBytes();
  private static final long ALIGNMENT_BYTES = 128; // a pair of cache lines
  private static final long VERSION_OFFSET = CandleFlyweight.LAYOUT.offsetOf("version");

  private final int symbol;
  private final Interval interval;
  private final int capacity;
  private final boolean quoteVolumes;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final CandleFlyweight slot; // the writer's
  private final CandleSums sums = new CandleSums(); // the writer's
  private long newest = NOTHING_YET; // by NEWEST, but for the writer's own reads

  /** What became of a trade. */
  enum Placed {
    IN_CANDLE,
    LATE,
    VOLUME_TOO_LARGE,
    QUOTE_VOLUME_TOO_LARGE
  }

  CandleWindow(int symbol, CandleEngine.Options options) {
    this.symbol = symbol;
    this.interval = options.interval();
    this.capacity = options.windowCandles();
    this.quoteVolumes = options.quoteVolumes();
    this.memory = arena.allocate(capacity * SLOT_BYTES, ALIGNMENT_BYTES);
    this.slot = new CandleFlyweight(memory);
  }

  /** Places a trade in its candle. Candles that leave the window for it go to the sink first. */
  Placed add(TradeFlyweight trade, CandleSink leaving) throws IOException {
    long bucket = interval.bucket(trade.timeNanos());
    if (bucket > newest) { // plain: only this thread writes it
      advance(bucket, leaving);
    } else if (bucket <= newest - capacity) {
      return Placed.LATE;
    }
    slot.moveTo(slotOffset(bucket));
    boolean first = slot.isEmpty();
    if (first) {
      sums.clear();
    } else {
      slot.sums(sums);
    }
    String tooLarge = sums.add(trade, quoteVolumes);
    if (tooLarge != null) {
      return tooLarge.equals("volume") ? Placed.VOLUME_TOO_LARGE : Placed.QUOTE_VOLUME_TOO_LARGE;
    }
    long version = beginChange(slot.offset());
    if (first) {
      slot.clear(symbol, bucket, interval.openTimeNanos(bucket));
    }
    slot.add(trade);
    slot.putSums(sums);
    endChange(slot.offset(), version);
    return Placed.IN_CANDLE;
  }

  /** Gives every candle to the sink, oldest first. They stay readable. */
  void emitAll(CandleSink sink) throws IOException {
    if (newest != NOTHING_YET) {
      for (long bucket = newest - capacity + 1; bucket <= newest; bucket++) {
        slot.moveTo(slotOffset(bucket));
        if (!slot.isEmpty()) {
          sink.candle(slot);
        }
      }
    }
  }

  /** The number of the newest interval; {@link Long#MIN_VALUE} before the first trade. */
  long newest() {
    return (long) NEWEST.getAcquire(this); // acquire C: slots of passed intervals are empty
  }

  int capacity() {
    return capacity;
  }

  long sizeBytes() {
    return memory.byteSize();
  }

  /**
   * Copies a candle.
   *
   * @param bucket the number of its interval
   * @param copy where to; of any thread's own memory
   * @return false if there is none: nothing was traded in it, or it has left the window
   */
  boolean copy(long bucket, CandleFlyweight copy) {
    long offset = slotOffset(bucket);
    while (true) {
      long version = (long) VERSION.getAcquire(memory, offset); // acquire A: sees the slot bytes
      if ((version & 1) == 0) {
        MemorySegment.copy(memory, offset, copy.memory(), copy.offset(), SLOT_BYTES);
        VarHandle.acquireFence(); // acquire B: the copy's loads stay before the second look
        // opaque: the fence above orders it
        if ((long) VERSION.getOpaque(memory, offset) == version) { // linearizes copy
          return !copy.isEmpty() && copy.bucket() == bucket;
        }
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    arena.close();
  }

  /** Moves the window on, so that the given interval is the newest; emits what falls out. */
  private void advance(long bucket, CandleSink leaving) throws IOException {
    if (newest != NOTHING_YET) {
      // A jump of more than a window empties each slot once.
      long last = bucket - newest > capacity ? newest + capacity : bucket;
      for (long next = newest + 1; next <= last; next++) {
        slot.moveTo(slotOffset(next));
        if (!slot.isEmpty()) {
          leaving.candle(slot);
          long version = beginChange(slot.offset());
          slot.clear(symbol, next, interval.openTimeNanos(next));
          endChange(slot.offset(), version);
        }
      }
    }
    NEWEST.setRelease(this, bucket); // release C: the emptied slots
  }

  private long beginChange(long offset) {
    long version = (long) VERSION.get(memory, offset); // plain: only this thread writes it
    VERSION.setOpaque(memory, offset, version + 1); // opaque: the fence below orders it
    VarHandle.storeStoreFence(); // B: no later store to the slot gets ahead of the odd version
    return version;
  }

  private void endChange(long offset, long version) {
    VERSION.setRelease(memory, offset, version + 2); // release A: slot bytes
  }

  private long slotOffset(long bucket) {
    return Math.floorMod(bucket, capacity) * SLOT_BYTES + VERSION_OFFSET;
  }

  static {
    if (VERSION_OFFSET != 0) {
      throw new AssertionError("version must be first in a slot");
    }
  }

  private static final VarHandle VERSION = JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final VarHandle NEWEST =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "newest", VarHandle.class, CandleWindow.class, long.class)
          .withInvokeExactBehavior();
}
