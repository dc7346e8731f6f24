package dev.millrace.telemetry;

import dev.millrace.core.internal.HistorySlots;
import java.lang.foreign.MemorySegment;

/**
 * Where a trace log lies in telemetry's memory: what its writers have said of themselves, then the
 * records.
 *
 * @param records how many records it keeps, 0 if there is no log
 * @param recordBytes the size of a record, head, fields and text together
 */
record TraceSection(int records, int recordBytes) {
  /** None. */
  static final TraceSection NONE = new TraceSection(0, 0);

  /** The least that a record takes: a head, and a byte. */
  static final int MIN_RECORD_BYTES = (int) TraceLog.HEAD_BYTES + 1;

  static final int MAX_RECORD_BYTES = 1 << 16;
  static final int MAX_RECORDS = 1 << 24;

  boolean isThere() {
    return records > 0;
  }

  long sizeBytes() {
    return isThere() ? TraceStreams.SIZE_BYTES + HistorySlots.sizeBytes(records, recordBytes) : 0;
  }

  TraceStreams streams(MemorySegment section) {
    return new TraceStreams(section.asSlice(0, TraceStreams.SIZE_BYTES));
  }

  HistorySlots slots(MemorySegment section) {
    return HistorySlots.over(section.asSlice(TraceStreams.SIZE_BYTES), records, recordBytes);
  }
}
