package dev.millrace.telemetry;

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
 * <p>A record names its writer by the entry in the table and the entry's generation: together they
 * are the writer's id, which no other writer of the log ever has. The label of an entry has the
 * writer's name, the name of its type and the layout of its fields.
 *
 * @param writers the table
 * @param slots the records
 * @param recordBytes the size of a record, head, fields and text together
 */
record TraceLog(CounterTable writers, HistorySlots slots, int recordBytes) {
  /** How many writers a log has room for. */
  static final int MAX_WRITERS = 256;

  /** Where the fields begin, behind time and writer. */
  static final int HEAD_BYTES = 16;

  static final int MAX_RECORD_BYTES = 1 << 16;
  static final int MAX_RECORDS = 1 << 24;

  /** The head's words are aligned, but C2 emits no alignment check for an unaligned layout. */
  static final ValueLayout.OfLong HEAD = ValueLayout.JAVA_LONG_UNALIGNED;

  static final long TIME = 0;
  static final long WRITER = 8;
  static final int TEXT_SHIFT = 48;

  private static final int ENTRY_BITS = 8;
  private static final long WRITERS_BYTES = MAX_WRITERS * CounterTable.WRITER_SLOT_BYTES;

  /** How much memory a log takes; nothing if it keeps no records. */
  static long sizeBytes(int records, int recordBytes) {
    return records == 0 ? 0 : WRITERS_BYTES + HistorySlots.sizeBytes(records, recordBytes);
  }

  /** Lays a log over memory, whose contents it keeps. */
  static TraceLog over(MemorySegment section, int records, int recordBytes) {
    return new TraceLog(
        CounterTable.ofWriters(section.asSlice(0, WRITERS_BYTES)),
        HistorySlots.over(section.asSlice(WRITERS_BYTES), records, recordBytes),
        recordBytes);
  }

  // ---- the writer's word ----

  static long id(int entry, long generation) {
    return (generation << ENTRY_BITS) | entry;
  }

  static int entryOf(long id) {
    return (int) (id & ((1L << ENTRY_BITS) - 1));
  }

  static long generationOf(long id) {
    return id >>> ENTRY_BITS;
  }

  static long idOf(long word) {
    return word & ((1L << TEXT_SHIFT) - 1);
  }

  static int textBytesOf(long word) {
    return (int) (word >>> TEXT_SHIFT);
  }

  /** The bytes that remain for text behind fields of this size. */
  int textRoom(long fieldBytes) {
    return (int) (recordBytes - HEAD_BYTES - fieldBytes);
  }
}
