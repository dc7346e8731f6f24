package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.zip.CRC32C;

/**
 * The beginning of telemetry's memory, which does not change. Only a file has it in its bytes.
 *
 * <pre>
 *    0  magic           8  "MILLRACE"
 *    8  byteOrder       4  0x01020304, in the writer's order, as all that follows
 *   12  version         4  1
 *   16  startEpochNanos 8  when it was made, by the wall clock, from 1970 in UTC
 *   24  startNanoTime   8  the same moment by System.nanoTime
 *   32  processId       8
 *   40  capacity        4  the number of counters' slots
 *   44  traceRecords    4  how many records the trace log keeps, 0 if there is none
 *   48  recordBytes     4  the size of each
 *   52  checksum        4  CRC-32C of the bytes 8 to 51
 *   56  zeros, to 4096
 * </pre>
 *
 * @param startEpochNanos when it was made, by the wall clock
 * @param startNanoTime the same moment by {@link System#nanoTime()}
 * @param processId the process that made it
 * @param capacity the number of slots
 * @param traceRecords how many records the trace log keeps, 0 if there is no log
 * @param recordBytes the size of each
 */
record TelemetryHeader(
    long startEpochNanos,
    long startNanoTime,
    long processId,
    int capacity,
    int traceRecords,
    int recordBytes) {
  static final int HEADER_BYTES = 4096;

  private static final String MAGIC = "MILLRACE";
  private static final String HALF_MADE = "\0".repeat(MAGIC.length());
  private static final int VERSION = 1;
  private static final int BYTE_ORDER_MARK = 0x01020304;
  private static final int CHECKED_FROM = 8;
  private static final int CHECKED_UNTIL = 52;
  private static final int MAX_CAPACITY = 1 << 20;

  TelemetryHeader {
    Checks.inRange("processId", processId, 1, Long.MAX_VALUE);
    checkSizes(capacity, traceRecords, recordBytes);
  }

  /** Makes the header of what is made now, by this process. */
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
   * Checks what the sections are made of.
   *
   * @throws IllegalArgumentException if a number is not in its range
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

  private long traceOffset() {
    return HEADER_BYTES + capacity * CounterTable.SLOT_BYTES;
  }

  long sizeBytes() {
    return traceOffset() + TraceLog.sizeBytes(traceRecords, recordBytes);
  }

  CounterTable counters(MemorySegment memory) {
    return CounterTable.ofCounters(memory.asSlice(HEADER_BYTES, traceOffset() - HEADER_BYTES));
  }

  /** The trace log, or null if there is none. */
  TraceLog traceLog(MemorySegment memory) {
    return traceRecords == 0
        ? null
        : TraceLog.over(memory.asSlice(traceOffset()), traceRecords, recordBytes);
  }

  // ---- time ----

  private Instant start() {
    return Instant.ofEpochSecond(0, startEpochNanos);
  }

  /** What time it was at a nanoTime of the process, by the wall clock as it was at the start. */
  Instant timeOf(long nanoTime) {
    return start().plusNanos(nanoTime - startNanoTime);
  }

  /** How long after the start a time was; of times centuries away the longest that there is. */
  long nanosSinceStart(Instant time) {
    return Checks.nanos("time", Duration.between(start(), time));
  }

  // ---- bytes ----

  static byte[] magic() {
    return MAGIC.getBytes(StandardCharsets.US_ASCII);
  }

  /** The header's bytes, with zeros in the place of the magic. */
  byte[] withoutMagic() {
    byte[] bytes = new byte[CHECKED_UNTIL + Integer.BYTES];
    buffer(bytes)
        .putInt(BYTE_ORDER_MARK)
        .putInt(VERSION)
        .putLong(startEpochNanos)
        .putLong(startNanoTime)
        .putLong(processId)
        .putInt(capacity)
        .putInt(traceRecords)
        .putInt(recordBytes)
        .putInt(checksum(bytes));
    return bytes;
  }

  /** The bytes behind the magic. */
  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).position(CHECKED_FROM);
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, CHECKED_FROM, CHECKED_UNTIL - CHECKED_FROM);
    return (int) checksum.getValue();
  }

  /** Whether a file that begins so may be replaced: it is ours, or was left half-made. */
  static boolean isOurs(byte[] bytes) {
    String begin = begin(bytes);
    return MAGIC.startsWith(begin) || HALF_MADE.startsWith(begin);
  }

  /** The place of the magic, as text. */
  private static String begin(byte[] bytes) {
    int length = Math.min(bytes.length, MAGIC.length());
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  /**
   * Reads and validates a header.
   *
   * @param bytes the file's first bytes, as many as there are or more than the header takes
   * @param sizeBytes the file's size
   * @param name the file's name, for messages
   * @return the header
   * @throws IOException if anything is wrong, naming file, field, rule and value
   */
  static TelemetryHeader read(byte[] bytes, long sizeBytes, String name) throws IOException {
    try {
      return read(bytes, sizeBytes);
    } catch (IllegalArgumentException e) {
      throw new IOException(name + ": " + e.getMessage(), e);
    }
  }

  private static TelemetryHeader read(byte[] bytes, long sizeBytes) {
    long thereBytes = Math.min(sizeBytes, bytes.length);
    if (thereBytes < HEADER_BYTES) {
      throw refusal("size", "at least " + HEADER_BYTES, thereBytes);
    }
    String magic = begin(bytes);
    if (magic.equals(HALF_MADE)) {
      throw refusal("magic", quoted(MAGIC), "0, for the file was never completed");
    }
    check("magic", quoted(magic), quoted(MAGIC));
    ByteBuffer fields = buffer(bytes);
    int mark = fields.getInt();
    if (mark == Integer.reverseBytes(BYTE_ORDER_MARK)) {
      throw refusal("byteOrder", "this machine's " + fields.order(), "the other");
    }
    check("byteOrder", hex(mark), hex(BYTE_ORDER_MARK));
    check("version", fields.getInt(), VERSION);
    check("checksum", hex(fields.getInt(CHECKED_UNTIL)), hex(checksum(bytes)));
    TelemetryHeader header =
        new TelemetryHeader(
            fields.getLong(),
            fields.getLong(),
            fields.getLong(),
            fields.getInt(),
            fields.getInt(),
            fields.getInt());
    check("size", sizeBytes, header.sizeBytes());
    return header;
  }

  private static void check(String field, Object value, Object expected) {
    if (!value.equals(expected)) {
      throw refusal(field, expected, value);
    }
  }

  private static IllegalArgumentException refusal(String field, Object rule, Object value) {
    return new IllegalArgumentException(field + " must be " + rule + ": " + field + "=" + value);
  }

  private static String hex(int value) {
    return "0x" + Integer.toHexString(value);
  }

  /** Text in quotes, with dots for what is none. */
  private static String quoted(String latin) {
    return '"' + latin.replaceAll("[^ -~]", ".") + '"';
  }
}
