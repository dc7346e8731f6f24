package dev.millrace.telemetry;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the telemetry, in this process or in a mapped file, and its sections.
 *
 * @param header the sizes of the sections
 * @param segment the whole memory
 * @param name what messages call it, such as the file
 * @param release frees the memory; it is run once
 */
record TelemetryMemory(
    TelemetryHeader header, MemorySegment segment, String name, Runnable release) {
  private static final String IN_MEMORY = "in memory";

  /** Allocates memory in this process. It does not contain the header itself. */
  static TelemetryMemory allocate(TelemetryHeader header) {
    NativeMemory owned = NativeMemory.allocate(header.sizeBytes());
    Runnable release = () -> owned.close("Telemetry[" + IN_MEMORY + "]");
    return new TelemetryMemory(header, owned.segment(), IN_MEMORY, release);
  }

  /** Returns the same memory for a reader, which does not free it. */
  TelemetryMemory asReadOnly() {
    return new TelemetryMemory(header, segment.asReadOnly(), name, () -> {});
  }

  CounterTable counters() {
    long bytes = header.traceOffset() - TelemetryHeader.HEADER_BYTES;
    return CounterTable.ofCounters(segment.asSlice(TelemetryHeader.HEADER_BYTES, bytes));
  }

  /** Returns the trace log, or null if there is none. */
  @Nullable TraceLog traceLog() {
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
      throw new IllegalStateException(who + " is closed: " + name);
    }
  }
}
