package dev.millrace.ohlcv.candle;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The candles of one symbol in native memory: a slot for each of the newest intervals, whose
 * candles are open, and behind them a {@link HistoryRing} of those that are closed.
 *
 * <p><b>Roles.</b> One thread writes ({@link #add}, {@link #emitAll}). Any number read, each with a
 * copy of its own ({@link #copy}, {@link #newClosedReader}). Whoever closes makes sure that the
 * writer has ended.
 *
 * <p><b>Progress.</b> Writing is wait-free. A reader tries again only if the candle that it copies
 * was changed meanwhile; a writer that stops within a change holds up the readers of that one
 * candle.
 *
 * <p><b>Ordering.</b> A reader that sees a trade's effect sees those of the trades before it in the
 * same candle. Two candles may be of different moments. A candle is in the history before it leaves
 * its slot: who reads the slots first and the history then misses none.
 *
 * <p><b>Failure.</b> After close every access throws {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> 160 bytes per open candle, about as many per closed one. A trade is some twenty
 * stores; one that moves the window empties the slots between the old and the new newest interval.
 * No allocation.
 *
 * <p><b>Source.</b> A sequence lock per slot, as in Boehm, Can Seqlocks Get Along With Programming
 * Language Memory Models? (2012), https://doi.org/10.1145/2247684.2247688. With one writer the
 * version needs no compare-and-set.
 */
final class CandleWindow implements AutoCloseable {
  /*
   * A candle changes in place while it is open, so a reader may meet one that is half changed. Each
   * slot has a version: odd while its writer is at work. A reader reads the version before and
   * after it copies the slot, and takes the copy only if both are the same even number.
   *
   * Invariants: a version only grows; a slot holds the newest interval that has its remainder and
   * was traded in or passed. Non-invariant: newest may be published before its slot has a candle in
   * it, or after; readers go by what the slot says.
   *
   * A  versions.setRelease, even, in endChange     ->  versions.getAcquire in copy  slot bytes
   * B  versions.setOpaque, odd, storeStoreFence    ->  acquireFence,                a changed slot
   *    in beginChange, slot bytes                      versions.getOpaque in copy   shows as such
   * C  newest.setRelease in advance                ->  newest.getAcquire in newest  emptied slots
   */
  static final FlyweightType<CandleRecord> TYPE = FlyweightType.of(CandleRecord.class);
  static final long SLOT_BYTES = TYPE.layout().sizeBytes();

  /** What {@link #newest} returns before the first trade. */
  static final long NOTHING_YET = Long.MIN_VALUE;

  private static final long ALIGNMENT_BYTES = 128; // a pair of cache lines
  private static final int SLACK = 64; // closed candles that may be overwritten while one reads

  private final int symbol;
  private final HeapUse heapUse;
  private final CandleEngine.Options options;
  private final int capacity;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final AtomicLongArray versions;
  private final Sequence newest = new Sequence(NOTHING_YET);
  private final HistoryRing<CandleRecord> closed; // null: none are kept
  private final HistoryProducer<CandleRecord> closing; // the writer's
  private final CandleRecord slot; // the writer's
  private final DecimalSum[] sums = new DecimalSum[CandleRecord.SUMS]; // the writer's

  CandleWindow(int symbol, CandleEngine.Options options, HeapUse heapUse) {
    this.symbol = symbol;
    this.heapUse = heapUse;
    this.options = options;
    this.capacity = options.windowCandles();
    this.memory = arena.allocate(capacity * SLOT_BYTES, ALIGNMENT_BYTES);
    this.versions = new AtomicLongArray(capacity);
    this.slot = TYPE.newFlyweight(memory);
    int kept = options.historyCandles();
    this.closed = kept == 0 ? null : HistoryRing.single(TYPE, kept + SLACK);
    this.closing = kept == 0 ? null : closed.producer();
    for (int i = 0; i < sums.length; i++) {
      sums[i] = new DecimalSum();
    }
  }

  /**
   * Places a trade in its candle. Candles that leave the window for it go to the sink first.
   *
   * @return null if it is placed
   */
  Refusal add(Trade trade, CandleSink leaving) throws IOException {
    long bucket = options.interval().bucket(trade.timeNanos());
    long last = newest.getPlain(); // plain: only this thread writes it
    if (bucket > last) {
      advance(last, bucket, leaving);
    } else if (bucket <= last - capacity) {
      return Refusal.LATE;
    }
    int index = moveTo(slot, bucket);
    Refusal tooLarge = sum(trade, !slot.traded());
    if (tooLarge != null) {
      return tooLarge;
    }
    long version = beginChange(index);
    if (!slot.traded()) {
      clear(bucket);
    }
    slot.add(trade);
    for (int i = 0; i < sums.length; i++) {
      slot.put(i, sums[i]);
    }
    endChange(index, version);
    return null;
  }

  /** Gives every open candle to the sink, oldest first. They stay readable. */
  void emitAll(CandleSink sink) throws IOException {
    long last = newest();
    for (long i = capacity - 1L; i >= 0 && last != NOTHING_YET; i--) {
      moveTo(slot, last - i);
      if (slot.traded()) {
        emit(sink);
      }
    }
  }

  private void emit(CandleSink sink) throws IOException {
    long before = HeapUse.ofThread();
    sink.candle(slot.toCandle());
    heapUse.addCandle(before);
  }

  /** The number of the newest interval. */
  long newest() {
    return newest.getAcquire(); // acquire C: slots of passed intervals are empty
  }

  /**
   * Copies an open candle.
   *
   * @param bucket the number of its interval
   * @param copy where to; of any thread's own memory
   * @return false if there is none: nothing was traded in it, or it has left the window
   */
  boolean copy(long bucket, CandleRecord copy) {
    int index = index(bucket);
    Flyweight to = (Flyweight) copy;
    while (true) {
      long version = versions.getAcquire(index); // acquire A: sees the slot bytes
      if ((version & 1) == 0) {
        MemorySegment.copy(memory, index * SLOT_BYTES, to.memory(), to.offset(), SLOT_BYTES);
        VarHandle.acquireFence(); // acquire B: the copy's loads stay before the second read
        // opaque: the fence above orders it
        if (versions.getOpaque(index) == version) { // linearizes copy
          return copy.traded() && copy.openTimeNanos() == options.interval().openTimeNanos(bucket);
        }
      }
      Thread.onSpinWait();
    }
  }

  /** Makes a reader of the closed candles; null if none are kept. */
  HistoryReader<CandleRecord> newClosedReader() {
    return closed == null ? null : closed.newReader(options.historyCandles());
  }

  @Override
  public void close() {
    arena.close();
    if (closed != null) {
      closed.close();
    }
  }

  /** Moves the window on, so that the given interval is the newest; emits what falls out. */
  private void advance(long before, long bucket, CandleSink leaving) throws IOException {
    if (before != NOTHING_YET) {
      // A jump of more than a window empties each slot once.
      long last = bucket - before > capacity ? before + capacity : bucket;
      for (long next = before + 1; next <= last; next++) {
        int index = moveTo(slot, next);
        if (slot.traded()) {
          emit(leaving);
          keep(index);
          long version = beginChange(index);
          clear(next);
          endChange(index, version);
        }
      }
    }
    newest.setRelease(bucket); // release C: the emptied slots
  }

  private void keep(int index) {
    if (closed != null) {
      Flyweight kept = (Flyweight) closing.claim(); // the only producer is never refused
      MemorySegment.copy(memory, index * SLOT_BYTES, kept.memory(), kept.offset(), SLOT_BYTES);
      closing.commit();
    }
  }

  private void clear(long bucket) {
    slot.symbol(symbol).openTimeNanos(options.interval().openTimeNanos(bucket));
    slot.traded(false).count(0);
  }

  /** Adds to the sums outside of the slot, lest one does not fit; returns which, or null. */
  private Refusal sum(Trade trade, boolean first) {
    for (int i = 0; i < sums.length; i++) {
      if (first) {
        sums[i].clear();
      } else {
        slot.get(i, sums[i]);
      }
    }
    if (!addVolume(CandleRecord.VOLUME, trade)) {
      return Refusal.VOLUME;
    }
    if (!addQuote(CandleRecord.QUOTE, trade)) {
      return Refusal.QUOTE_VOLUME;
    }
    if (trade.side() == Side.TAKER_BOUGHT) {
      // Parts of the sums above, at no finer a scale: they fit if those did.
      boolean fits = addVolume(CandleRecord.TAKER_BUY, trade);
      fits &= addQuote(CandleRecord.TAKER_BUY_QUOTE, trade);
      assert fits : "taker's part must fit where the whole does";
    }
    return null;
  }

  private boolean addVolume(int which, Trade trade) {
    return sums[which].add(trade.volume(), trade.volumeScale());
  }

  private boolean addQuote(int which, Trade trade) {
    return !options.quoteVolumes()
        || sums[which].addProduct(
            trade.price(), trade.priceScale(), trade.volume(), trade.volumeScale());
  }

  private long beginChange(int index) {
    long version = versions.getPlain(index); // plain: only this thread writes it
    versions.setOpaque(index, version + 1); // opaque: the fence below orders it
    VarHandle.storeStoreFence(); // B: no later store to the slot gets ahead of the odd version
    return version;
  }

  private void endChange(int index, long version) {
    versions.setRelease(index, version + 2); // release A: slot bytes
  }

  private int index(long bucket) {
    return Math.floorMod(bucket, capacity);
  }

  private int moveTo(CandleRecord view, long bucket) {
    int index = index(bucket);
    ((Flyweight) view).moveTo(index * SLOT_BYTES);
    return index;
  }
}
