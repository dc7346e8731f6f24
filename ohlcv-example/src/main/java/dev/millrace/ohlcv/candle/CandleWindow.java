package dev.millrace.ohlcv.candle;

import dev.millrace.core.Idler;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The candles of one symbol in native memory: a slot for each of the newest intervals, whose
 * candles are open, and behind them a {@link HistoryRing} of those that are closed.
 *
 * <p><b>Roles.</b> One thread writes ({@link #add}, {@link #emitAll}). Any number read, each with a
 * copy of its own ({@link #copy}, {@link #newClosedReader}). Whoever closes makes sure that the
 * writer has ended.
 *
 * <p><b>Progress.</b> Writing is wait-free. A reader copies again what changed during the copy; a
 * writer that stops within a change holds up the symbol's readers.
 *
 * <p><b>Ordering.</b> A copy is of one moment: it has all trades up to one, and none after it. A
 * candle is in the history before it leaves its slot: a reader that reads the slots first and the
 * history second misses none.
 *
 * <p><b>Failure.</b> After close every access throws {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> 160 bytes per open candle, about as many per closed one. A trade is some twenty
 * stores; one that moves the window empties the slots between the old and the new newest interval.
 * No allocation.
 *
 * <p><b>Source.</b> A sequence lock, as in Boehm, Can Seqlocks Get Along With Programming Language
 * Memory Models? (2012), https://doi.org/10.1145/2247684.2247688. With one writer the version needs
 * no compare-and-set.
 */
final class CandleWindow implements AutoCloseable {
  /*
   * Candles change in place while they are open, so a reader may meet one that is half changed. The
   * window has a version, odd while its writer is at work, and notes for each interval the version
   * that changed its candle last. A reader reads the window's version, copies, and reads it again.
   * If that has changed, it copies once more the candles whose own versions have.
   *
   * Invariants: versions only grow; while the window's is even, no slot is half changed, and none
   * has a later version. A slot holds the newest interval that has its remainder and was traded in.
   * A version that is noted is its interval's, or of one that has left the history and smaller.
   *
   * A  version.setRelease, even, in endChange    ->  version.getAcquire in copy    all of a change
   *    changed.setRelease in add                 ->  changed.getAcquire in
   *                                                  version and copyChanged
   * B  version.setOpaque, odd, storeStoreFence   ->  acquireFence,                 a change shows
   *    in beginChange, slot bytes                    version.getOpaque in copy     as such
   */
  static final FlyweightType<CandleRecord> TYPE = FlyweightType.of(CandleRecord.class);
  static final long SLOT_BYTES = TYPE.layout().sizeBytes();

  /** What {@link #newest} returns before the first trade. */
  static final long NOTHING_YET = Long.MIN_VALUE;

  private static final WaitStrategy WAITS = new WaitStrategy(100, 10, 50_000);
  private static final long ALIGNMENT_BYTES = 128; // a pair of cache lines

  /** How many candles may close between a copy and a read of the history that misses none. */
  static final int SLACK = 64;

  private final int symbol;
  private final HeapUse heapUse;
  private final CandleEngine.Options options;
  private final int capacity;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final Sequence version = new Sequence();
  private final AtomicLongArray changed; // by interval, also those in the history
  private final Sequence newest = new Sequence(NOTHING_YET);
  private final Sequence trades = new Sequence(); // that took effect
  private final Sequence left = new Sequence(); // candles that have left their slots
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
    this.slot = TYPE.newFlyweight(memory);
    int kept = options.historyCandles();
    this.changed = new AtomicLongArray(capacity + kept);
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
      leave(last, bucket, leaving);
    } else if (bucket <= last - capacity) {
      return Refusal.LATE;
    }
    moveTo(slot, bucket);
    boolean isFirst = !holds(slot, options.interval(), bucket);
    Refusal tooLarge = sum(trade, isFirst);
    beginChange();
    if (bucket > last) {
      clear(last, bucket);
      moveTo(slot, bucket);
      newest.setOpaque(bucket); // opaque: the window's version orders it
    }
    if (tooLarge == null) {
      if (isFirst) {
        start(bucket);
      }
      slot.add(trade);
      for (int i = 0; i < sums.length; i++) {
        slot.put(i, sums[i]);
      }
      // release A: all before. plain: only this thread's
      changed.setRelease(changeIndex(bucket), version.getPlain());
      trades.setOpaque(trades.getPlain() + 1); // opaque: as above. plain: only this thread's
    }
    endChange();
    return tooLarge;
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
    return newest.getOpaque(); // opaque: a copy reads it again
  }

  /** How many trades took effect. */
  long trades() {
    return trades.getOpaque(); // opaque: a copy reads it again
  }

  /** What a reader has copied: a slot for each interval, oldest first, some of them empty. */
  static final class Copy {
    final CandleRecord slot;
    long newest;
    long trades; // that are in it
    long left; // candles that had left
    int count; // of slots
    private final long[] versions;

    /** Makes room for so many intervals, in a thread's own memory. */
    Copy(MemorySegment memory, int capacity) {
      this.slot = TYPE.newFlyweight(memory);
      this.versions = new long[capacity];
    }

    /** Moves to a slot. Returns null if nothing was traded in its interval. */
    CandleRecord at(int place, Interval interval) {
      ((Flyweight) slot).moveTo(place * SLOT_BYTES);
      return holds(slot, interval, newest - count + 1 + place) ? slot : null;
    }
  }

  /**
   * Copies the newest open candles as they were at one moment.
   *
   * @param intervals of how many
   * @param copy where to; of any thread's own
   */
  void copy(int intervals, Copy copy) {
    copy.count = 0;
    Idler idler = null;
    while (true) {
      long before = version.getAcquire(); // acquire A: sees what was changed
      if ((before & 1) == 0) {
        copyChanged(intervals, copy);
        VarHandle.acquireFence(); // acquire B: what was copied is read before the version
        // opaque: the fence above orders it
        if (version.getOpaque() == before) { // linearizes copy
          return;
        }
      } else {
        idler = idler == null ? WAITS.newIdler() : idler;
        idler.idle(0);
      }
    }
  }

  private void copyChanged(int intervals, Copy copy) {
    if (copy.newest != newest() || copy.count != intervals) {
      copy.newest = newest();
      copy.count = intervals;
      Arrays.fill(copy.versions, 0, intervals, NOTHING_YET);
    }
    copy.trades = trades();
    copy.left = left.getOpaque(); // opaque: the window's version orders it
    MemorySegment to = ((Flyweight) copy.slot).memory();
    for (int i = 0; i < intervals; i++) {
      long bucket = copy.newest - intervals + 1 + i;
      // acquire A: the bytes are as new, or it is copied again
      long slotVersion = changed.getAcquire(changeIndex(bucket));
      if (slotVersion != copy.versions[i]) {
        copy.versions[i] = slotVersion;
        MemorySegment.copy(memory, index(bucket) * SLOT_BYTES, to, i * SLOT_BYTES, SLOT_BYTES);
      }
    }
  }

  /** Tells whether candles of some intervals have changed. */
  CandleEngine.Version version(long firstBucket, long lastBucket) {
    long last = newest();
    if (last == NOTHING_YET) {
      return new CandleEngine.Version(last, 0);
    }
    long oldest = last - changed.length() + 1; // those before have left the history
    long from = Math.max(firstBucket, oldest);
    if (from == oldest && lastBucket >= last) { // any change counts
      return new CandleEngine.Version(oldest, version.getAcquire()); // acquire A: as below
    }
    long change = 0;
    for (long bucket = from; bucket <= Math.min(lastBucket, last); bucket++) {
      // acquire A: a snapshot taken afterwards has the change
      change = Math.max(change, changed.getAcquire(changeIndex(bucket)));
    }
    return new CandleEngine.Version(from, change);
  }

  /**
   * Makes a reader of the closed candles, of which some must be kept.
   *
   * @param candles how many it can read at a time; at most {@link #SLACK} more than are kept
   */
  HistoryReader<CandleRecord> newClosedReader(int candles) {
    return closed.newReader(candles);
  }

  @Override
  public void close() {
    arena.close();
    if (closed != null) {
      closed.close();
    }
  }

  /** Emits what will fall out when the given interval becomes the newest, and keeps it. */
  private void leave(long before, long bucket, CandleSink leaving) throws IOException {
    for (long next = before + 1; next <= lastPassed(before, bucket); next++) {
      int index = moveTo(slot, next);
      if (slot.traded()) {
        emit(leaving);
        keep(index);
      }
    }
  }

  /** Empties the slots of what has left. */
  private void clear(long before, long bucket) {
    for (long next = before + 1; next <= lastPassed(before, bucket); next++) {
      moveTo(slot, next);
      if (slot.traded()) {
        slot.traded(false);
        left.setOpaque(left.getPlain() + 1); // opaque: the window's version orders it. plain: own
      }
    }
  }

  /** The last interval whose slot is emptied for it: a jump of more than a window empties all. */
  private long lastPassed(long before, long bucket) {
    return before == NOTHING_YET ? before : bucket - before > capacity ? before + capacity : bucket;
  }

  private void keep(int index) {
    if (closed != null) {
      Flyweight kept = (Flyweight) closing.claim(); // the only producer is never refused
      MemorySegment.copy(memory, index * SLOT_BYTES, kept.memory(), kept.offset(), SLOT_BYTES);
      closing.commit();
    }
  }

  /** Whether a slot has the candle of an interval. */
  private static boolean holds(CandleRecord slot, Interval interval, long bucket) {
    return slot.traded() && slot.openTimeNanos() == interval.openTimeNanos(bucket);
  }

  private void start(long bucket) {
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

  private void beginChange() {
    // plain: only this thread writes it. opaque: the fence below orders it
    version.setOpaque(version.getPlain() + 1);
    VarHandle.storeStoreFence(); // B: no later store to a slot gets ahead of the odd version
  }

  private void endChange() {
    version.setRelease(version.getPlain() + 1); // release A: all of it. plain: only this thread's
  }

  /** Where an interval's change is noted. */
  private int changeIndex(long bucket) {
    return Math.floorMod(bucket, changed.length());
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
