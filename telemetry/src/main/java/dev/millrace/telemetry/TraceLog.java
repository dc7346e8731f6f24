package dev.millrace.telemetry;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.HistoryCursor;
import dev.millrace.core.internal.HistorySlots;
import dev.millrace.core.internal.HistoryWriter;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * A lossy log of records of fixed size: who writes never waits, the oldest record is overwritten,
 * and readers, of this process or of another, know exactly what they have lost.
 *
 * <pre>{@code
 * TraceLog log = telemetry.traceLog();
 * TraceLog.Writer<RejectedTrade> rejected =                     // one for each thread
 *     log.newWriter("feed-1", "rejected", RejectedTrade::new);
 *
 * if (rejected.tryClaim()) {
 *   rejected.record().price(price).volume(volume);
 *   rejected.text("no such symbol");
 *   rejected.commit();
 * }
 * }</pre>
 *
 * <p>A record has a head (when it was claimed, by {@link System#nanoTime()}; which writer; how long
 * its text is), the fields of a flyweight, and as much text as there is room for behind them.
 *
 * <p><b>Roles.</b> Any number of threads write, each with {@link Writer}s of its own. A log made
 * for a sole writer is written by one thread at a time.
 *
 * <p><b>Progress.</b> A writer waits for nobody and allocates nothing: lock-free, a try being
 * repeated only when another writer changed the same slot; wait-free for a sole writer. One that
 * stops amid a record costs the log one slot.
 *
 * <p><b>Ordering.</b> Records have the order of their claims, which is that of their times, but for
 * claims of different threads within the time that a claim takes. What a writer did before commit
 * happens before the return of the read that delivers the record.
 *
 * <p><b>Failure.</b> A record is refused, and counted, if its slot is still being written by a
 * writer that was overtaken by a whole lap. Records left out by a writer's limits are counted by
 * the writer. Text that does not fit is cut at a whole character.
 *
 * <p><b>Cost.</b> O(1) per record: the clock, then one fetch-and-add and two compare-and-sets, or
 * three stores for a sole writer, and the bytes that are written.
 *
 * <p><b>Source.</b> As {@link dev.millrace.queues.HistoryRing}, whose protocol it is.
 *
 * @since 0.1.0
 */
public final class TraceLog {
  /** Where the fields begin, behind time, writer and length of the text. */
  static final long HEAD_BYTES = 16;

  private static final long TIME = 0;
  private static final long WRITER = 8; // in the lower half, the length of the text in the upper

  /** Of the head's words. They are aligned; with this layout no access looks whether they are. */
  private static final ValueLayout.OfLong HEAD = ValueLayout.JAVA_LONG_UNALIGNED;

  private final HistorySlots slots;
  private final HistoryWriter writer;
  private final ToIntFunction<TraceStreams.Stream> streams;
  private final long recordBytes; // head included

  /** Makes the log; the streams take one caller after the other. */
  TraceLog(
      HistorySlots slots,
      HistoryWriter writer,
      ToIntFunction<TraceStreams.Stream> streams,
      long recordBytes) {
    this.slots = slots;
    this.writer = writer;
    this.streams = streams;
    this.recordBytes = recordBytes;
  }

  /**
   * How a writer leaves records out, before they cost anything but a look at the clock.
   *
   * @param every of so many records one is written, at least 1
   * @param perSecond the most records in a second, which begins with the first record after the
   *     former second, at least 1
   * @since 0.1.0
   */
  public record Limits(int every, int perSecond) {
    /** All are written. */
    public static final Limits NONE = new Limits(1, Integer.MAX_VALUE);

    /**
     * Makes limits.
     *
     * @throws IllegalArgumentException if a number is below 1
     */
    public Limits {
      Checks.inRange("every", every, 1, Integer.MAX_VALUE);
      Checks.inRange("perSecond", perSecond, 1, Integer.MAX_VALUE);
    }
  }

  /**
   * Makes a writer for one thread.
   *
   * @param <F> the flyweight on the fields
   * @param name who writes, of which readers are told
   * @param type what is written, of which readers are told, as of the layout
   * @param flyweights makes a flyweight on given memory, usually its constructor
   * @return the writer
   * @throws IllegalArgumentException if the layout does not fit the log's records, or name, type
   *     and layout are longer together than 1,016 bytes, or the flyweight is on other memory
   * @throws IllegalStateException if 256 writers were made already
   */
  public <F extends Flyweight> Writer<F> newWriter(
      String name, String type, Function<MemorySegment, F> flyweights) {
    return newWriter(name, type, flyweights, Limits.NONE);
  }

  /**
   * Makes a writer for one thread, that leaves records out.
   *
   * @param <F> the flyweight on the fields
   * @param name who writes, of which readers are told
   * @param type what is written, of which readers are told, as of the layout
   * @param flyweights makes a flyweight on given memory, as above
   * @param limits which records are left out
   * @return the writer
   * @throws IllegalArgumentException as above
   * @throws IllegalStateException as above
   */
  public <F extends Flyweight> Writer<F> newWriter(
      String name, String type, Function<MemorySegment, F> flyweights, Limits limits) {
    Checks.notNull("name", name);
    Checks.notNull("type", type);
    Checks.notNull("limits", limits);
    F fields =
        Checks.notNull("flyweight", Checks.notNull("flyweights", flyweights).apply(slots.memory()));
    checkOn(slots.memory(), fields);
    Checks.inRange("size of " + type, fields.layout().sizeBytes(), 1, recordBytes - HEAD_BYTES);
    String layout = LayoutText.of(fields.layout());
    int id = streams.applyAsInt(new TraceStreams.Stream(name, type, layout));
    return new Writer<>(this, id, fields, limits);
  }

  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // that very segment
  private static void checkOn(MemorySegment memory, Flyweight fields) {
    if (fields.memory() != memory) {
      throw new IllegalArgumentException(
          "flyweight must be on the memory that it was given: flyweight=" + fields);
    }
  }

  /**
   * How many records were claimed, committed or not, without those that limits left out.
   *
   * @return the number
   */
  public long claimedCount() {
    return slots.claimedCount();
  }

  /**
   * How many of them were refused or aborted.
   *
   * @return the number
   */
  public long refusedCount() {
    return slots.refusedCount();
  }

  /**
   * A thread's way to write records of one type.
   *
   * @param <F> the flyweight on the fields
   * @since 0.1.0
   */
  public static final class Writer<F extends Flyweight> {
    private static final long SECOND_NANOS = 1_000_000_000;

    // What changes from record to record is in the flyweight, and in Sequences: those are padded,
    // and writers of different threads may lie side by side on the heap.
    private final HistoryWriter history;
    private final long id;
    private final F fields;
    private final long textAt; // from the head on
    private final int textLimit;
    private final Limits limits;
    private final boolean isLimited;

    private final Cursor own = new Cursor(); // next: the claimed record, or HistoryWriter.NONE
    private final Sequence untilNext = new Sequence(1); // of so many the last is written
    private final Sequence secondFrom = new Sequence(System.nanoTime());
    private final Sequence inSecond = new Sequence();
    private final Sequence leftOut = new Sequence();

    private Writer(TraceLog log, int id, F fields, Limits limits) {
      this.history = log.writer;
      this.id = id;
      this.fields = fields;
      this.limits = limits;
      this.isLimited = !limits.equals(Limits.NONE);
      own.next(HistoryWriter.NONE);
      this.textAt = HEAD_BYTES + fields.layout().sizeBytes();
      this.textLimit = (int) (log.recordBytes - textAt);
    }

    /**
     * Claims a record, and notes the time.
     *
     * @return false if it is refused or left out; if true, {@link #commit} or {@link #abort} must
     *     follow
     * @throws IllegalStateException if one is claimed already, or the telemetry is closed
     */
    public boolean tryClaim() {
      return tryClaim(System.nanoTime());
    }

    /**
     * Claims a record, for who has the time at hand.
     *
     * @param nanoTime what {@link System#nanoTime()} has returned
     * @return false if it is refused or left out; if true, {@link #commit} or {@link #abort} must
     *     follow
     * @throws IllegalStateException if one is claimed already, or the telemetry is closed
     */
    public boolean tryClaim(long nanoTime) {
      if (own.next() != HistoryWriter.NONE) {
        throw new IllegalStateException("record must be committed or aborted before the next");
      }
      if (isLimited && isLeftOut(nanoTime)) {
        leftOut.setOpaque(leftOut.getPlain() + 1); // opaque: a count; plain: the writer's own
        return false;
      }
      long record = history.claim();
      if (record == HistoryWriter.NONE) {
        return false;
      }
      own.next(record);
      fields.moveTo(record + HEAD_BYTES);
      MemorySegment memory = fields.memory(); // the log's: one look at it serves head and fields
      memory.set(HEAD, record + TIME, nanoTime);
      memory.set(HEAD, record + WRITER, id);
      return true;
    }

    private boolean isLeftOut(long nanoTime) {
      long left = untilNext.getPlain() - 1; // plain: the writer's own, as all here
      untilNext.setPlain(left == 0 ? limits.every() : left); // plain: as above
      if (left != 0) {
        return true;
      }
      if (nanoTime - secondFrom.getPlain() >= SECOND_NANOS) { // plain: as above
        secondFrom.setPlain(nanoTime); // plain: as above
        inSecond.setPlain(0); // plain: as above
      }
      inSecond.setPlain(inSecond.getPlain() + 1); // plain: as above
      return inSecond.getPlain() > limits.perSecond(); // plain: as above
    }

    /**
     * The flyweight on the claimed record's fields.
     *
     * @return always the same flyweight
     */
    public F record() {
      return fields;
    }

    /**
     * Writes text behind the fields, instead of what was written before; cut at a whole character
     * if there is no room for all.
     *
     * @param text the text; half of a surrogate pair becomes a question mark
     * @throws IllegalStateException if no record is claimed
     */
    public void text(CharSequence text) {
      long record = claimed();
      MemorySegment memory = fields.memory();
      long bytes = TraceText.write(text, memory, record + textAt, textLimit);
      memory.set(HEAD, record + WRITER, id | (bytes << Integer.SIZE));
    }

    /**
     * Makes the claimed record readable.
     *
     * @return false if it is refused: so many were claimed since that its slot is due again
     * @throws IllegalStateException if no record is claimed, or the telemetry is closed
     */
    public boolean commit() {
      return history.commit(leave());
    }

    /**
     * Gives the claimed record up; it counts as refused.
     *
     * @throws IllegalStateException if no record is claimed, or the telemetry is closed
     */
    public void abort() {
      history.abort(leave());
    }

    private long leave() {
      long record = claimed();
      own.next(HistoryWriter.NONE);
      fields.moveTo(Ring.NOWHERE); // a late write would go into another's record
      return record;
    }

    private long claimed() {
      if (own.next() == HistoryWriter.NONE) {
        throw new IllegalStateException("claim must be open: none is");
      }
      return own.next();
    }

    /**
     * How many records the limits have left out.
     *
     * @return the number
     */
    public long leftOutCount() {
      return leftOut.getOpaque(); // opaque: a count
    }
  }

  /**
   * A reader of a trace log: of this process's, or of a file whose process runs or has died.
   *
   * <pre>{@code
   * RejectedTrade rejected = reader.newView(RejectedTrade::new);
   * while (reader.next()) {
   *   if (reader.type().equals("rejected")) {
   *     System.out.println(reader.time() + " " + rejected.price() + " " + reader.text());
   *   }
   * }
   * }</pre>
   *
   * <p>Over the claims that it has passed, claims = read + lost + refused + unfinished, exactly.
   * Used by one thread at a time. It begins with the oldest record that is there.
   *
   * @since 0.1.0
   */
  public static final class Reader implements AutoCloseable {
    private final TraceStreams streams;
    private final TelemetryHeader header;
    private final HistoryCursor reader;
    private final NativeMemory copy;
    private final long recordBytes;
    private final List<TraceStreams.Stream> known = new ArrayList<>();
    private final List<RecordLayout> layouts = new ArrayList<>();
    private boolean isOnRecord;

    Reader(TelemetryHeader header, HistorySlots slots, TraceStreams streams, long recordBytes) {
      this.header = header;
      this.streams = streams;
      this.recordBytes = recordBytes;
      this.copy = NativeMemory.allocate(slots.strideBytes());
      this.reader = new HistoryCursor(slots, copy.segment());
    }

    /**
     * Reads the next record in order.
     *
     * @return false if there is none yet, or its writer has not committed it
     * @throws IllegalStateException if the reader or the telemetry is closed, or the memory damaged
     */
    public boolean next() {
      MemorySegment record = copy.segment(); // throws if closed
      isOnRecord = false;
      if (!reader.next(0)) {
        return false;
      }
      long head = record.get(ValueLayout.JAVA_LONG, WRITER);
      learn((int) head);
      checkText((int) head, (int) (head >>> Integer.SIZE));
      isOnRecord = true;
      return true;
    }

    /** Reads what the writer of a record has said of its records, which it did before. */
    private void learn(int id) {
      if (id >= 0 && id < known.size()) {
        return;
      }
      int count = streams.count();
      if (id < 0 || id >= count) {
        throw new IllegalStateException(
            "writer of a record must be one of the log: writer=" + id + ", writers=" + count);
      }
      for (int i = known.size(); i < count; i++) {
        TraceStreams.Stream stream = streams.get(i);
        layouts.add(layoutOf(stream));
        known.add(stream);
      }
    }

    private RecordLayout layoutOf(TraceStreams.Stream stream) {
      try {
        RecordLayout layout = LayoutText.parse(stream.layout());
        Checks.inRange("size of " + stream.type(), layout.sizeBytes(), 1, recordBytes - HEAD_BYTES);
        return layout;
      } catch (IllegalArgumentException e) { // what is in the memory is no argument
        throw new IllegalStateException(e.getMessage(), e);
      }
    }

    private void checkText(int id, int bytes) {
      long room = recordBytes - HEAD_BYTES - layouts.get(id).sizeBytes();
      if (bytes < 0 || bytes > room) {
        throw new IllegalStateException(
            "text of a record must fit it: textBytes=" + bytes + ", room=" + room);
      }
    }

    /**
     * Passes the records before which {@link #next} stands still, for their writers died, or
     * stalled, or are just at work; up to the first finished one. They count as unfinished.
     *
     * @return how many were passed
     * @throws IllegalStateException if the reader or the telemetry is closed
     */
    public long skipUnfinished() {
      copy.segment(); // throws if closed
      return reader.skipUnfinished();
    }

    // ---- the record ----

    /**
     * Makes a flyweight that always views the fields of the last record read. What it says has a
     * meaning if the record is of its type.
     *
     * @param <F> the flyweight
     * @param flyweights makes a flyweight on given memory, usually its constructor
     * @return the flyweight
     * @throws IllegalArgumentException if its layout does not fit the log's records
     */
    public <F extends Flyweight> F newView(Function<MemorySegment, F> flyweights) {
      F view = Checks.notNull("flyweights", flyweights).apply(copy.segment());
      Checks.inRange("size of the view", view.layout().sizeBytes(), 1, recordBytes - HEAD_BYTES);
      view.moveTo(HEAD_BYTES);
      return view;
    }

    /**
     * When the record was claimed, by the wall clock as it was when the telemetry was made.
     *
     * @return the time
     * @throws IllegalStateException before the first record
     */
    public Instant time() {
      return header.timeOf(nanoTime());
    }

    /**
     * When the record was claimed, by its process's {@link System#nanoTime()}.
     *
     * @return the time
     * @throws IllegalStateException before the first record
     */
    public long nanoTime() {
      return at(TIME);
    }

    /**
     * The number of the writer.
     *
     * @return the number, in the order in which writers were made, from 0
     * @throws IllegalStateException before the first record
     */
    public int writerId() {
      return (int) at(WRITER);
    }

    /**
     * Who has written the record.
     *
     * @return the writer's name
     * @throws IllegalStateException before the first record
     */
    public String writer() {
      return known.get(writerId()).writer();
    }

    /**
     * What the record is.
     *
     * @return the name of its type
     * @throws IllegalStateException before the first record
     */
    public String type() {
      return known.get(writerId()).type();
    }

    /**
     * What the record's fields are.
     *
     * @return their layout
     * @throws IllegalStateException before the first record
     */
    public RecordLayout layout() {
      return layouts.get(writerId());
    }

    /**
     * The text behind the fields.
     *
     * @return the text, empty if there is none
     * @throws IllegalStateException before the first record
     */
    public String text() {
      long from = HEAD_BYTES + layout().sizeBytes();
      byte[] bytes = copy.segment().asSlice(from, textBytes()).toArray(ValueLayout.JAVA_BYTE);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    private int textBytes() {
      return (int) (at(WRITER) >>> Integer.SIZE);
    }

    private long at(long offset) {
      if (!isOnRecord) {
        throw new IllegalStateException("reader must be on a record: next() has returned none");
      }
      return copy.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    // ---- counts ----

    /**
     * Where the reader is: how many claims of the log lie before the record that {@link #next}
     * looks for, those that were overwritten before the reader was made included. While it is less
     * than {@link TelemetryReader.TraceReading#claimed()}, there is a record to read or an
     * unfinished one.
     *
     * @return the number of claims
     */
    public long position() {
      return reader.position();
    }

    /**
     * How many records {@link #next} has delivered.
     *
     * @return the number
     */
    public long readCount() {
      return reader.readCount();
    }

    /**
     * How many records were overwritten before they were read.
     *
     * @return the number
     */
    public long lostCount() {
      return reader.lostCount();
    }

    /**
     * How many records were passed that were refused or aborted.
     *
     * @return the number
     */
    public long refusedCount() {
      return reader.refusedCount();
    }

    /**
     * How many records {@link #skipUnfinished} has passed.
     *
     * @return the number
     */
    public long unfinishedCount() {
      return reader.unfinishedCount();
    }

    /**
     * Frees the copy.
     *
     * @throws IllegalStateException if it is closed already
     */
    @Override
    public void close() {
      copy.close();
    }
  }
}
