package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The header of a segment, which never changes. The file has it twice, at 0 and in the last 64
 * bytes, because a page may be lost. All numbers are in the machine's byte order.
 *
 * <pre>
 *    0  magic         8  "MILLRLOG"
 *    8  byteOrder     4  0x01020304
 *   12  version       4  2
 *   16  segmentBytes  8
 *   24  firstNumber   8
 *   32  created       8  by the log's clock: not before any earlier message, not after its own
 *   40  clock         8  the clock's time at that moment, which may be less
 *   48  salt          4  in each checksum, so that bytes in a message never look like one
 *   52  checksum      4  CRC-32C of bytes 0 to 51
 * </pre>
 *
 * @param segmentBytes the size with which the segment's file was made
 * @param first the number of the segment's first message
 * @param created when the segment was begun, in the log's time
 * @param clock the clock's time at that moment
 * @param salt a number that goes into each checksum
 */
record SegmentHeader(long segmentBytes, long first, long created, long clock, int salt) {
  /** The number of bytes before the messages. */
  static final int BYTES = 4096;

  /** The number of bytes after the messages. */
  static final int END_BYTES = 64;

  private static final byte[] MAGIC = "MILLRLOG".getBytes(StandardCharsets.US_ASCII);
  private static final int BYTE_ORDER_MARK = 0x01020304;
  private static final int VERSION_READ = 2;

  private static final int BYTE_ORDER = 8;
  private static final int VERSION = 12;
  private static final int SEGMENT_BYTES = 16;
  private static final int FIRST = 24;
  private static final int CREATED = 32;
  private static final int CLOCK = 40;
  private static final int SALT = 48;
  private static final int CHECKSUM = 52;

  /** Returns the size of the segment's files. */
  long diskBytes() {
    return diskBytes(segmentBytes);
  }

  static long diskBytes(long segmentBytes) {
    return segmentBytes + SegmentIndex.bytes(segmentBytes);
  }

  /** Returns a header of the same segment, as if it had been begun at {@code time}. */
  SegmentHeader withCreated(long time) {
    return new SegmentHeader(segmentBytes, first, time, clock, salt);
  }

  /** Writes both copies of the header. */
  void write(MemorySegment memory) {
    for (long at : places(memory)) {
      MemorySegment.copy(MAGIC, 0, memory, JAVA_BYTE, at, MAGIC.length);
      memory.set(JAVA_INT, at + BYTE_ORDER, BYTE_ORDER_MARK);
      memory.set(JAVA_INT, at + VERSION, VERSION_READ);
      memory.set(JAVA_LONG, at + SEGMENT_BYTES, segmentBytes);
      memory.set(JAVA_LONG, at + FIRST, first);
      memory.set(JAVA_LONG, at + CREATED, created);
      memory.set(JAVA_LONG, at + CLOCK, clock);
      memory.set(JAVA_INT, at + SALT, salt);
      memory.set(JAVA_INT, at + CHECKSUM, checksum(memory, at));
    }
  }

  /**
   * Reads whichever copy is whole.
   *
   * @param first the number that the segment is named after
   * @throws LogDamagedException if neither copy is whole
   * @throws IOException if it was written by a different version, or on a different kind of machine
   */
  static SegmentHeader read(Path file, MemorySegment memory, long first) throws IOException {
    for (long at : places(memory)) {
      if (isWhole(file, memory, at) && memory.get(JAVA_LONG, at + FIRST) == first) {
        return new SegmentHeader(
            memory.get(JAVA_LONG, at + SEGMENT_BYTES),
            first,
            memory.get(JAVA_LONG, at + CREATED),
            memory.get(JAVA_LONG, at + CLOCK),
            memory.get(JAVA_INT, at + SALT));
      }
    }
    throw new LogDamagedException(new LogDamage(file, 0, first, 0, "header is damaged"));
  }

  private static long[] places(MemorySegment memory) {
    return new long[] {0, (memory.byteSize() & -Long.BYTES) - END_BYTES};
  }

  private static boolean isWhole(Path file, MemorySegment memory, long at) throws IOException {
    if (memory.byteSize() < BYTES
        || !Arrays.equals(memory.asSlice(at, MAGIC.length).toArray(JAVA_BYTE), MAGIC)) {
      return false;
    }
    int mark = memory.get(JAVA_INT, at + BYTE_ORDER);
    int found = memory.get(JAVA_INT, at + CHECKSUM);
    int actual = checksum(memory, at);
    if (mark == Integer.reverseBytes(BYTE_ORDER_MARK) && Integer.reverseBytes(found) == actual) {
      throw new IOException(
          file + ": written in another byte order than this machine's " + ByteOrder.nativeOrder());
    }
    int version = memory.get(JAVA_INT, at + VERSION);
    if (found == actual && version != VERSION_READ) {
      throw new IOException(
          "%s: unknown version: version=%d, known is %d".formatted(file, version, VERSION_READ));
    }
    long segmentBytes = memory.get(JAVA_LONG, at + SEGMENT_BYTES);
    return found == actual
        && mark == BYTE_ORDER_MARK
        && segmentBytes >= BYTES + END_BYTES
        && segmentBytes <= LogOptions.MOST_BYTES;
  }

  private static int checksum(MemorySegment memory, long at) {
    CRC32C checksum = new CRC32C();
    checksum.update(memory.asSlice(at, CHECKSUM).toArray(JAVA_BYTE));
    return (int) checksum.getValue();
  }
}
