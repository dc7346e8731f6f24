package dev.millrace.telemetry;

import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemorySegment;

/**
 * Where telemetry lies, in this process's memory or in a mapped file, and its sections.
 *
 * @param header says how large they are
 * @param segment all of it
 * @param name what it is called in messages: the file
 * @param release lets go of the memory; run once
 */
record TelemetryMemory(
    TelemetryHeader header, MemorySegment segment, String name, Runnable release) {
  /** Allocates memory of this process; its header is not in its bytes. */
  static TelemetryMemory allocate(TelemetryHeader header) {
    NativeMemory owned = NativeMemory.allocate(header.sizeBytes());
    return new TelemetryMemory(header, owned.segment(), "in memory", owned::close);
  }

  /** The same for a reader, which does not let go of it. */
  TelemetryMemory asReadOnly() {
    return new TelemetryMemory(header, segment.asReadOnly(), name, () -> {});
  }

  CounterTable counters() {
    long bytes = header.traceOffset() - TelemetryHeader.HEADER_BYTES;
    return CounterTable.ofCounters(segment.asSlice(TelemetryHeader.HEADER_BYTES, bytes));
  }

  /** The trace log, or null if there is none. */
  TraceLog traceLog() {
    return header.traceRecords() == 0
        ? null
        : TraceLog.over(
            segment.asSlice(header.traceOffset()), header.traceRecords(), header.recordBytes());
  }

  boolean isOpen() {
    return segment.scope().isAlive();
  }

  void checkOpen(String who) {
    if (!isOpen()) {
      throw new IllegalStateException(who + " must be open: closed, " + name);
    }
  }
}
