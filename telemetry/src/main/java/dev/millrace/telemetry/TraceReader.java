package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.HistoryCursor;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * Reads a trace log: this process's, or that of a file whose process runs or has died.
 *
 * <pre>{@code
 * RejectedTrade rejected = reader.newView(FlyweightType.of(RejectedTrade.class));
 * while (reader.tryPoll()) {                                // in order, each record once
 *   if (reader.type().equals("rejected")) {
 *     System.out.println(reader.time() + " " + rejected.price() + " " + reader.text());
 *   }
 * }
 *
 * reader.seek(from);                                        // between two times
 * while (reader.tryPoll() && reader.time().isBefore(to)) {
 *   System.out.println(reader.writer() + " " + reader.text());
 * }
 * }</pre>
 *
 * <p>A record is copied out first and then validated, so there is nothing to release: what was read
 * stays whole until the next read.
 *
 * <p><b>Roles.</b> Used by one thread at a time. A reader writes nothing, and holds up nobody.
 *
 * <p><b>Failure.</b> The reader stops before a record that is claimed and not committed; {@link
 * #skipUnfinished()} passes it. Over the claims that a reader has passed, claims = read + lost +
 * refused + unfinished, exactly. A record whose writer's place in the table was used again counts
 * as lost. All operations but the counts throw {@link IllegalStateException} if the reader or the
 * telemetry is closed, and reads if the memory is damaged.
 *
 * @since 0.1.0
 */
@SuppressWarnings("exports") // only position and counts are inherited from there
public final class TraceReader extends HistoryCursor {
  private final TelemetryHeader header;
  private final TraceLog log;
  private final Writer[] known = new Writer[TraceLog.MAX_WRITERS]; // by entry; those met so far
  private Writer writer; // of the record that was read; null if none was

  /** What the table says of a writer. */
  private record Writer(long id, String name, String type, RecordLayout layout) {}

  TraceReader(TelemetryHeader header, TraceLog log) {
    super(log.slots(), 1);
    this.header = header;
    this.log = log;
  }

  // ---- reading ----

  /**
   * Reads the next record in order. What was overwritten before is counted as lost and skipped.
   *
   * @return true if there is one; false if there is none yet, or its writer has not committed it
   */
  public boolean tryPoll() {
    MemorySegment record = copies(); // throws if closed
    writer = null;
    while (writer == null && next(0)) {
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

  /** Returns a writer, which was entered before its record; null if its entry was used again. */
  private Writer writerOf(long id) {
    int entry = TraceLog.entryOf(id);
    Writer met = known[entry];
    if (met != null && met.id == id) {
      return met;
    }
    CounterTable.Copy copied = log.writers().read(entry);
    if (copied == null || TraceLog.id(entry, copied.generation()) != id) {
      long generation = CounterTable.generationOf(log.writers().word(entry));
      if (generation > TraceLog.generationOf(id)) {
        return null; // so the ring has passed the record
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
      Checks.inRange("size of " + parts[1], layout.sizeBytes(), 1, log.textRoom(0));
      return new Writer(id, parts[0], parts[1], layout);
    } catch (IllegalArgumentException e) { // what is in the memory is no argument
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /**
   * Goes to a sequence: {@link #tryPoll()} reads on from there. If that was overwritten, the next
   * read counts what is gone as lost and delivers the oldest record kept. What lies between the
   * reader's former position and this one is not counted.
   *
   * @param sequence from 0 to the number of claims; a record's is its number in the order of claims
   * @throws IllegalArgumentException if it is not in that range
   */
  @Override
  public void seek(long sequence) {
    super.seek(sequence);
    writer = null;
  }

  /**
   * Goes to the first record kept that was claimed at or after a time: {@link #tryPoll()} reads on
   * from there. If there is none, that is the end.
   *
   * <p>By bisection, in O(log n) reads, hence exact only as far as times rise with the claims.
   * Several threads read the clock and claim in different order: seek a time that is earlier by as
   * much as may lie between these two, and compare each record's.
   *
   * @param time the first time to read, by the clock of {@link #time()}
   */
  public void seek(Instant time) {
    MemorySegment record = copies(); // throws if closed
    long nanos = header.nanosSinceStart(Checks.notNull("time", time));
    writer = null;
    seek(() -> record.get(ValueLayout.JAVA_LONG, TraceLog.TIME) - header.startNanoTime() < nanos);
  }

  // ---- the record ----

  /**
   * Makes a view of the fields of the last record read, whichever that is. What it shows has a
   * meaning if the record is of its type.
   *
   * @param <T> the view
   * @param fields describes them
   * @return the view, the same for all records
   * @throws IllegalArgumentException if its layout does not fit the log's records
   */
  public <T> T newView(FlyweightType<T> fields) {
    long fieldBytes = Checks.notNull("fields", fields).layout().sizeBytes();
    Checks.inRange("size of the view", fieldBytes, 1, log.textRoom(0));
    T view = fields.newFlyweight(copies());
    ((Flyweight) view).moveTo(TraceLog.HEAD_BYTES);
    return view;
  }

  /**
   * When the record was claimed, by the wall clock as it was when the telemetry was made.
   *
   * @return the time
   * @throws IllegalStateException if the last read has found no record
   */
  public Instant time() {
    return header.timeOf(nanoTime());
  }

  /**
   * When the record was claimed, by its process's {@link System#nanoTime()}.
   *
   * @return the time
   * @throws IllegalStateException if the last read has found no record
   */
  public long nanoTime() {
    checkedWriter();
    return copies().get(ValueLayout.JAVA_LONG, TraceLog.TIME);
  }

  /**
   * The name of the record's writer.
   *
   * @return the name
   * @throws IllegalStateException if the last read has found no record
   */
  public String writer() {
    return checkedWriter().name;
  }

  /**
   * The name of the record's type.
   *
   * @return the name
   * @throws IllegalStateException if the last read has found no record
   */
  public String type() {
    return checkedWriter().type;
  }

  /**
   * The layout of the record's fields.
   *
   * @return the layout
   * @throws IllegalStateException if the last read has found no record
   */
  public RecordLayout layout() {
    return checkedWriter().layout;
  }

  /**
   * The text behind the fields.
   *
   * @return the text, empty if there is none
   * @throws IllegalStateException if the last read has found no record
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
}
