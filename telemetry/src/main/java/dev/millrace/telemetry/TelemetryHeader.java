package dev.millrace.telemetry;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.CRC32C;

/**
 * What stands at the beginning of telemetry's memory, be it a file or not, and does not change.
 *
 * <pre>
 *    0  magic           8  "MILLRACE"
 *    8  byteOrder       4  0x01020304, in the writer's order, as all that follows
 *   12  version         4  1
 *   16  headerBytes     8  4096
 *   24  sizeBytes       8  of the whole
 *   32  counterOffset   8  where the counters' slots begin
 *   40  counterBytes    8
 *   48  capacity        8  the number of slots
 *   56  slotBytes       8  384
 *   64  traceOffset     8  where the trace log's section begins
 *   72  traceBytes      8  0 if there is none
 *   80  startEpochNanos 8  when it was made, by the wall clock, from 1970 in UTC
 *   88  startNanoTime   8  the same moment by System.nanoTime
 *   96  processId       8
 *  104  checksum        8  CRC-32C of the bytes 8 to 103
 *  112  zeros, to 4096
 * </pre>
 *
 * @param capacity the number of slots
 * @param traceBytes the size of the trace log's section, a multiple of 4096
 * @param startEpochNanos when it was made, by the wall clock
 * @param startNanoTime the same moment by {@link System#nanoTime()}
 * @param processId the process that made it
 */
