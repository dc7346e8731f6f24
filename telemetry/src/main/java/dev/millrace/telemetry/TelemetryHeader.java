package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.telemetry.internal.TraceLog;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The sizes of the telemetry's sections, and when and by which process the telemetry was created. A
 * file stores the header in its first bytes: see {@link TelemetryFile}.
 *
 * @param startEpochNanos when the telemetry was created, by the wall clock
 * @param startNanoTime the same moment by {@link System#nanoTime()}
 * @param processId the process that created it
 * @param capacity the number of slots
 * @param traceRecords how many records the trace log keeps, or 0 if there is no log
 * @param recordBytes the size of each record
 */
record TelemetryHeader(
    long startEpochNanos,
    long startNanoTime,
    long processId,
    int capacity,
    int traceRecords,
    int recordBytes) {
  static final int HEADER_BYTES = 4096;

  private static final int MAX_CAPACITY = 1 << 20;

  TelemetryHeader {
    Checks.inRange("processId", processId, 1, Long.MAX_VALUE);
    checkSizes(capacity, traceRecords, recordBytes);
  }

  /** Makes the header for telemetry that this process creates now. */
  static TelemetryHeader now(Telemetry.Options options) {
    return new TelemetryHeader(
        ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now()),
        System.nanoTime(),
        ProcessHandle.current().pid(),
        options.capacity(),
        options.traceRecords(),
        options.recordBytes());
  }

  /**
   * Checks the sizes of the sections.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  static void checkSizes(int capacity, int traceRecords, int recordBytes) {
    boolean hasLog = traceRecords != 0;
    Checks.inRange("capacity", capacity, 1, MAX_CAPACITY);
    Checks.inRange("traceRecords", traceRecords, 0, TraceLog.MAX_RECORDS);
    Checks.inRange(
        "recordBytes",
        recordBytes,
        hasLog ? TraceLog.HEAD_BYTES + 1 : 0,
        hasLog ? TraceLog.MAX_RECORD_BYTES : 0);
  }

  // ---- sections ----

  long traceOffset() {
    return HEADER_BYTES + capacity * CounterTable.SLOT_BYTES;
  }

  long sizeBytes() {
    return traceOffset() + TraceLog.sizeBytes(traceRecords, recordBytes);
  }

  // ---- time ----

  private Instant start() {
    return Instant.ofEpochSecond(0, startEpochNanos);
  }

  /**
   * Converts {@code nanoTime}, read in the creating process, to the wall-clock time, as that clock
   * stood at the start.
   */
  Instant timeOf(long nanoTime) {
    return start().plusNanos(nanoTime - startNanoTime);
  }

  /** Returns how long after the start {@code time} was, clamped for times centuries away. */
  long nanosSinceStart(Instant time) {
    return Checks.nanos("time", Duration.between(start(), time));
  }
}
