package dev.millrace.telemetry;

import dev.millrace.core.internal.history.HistoryCursor;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Reads the trace log of this process, or a trace log in a file. The process that created the file
 * may be running or may have died.
 *
 * {@snippet file="Examples.java" region="read-trace"}
 *
 * <p>The reader copies a record and then validates the copy. You need not release anything, because
 * the copy belongs to the reader and stays intact until the next read.
 *
 * <p><b>Roles.</b> A reader is used by one thread at a time. With assertions enabled ({@code -ea}),
 * overlapping calls throw an {@link AssertionError}. A reader writes nothing and never holds up
 * writers.
 *
 * <p><b>Failure.</b> The reader stops before a record that is claimed but not committed; {@link
 * #skipUnfinished()} skips that record. A reader counts each claim that it passes exactly once, as
 * read, lost, refused or unfinished. The log has a table of its writers. If another writer has
 * taken over the entry of a record's writer, the record counts as lost. If the reader or the
 * telemetry is closed, methods that read records or move the reader throw {@link
 * IllegalStateException}. A read also throws {@code IllegalStateException} if it finds the memory
 * damaged.
 *
 * @since 0.1.0
 */
@SuppressWarnings("exports") // only position and counts are inherited from HistoryCursor
public final class TraceReader extends HistoryCursor {
  private final TelemetryHeader header;
  private final TraceLog log;
  private final Writer[] known = new Writer[TraceLog.MAX_WRITERS]; // those seen so far, by entry
  private @Nullable Writer writer; // of the last record read, or null

  /** A writer's entry in the table. */
  private record Writer(long id, String name, String type, RecordLayout layout) {}

  TraceReader(TelemetryHeader header, TraceLog log) {
    super(log.slots(), 1);
    this.header = header;
    this.log = log;
  }

  // ---- reading ----

  /**
   * Reads the next record in order. The reader skips records that have been overwritten, and counts
   * them as lost.
   *
   * @return false if there is no next record yet, or if its writer has not committed it
   */
  public boolean tryPoll() {
    checkOpen();
    MemorySegment record = copies(); // throws if closed
    writer = null;
    while (writer == null && tryNext(0)) {
      long word = record.get(ValueLayout.JAVA_LONG, TraceLog.WRITER);
      Writer found = writerOf(TraceLog.idOf(word));
      if (found == null) {
        countAsLost();
      } else {
        checkText(TraceLog.textBytesOf(word), log.textRoom(found.layout.sizeBytes()));
        writer = found;
      }
    }
    return writer != null;
  }

  private static void checkText(int textBytes, int room) {
    if (textBytes > room) {
      throw new IllegalStateException(
          "text of a record must fit it: textBytes=" + textBytes + ", room=" + room);
    }
  }

  /**
   * Returns the writer with {@code id}, which was entered in the table before its records, or null
   * if its entry has been reused.
   */
  private @Nullable Writer writerOf(long id) {
    int entry = TraceLog.entryOf(id);
    Writer met = known[entry];
    if (met != null && met.id == id) {
      return met;
    }
    CounterTable.Copy copied = log.writers().read(entry);
    if (copied == null || TraceLog.id(entry, copied.generation()) != id) {
      long generation = CounterTable.generationOf(log.writers().word(entry));
      if (generation > TraceLog.generationOf(id)) {
        return null; // so the record has been overwritten
      }
      throw new IllegalStateException(
          "writer of a record must be one of the log: entry=%s, generation=%s"
              .formatted(entry, TraceLog.generationOf(id)));
    }
    known[entry] = newWriter(id, copied.label());
    return known[entry];
  }

  private Writer newWriter(long id, String label) {
    String[] parts = TraceWriters.parts(label);
    if (parts.length != 3) {
      throw new IllegalStateException(
          "entry of a writer must have its name, type and layout: entry=" + TraceLog.entryOf(id));
    }
    try {
      RecordLayout layout = LayoutText.parse(parts[2]);
      Checks.inRange("size of " + Checks.shown(parts[1]), layout.sizeBytes(), 1, log.textRoom(0));
      return new Writer(id, parts[0], parts[1], layout);
    } catch (IllegalArgumentException e) { // not caused by the caller's arguments
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /**
   * Moves to a sequence, from which {@link #tryPoll()} continues. If the record with this sequence
   * was overwritten, the next read counts the missing records as lost and delivers the oldest
   * record still in the log. Records between the old position and the new one are not counted.
   *
   * @param sequence the number of a record in the order of claims, from 0 to the number of claims
   * @throws IllegalArgumentException if {@code sequence} is out of range
   */
  @Override
  public void seek(long sequence) {
    checkOpen();
    super.seek(sequence);
    writer = null;
  }

  /**
   * Moves to the first record in the log that was claimed at or after the given time. If there is
   * no such record, the reader moves to the end. {@link #tryPoll()} continues from the new
   * position.
   *
   * <p>The method uses a binary search with O(log n) reads. The result is exact only if each claim
   * has a later time than the claims before it. Threads may read the clock in one order and claim
   * in another. To allow for this, seek a time that is earlier by the longest delay between reading
   * the clock and claiming, and compare the time of each record that you read.
   *
   * @param time the earliest time to read, by the clock of {@link #time()}
   */
  public void seek(Instant time) {
    checkOpen();
    MemorySegment record = copies(); // throws if closed
    long nanos = header.nanosSinceStart(Checks.notNull("time", time));
    writer = null;
    seek(() -> record.get(ValueLayout.JAVA_LONG, TraceLog.TIME) - header.startNanoTime() < nanos);
  }

  @Override
  public long skipUnfinished() {
    checkOpen();
    return super.skipUnfinished();
  }

  // ---- the record ----

  /**
   * Creates a view of the fields of the last record read. The view is meaningful only while the
   * last record read has the view's type.
   *
   * @param <T> the view of a record's fields
   * @param fields the type of the fields
   * @return the view, which always shows the last record read
   * @throws IllegalArgumentException if the layout does not fit the log's records
   */
  public <T> T newView(FlyweightType<T> fields) {
    long fieldBytes = Checks.notNull("fields", fields).layout().sizeBytes();
    Checks.inRange("size of the view", fieldBytes, 1, log.textRoom(0));
    T view = fields.newFlyweight(copies());
    ((Flyweight) view).moveTo(TraceLog.HEAD_BYTES);
    return view;
  }

  /**
   * Returns the wall-clock time of the claim: the wall-clock time at which the telemetry was
   * created, plus the time that {@link System#nanoTime()} measured from then until the claim.
   *
   * @return the time
   * @throws IllegalStateException if the last read found no record
   */
  public Instant time() {
    return header.timeOf(nanoTime());
  }

  /**
   * Returns when the record was claimed, as a {@link System#nanoTime()} value of its process.
   *
   * @return the time
   * @throws IllegalStateException if the last read found no record
   */
  public long nanoTime() {
    checkedWriter();
    return copies().get(ValueLayout.JAVA_LONG, TraceLog.TIME);
  }

  /**
   * Returns the name of the record's writer.
   *
   * @return the name
   * @throws IllegalStateException if the last read found no record
   */
  public String writer() {
    return checkedWriter().name;
  }

  /**
   * Returns the name of the record's type.
   *
   * @return the name
   * @throws IllegalStateException if the last read found no record
   */
  public String type() {
    return checkedWriter().type;
  }

  /**
   * Returns the layout of the record's fields.
   *
   * @return the layout
   * @throws IllegalStateException if the last read found no record
   */
  public RecordLayout layout() {
    return checkedWriter().layout;
  }

  /**
   * Returns the text after the fields.
   *
   * @return the text, or an empty string if there is none
   * @throws IllegalStateException if the last read found no record
   */
  public String text() {
    long from = TraceLog.HEAD_BYTES + layout().sizeBytes();
    MemorySegment record = copies();
    int bytes = TraceLog.textBytesOf(record.get(ValueLayout.JAVA_LONG, TraceLog.WRITER));
    byte[] text = record.asSlice(from, bytes).toArray(ValueLayout.JAVA_BYTE);
    return new String(text, StandardCharsets.UTF_8);
  }

  private Writer checkedWriter() {
    if (writer == null) {
      throw new IllegalStateException("reader must be on a record: the last read has found none");
    }
    return writer;
  }

  private void checkOpen() {
    if (!log.slots().memory().scope().isAlive()) {
      throw new IllegalStateException("telemetry is closed: " + this);
    }
  }

  /** Returns how many records this reader has read and how many it has lost. */
  @Override
  public String toString() {
    return "TraceReader[read=" + readCount() + ", lost=" + lostCount() + "]";
  }
}
