package dev.millrace.telemetry.internal;

import dev.millrace.core.internal.history.HistorySlots;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A trace log in memory: a table of its writers, then the history ring of its records.
 *
 * <pre>
 * record
 * +------+--------+--------+---------------+
 * | time | writer | fields | text in UTF-8 |
 * +------+--------+--------+---------------+
 * 0      8        16
 *
 *  63           48 47               8 7     0
 * +---------------+------------------+-------+
 * | bytes of text | generation       | entry |    the writer's word
 * +---------------+------------------+-------+
 * </pre>
 *
 * <p>A record names its writer by the entry in the table and the entry's generation. Together they
 * are the writer's id, which no other writer of the log ever has. The label of an entry holds the
 * writer's name, the name of its type and the layout of its fields.
 *
 * @param writers the table of the writers
 * @param slots the history ring of the records
 * @param recordBytes the size of a record, including its head, fields and text
 */
public record TraceLog(CounterTable writers, HistorySlots slots, int recordBytes) {
  /** How many writers a log has room for. */
  public static final int MAX_WRITERS = 256;

  /** The size of a record's head, behind which the fields begin. */
  public static final int HEAD_BYTES = 16;

  /** The size of the largest record. */
  public static final int MAX_RECORD_BYTES = 1 << 16;

  /** The most records that a log keeps. */
  public static final int MAX_RECORDS = 1 << 24;

  /** The head's words are aligned, but C2 emits no alignment check for an unaligned layout. */
  public static final ValueLayout.OfLong HEAD = ValueLayout.JAVA_LONG_UNALIGNED;

  /** The offset of the time in the head. */
  public static final long TIME = 0;

  /** The offset of the writer's word in the head. */
  public static final long WRITER = 8;

  /** The lowest bit of the number of text bytes in the writer's word. */
  public static final int TEXT_SHIFT = 48;

  private static final int ENTRY_BITS = 8;
  private static final long WRITERS_BYTES = MAX_WRITERS * CounterTable.WRITER_SLOT_BYTES;

  /** Returns how many bytes of memory a log takes; 0 if it keeps no records. */
  public static long sizeBytes(int records, int recordBytes) {
    return records == 0 ? 0 : WRITERS_BYTES + HistorySlots.sizeBytes(records, recordBytes);
  }

  /** Lays a log over {@code section} without changing its contents. */
  public static TraceLog over(MemorySegment section, int records, int recordBytes) {
    return new TraceLog(
        CounterTable.ofWriters(section.asSlice(0, WRITERS_BYTES)),
        HistorySlots.over(section.asSlice(WRITERS_BYTES), records, recordBytes),
        recordBytes);
  }

  // ---- the writer's word ----

  /** Returns the id of the writer in an entry. */
  public static long id(int entry, long generation) {
    return (generation << ENTRY_BITS) | entry;
  }

  /** Returns the entry in an id. */
  public static int entryOf(long id) {
    return (int) (id & ((1L << ENTRY_BITS) - 1));
  }

  /** Returns the generation in an id. */
  public static long generationOf(long id) {
    return id >>> ENTRY_BITS;
  }

  /** Returns the id in a writer's word. */
  public static long idOf(long word) {
    return word & ((1L << TEXT_SHIFT) - 1);
  }

  /** Returns the number of text bytes in a writer's word. */
  public static int textBytesOf(long word) {
    return (int) (word >>> TEXT_SHIFT);
  }

  /** Returns how many bytes remain for text behind {@code fieldBytes} of fields. */
  public int textRoom(long fieldBytes) {
    return (int) (recordBytes - HEAD_BYTES - fieldBytes);
  }
}