record TelemetryHeader(
    int capacity, long traceBytes, long startEpochNanos, long startNanoTime, long processId) {
  static final int MAGIC_BYTES = 8;
  static final int HEADER_BYTES = 4096;
  static final int VERSION = 1;

  private static final byte[] MAGIC = "MILLRACE".getBytes(StandardCharsets.US_ASCII);
  private static final int BYTE_ORDER_MARK = 0x01020304;
  private static final int CHECKSUM = 104;
  private static final int CHECKSUM_END = CHECKSUM + Long.BYTES;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /** Makes the header of what is made now, by this process. */
  static TelemetryHeader now(int capacity, long traceBytes) {
    Instant now = Instant.now();
    return new TelemetryHeader(
        capacity,
        wholePages(traceBytes),
        now.getEpochSecond() * NANOS_PER_SECOND + now.getNano(),
        System.nanoTime(),
        ProcessHandle.current().pid());
  }

  private static long wholePages(long bytes) {
    return (bytes + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
  }

  // ---- sections ----

  long counterBytes() {
    return capacity * CounterTable.SLOT_BYTES;
  }

  long traceOffset() {
    return HEADER_BYTES + wholePages(counterBytes());
  }

  long sizeBytes() {
    return traceOffset() + traceBytes;
  }

  CounterTable counters(MemorySegment memory) {
    return new CounterTable(memory.asSlice(HEADER_BYTES, counterBytes()));
  }

  MemorySegment trace(MemorySegment memory) {
    return memory.asSlice(traceOffset(), traceBytes);
  }

  /** What time it was at a nanoTime of the process, by the wall clock as it was at the start. */
  Instant timeOf(long nanoTime) {
    return Instant.ofEpochSecond(0, startEpochNanos).plusNanos(nanoTime - startNanoTime);
  }

  // ---- bytes ----

  /** The header's bytes, but for zeros in the place of the magic. */
  ByteBuffer withoutMagic() {
    ByteBuffer bytes = ByteBuffer.allocate(CHECKSUM_END).order(ByteOrder.nativeOrder());
    bytes.position(MAGIC_BYTES);
    bytes.putInt(BYTE_ORDER_MARK).putInt(VERSION);
    bytes.putLong(HEADER_BYTES).putLong(sizeBytes());
    bytes.putLong(HEADER_BYTES).putLong(counterBytes());
    bytes.putLong(capacity).putLong(CounterTable.SLOT_BYTES);
    bytes.putLong(traceOffset()).putLong(traceBytes);
    bytes.putLong(startEpochNanos).putLong(startNanoTime).putLong(processId);
    return bytes.putLong(checksum(bytes)).flip();
  }

  static ByteBuffer magic() {
    return ByteBuffer.wrap(MAGIC.clone());
  }

  private static long checksum(ByteBuffer bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes.slice(MAGIC_BYTES, CHECKSUM - MAGIC_BYTES));
    return checksum.getValue();
  }

  /** Whether a file that begins so may be replaced: it is ours, or was left before it was. */
  static boolean isOurs(ByteBuffer bytes) {
    return startsWith(bytes, MAGIC) || startsWith(bytes, new byte[MAGIC_BYTES]);
  }

  private static boolean startsWith(ByteBuffer bytes, byte[] magic) {
    int length = Math.min(bytes.remaining(), magic.length);
    return bytes.slice(bytes.position(), length).equals(ByteBuffer.wrap(magic, 0, length));
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
  static TelemetryHeader read(ByteBuffer bytes, long sizeBytes, String name) throws IOException {
    bytes.order(ByteOrder.nativeOrder());
    long thereBytes = Math.min(sizeBytes, bytes.remaining());
    check(name, "size", thereBytes >= HEADER_BYTES, "at least " + HEADER_BYTES, thereBytes);
    if (startsWith(bytes, new byte[MAGIC_BYTES])) {
      throw refusal(name, "magic", "\"MILLRACE\"", "0, for the file was never completed");
    }
    check(name, "magic", startsWith(bytes, MAGIC), "\"MILLRACE\"", text(bytes));
    int mark = bytes.getInt(8);
    if (mark == Integer.reverseBytes(BYTE_ORDER_MARK)) {
      throw refusal(name, "byteOrder", "this machine's " + bytes.order(), "the other");
    }
    check(name, "byteOrder", mark == BYTE_ORDER_MARK, hex(BYTE_ORDER_MARK), hex(mark));
    checkEqual(name, "version", bytes.getInt(12), VERSION);
    long checksum = bytes.getLong(CHECKSUM);
    long actual = checksum(bytes);
    check(name, "checksum", checksum == actual, hex(actual), hex(checksum));
    TelemetryHeader header =
        new TelemetryHeader(
            (int) checkedRange(name, "capacity", bytes.getLong(48), 1, Telemetry.MAX_CAPACITY),
            checkedRange(name, "traceBytes", bytes.getLong(72), 0, Telemetry.MAX_TRACE_BYTES),
            bytes.getLong(80),
            bytes.getLong(88),
            checkedRange(name, "processId", bytes.getLong(96), 1, Long.MAX_VALUE));
    checkEqual(name, "headerBytes", bytes.getLong(16), HEADER_BYTES);
    checkEqual(name, "slotBytes", bytes.getLong(56), CounterTable.SLOT_BYTES);
    checkEqual(name, "counterOffset", bytes.getLong(32), HEADER_BYTES);
    checkEqual(name, "counterBytes", bytes.getLong(40), header.counterBytes());
    checkEqual(name, "traceOffset", bytes.getLong(64), header.traceOffset());
    checkEqual(name, "traceBytes", header.traceBytes(), wholePages(header.traceBytes()));
    checkEqual(name, "sizeBytes", bytes.getLong(24), header.sizeBytes());
    checkEqual(name, "size", sizeBytes, header.sizeBytes());
    return header;
  }

  private static IOException refusal(String name, String field, String rule, Object value) {
    return new IOException(name + ": " + field + " must be " + rule + ": " + field + "=" + value);
  }

  private static void check(String name, String field, boolean holds, String rule, Object value)
      throws IOException {
    if (!holds) {
      throw refusal(name, field, rule, value);
    }
  }

  private static void checkEqual(String name, String field, long value, long expected)
      throws IOException {
    check(name, field, value == expected, Long.toString(expected), value);
  }

  private static long checkedRange(String name, String field, long value, long min, long max)
      throws IOException {
    check(name, field, value >= min && value <= max, "in " + min + ".." + max, value);
    return value;
  }

  private static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }

  /** The first bytes as text, with dots for what is none. */
  private static String text(ByteBuffer bytes) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < MAGIC_BYTES; i++) {
      byte one = bytes.get(i);
      text.append(one >= ' ' && one < 0x7f ? (char) one : '.');
    }
    return text.append('"').toString();
  }
}
