package dev.millrace.telemetry;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.history.HistoryRecordProducer;
import dev.millrace.core.internal.history.HistoryWriter;
import dev.millrace.flyweight.internal.Text;
import dev.millrace.telemetry.internal.TraceAccess;
import dev.millrace.telemetry.internal.TraceLog;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of one type to a trace log. The log is lossy: new records overwrite the oldest,
 * and no writer ever waits. Readers in any process know exactly how many records they have lost.
 *
 * {@snippet file="Examples.java" region="write"}
 *
 * <p>A record has a header, the fields of a flyweight, and as much text as fits after the fields.
 * The header has the {@link System#nanoTime()} of the claim, the writer, and the length of the
 * text.
 *
 * <p><b>Roles.</b> A log has up to 256 writers. Only one thread at a time may use a writer. A log
 * created for one writing thread may also have several writers, but only one thread at a time may
 * write.
 *
 * <p><b>Progress.</b> A writer never waits for another writer. Writing is lock-free: a writer
 * repeats an attempt only if another writer has changed the same slot. A writer that stops between
 * claim and commit keeps one slot of the log out of use until the writer continues. In a log for
 * one writing thread, writing is wait-free. Every form of {@code claim} does the same as {@code
 * tryClaim}, and a run always has one record. Closing takes the telemetry's lock.
 *
 * <p><b>Ordering.</b> Records are in the order of their claims. The times that {@link #tryClaim()}
 * stores are in the same order, unless calls by different threads overlap. Everything that a writer
 * did before it committed a record happens-before everything that a reader does after it has read
 * that record.
 *
 * <p><b>Failure.</b> Slots are used in order; one pass over all slots is a lap. A claim returns
 * null, and the record counts as refused, if a writer of an earlier lap is still writing to the
 * slot, or if a writer of a later lap already has the slot. If other writers lap a writer between
 * its claim and its commit, the commit returns normally, but the record is lost and counts as
 * refused. A claim also returns null if the writer's limits leave out the record. {@link
 * #leftOutCount()} counts the records that were left out. If text does not fit, the writer cuts it
 * after the last whole character that fits. Once the telemetry or the writer is closed, claims
 * throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> Writing a record takes O(1) time. Apart from the stores of its bytes, the record
 * takes one read of the clock, one fetch-and-add and two compare-and-sets. In a log for one writing
 * thread, three stores replace the atomic operations. Writing allocates nothing.
 *
 * <p><b>Source.</b> The protocol is that of {@code HistoryRing}, which names its sources.
 *
 * @param <T> the view of a record's fields
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class TraceWriter<T> extends HistoryRecordProducer<T> {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long CLOSED = -1; // stored instead of a record's offset

  private final long id;
  private final long textAt; // offset of the text from the record's head
  private final int textLimit;
  private final int every; // one record out of this many is written
  private final int perSecond; // and at most this many per second
  private final boolean isLimited;
  private final Consumer<TraceWriter<?>> onClose;

  // Fields that change with each record are padded, because writers of different threads may be
  // adjacent in memory. The limit of own counts the records left out.

  private final Sequence untilNext = new Sequence(1); // records up to the next one written
  private final Sequence secondFrom = new Sequence(System.nanoTime());
  private final Sequence inSecond = new Sequence();

  TraceWriter(
      TraceLog log,
      HistoryWriter history,
      long id,
      T view,
      int every,
      int perSecond,
      Consumer<TraceWriter<?>> onClose) {
    super("a trace log", history, view, TraceLog.HEAD_BYTES);
    this.id = id;
    this.every = every;
    this.perSecond = perSecond;
    this.isLimited = every > 1 || perSecond < Integer.MAX_VALUE;
    this.onClose = onClose;
    long fieldBytes = this.view.layout().sizeBytes();
    this.textAt = TraceLog.HEAD_BYTES + fieldBytes;
    this.textLimit = log.textRoom(fieldBytes);
  }

  // ---- claims ----

  /**
   * Claims a record and stores the current time in it.
   *
   * @return the view, positioned on the record's fields; null if the record is refused or left out
   * @throws IllegalStateException if a claim is open, or the writer or the telemetry is closed
   */
  @Override
  public @Nullable T tryClaim() {
    return tryClaimAt(System.nanoTime());
  }

  /**
   * Claims a record and stores the given time in it. This method suits a caller that has already
   * read the clock.
   *
   * @param nanoTime a value that {@link System#nanoTime()} returned
   * @return the view, positioned on the record's fields; null if the record is refused or left out
   * @throws IllegalStateException if a claim is open, or the writer or the telemetry is closed
   */
  public @Nullable T tryClaimAt(long nanoTime) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.next() != NONE) {
      throw own.next() == CLOSED
          ? new IllegalStateException("writer is closed")
          : claimAlreadyOpen();
    }
    T claimed = isLimited && isLeftOut(nanoTime) ? null : claimAt(nanoTime);
    assert role.end(call);
    return claimed;
  }

  @SuppressWarnings("unchecked") // the view was made for T
  private @Nullable T claimAt(long nanoTime) {
    long record = claimRecord();
    if (record == NONE) {
      return null;
    }
    MemorySegment memory = view.memory(); // the log's memory: one check covers head and fields
    memory.set(TraceLog.HEAD, record + TraceLog.TIME, nanoTime);
    memory.set(TraceLog.HEAD, record + TraceLog.WRITER, id);
    return (T) view;
  }

  private boolean isLeftOut(long nanoTime) {
    if (nanoTime - secondFrom.getPlain() >= SECOND_NANOS) { // plain: the writer's own, as below
      secondFrom.setPlain(nanoTime); // plain: as above
      inSecond.setPlain(0); // plain: as above
    }
    long left = untilNext.getPlain() - 1; // plain: as above
    untilNext.setPlain(left == 0 ? every : left); // plain: as above
    if (left == 0 && inSecond.getPlain() < perSecond) { // plain: as above
      inSecond.setPlain(inSecond.getPlain() + 1); // plain: as above
      return false;
    }
    own.limit(own.limit() + 1);
    return true;
  }

  // ---- the claimed record ----

  /**
   * Writes text after the fields, replacing any text written before. If text does not fit, the
   * writer cuts it after the last whole character that fits.
   *
   * @param text the text. An unpaired surrogate becomes a question mark
   * @throws IllegalStateException if no claim is open, or the telemetry is closed
   */
  public void text(CharSequence text) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long record = claimed();
    MemorySegment memory = view.memory();
    try {
      long bytes = Text.write(text, memory, record + textAt, textLimit);
      memory.set(TraceLog.HEAD, record + TraceLog.WRITER, id | (bytes << TraceLog.TEXT_SHIFT));
    } catch (IllegalStateException e) {
      throw closed("so the text is lost", e);
    }
    assert role.end(call);
  }

  // ---- the end ----

  /**
   * Aborts the open claim, if there is one, and gives back the writer's entry in the log's table.
   * Another writer can use the entry once all records of this writer have been overwritten.
   * Repeated calls are allowed, even after the telemetry is closed.
   */
  @Override
  public void close() {
    if (own.next() != CLOSED) {
      onClose.accept(this); // aborts an open claim
    }
    long call = 0;
    assert (call = role.begin()) >= 0;
    view.leave();
    own.next(CLOSED);
    assert role.end(call);
  }

  void abortOpenClaim() {
    if (own.next() > NONE) {
      abort();
    }
  }

  int entry() {
    return TraceLog.entryOf(id);
  }

  // ---- counts ----

  /**
   * Returns how many records were left out because of the writer's limits.
   *
   * @return the number
   */
  public long leftOutCount() {
    return own.limitSeen();
  }

  static {
    TraceAccess.SECRET.share(new TraceSecrets());
  }
}
