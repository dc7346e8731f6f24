package dev.millrace.telemetry;

import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * What the records of a trace log mean: for each writer its name, and the name and the layout of
 * what it writes. Entries are added and never changed.
 *
 * <pre>
 * 0       8    128                                            128 + 1024
 * +-------+----+---------+------------------------------------+--------+--
 * | count | -- | lengths | writer, type, layout, in UTF-8     | lengths| ...
 * +-------+----+---------+------------------------------------+--------+--
 *              entry 0                                        entry 1
 *
 *  63      48 47      32 31      16 15       0
 * +----------+----------+----------+----------+
 * | 0        | layout   | type     | writer   |    the lengths, in bytes
 * +----------+----------+----------+----------+
 * </pre>
 *
 * <p>A record, because HotSpot trusts the finals of records.
 *
 * @param memory the entries, with their count before them
 */
record TraceStreams(MemorySegment memory) {
  /*
   * A  COUNT.setRelease in add  ->  COUNT.getAcquire in count    the entry's bytes
   */

  /** The most writers that a log ever has. */
  static final int CAPACITY = 256;

  private static final long FIRST = 128;
  private static final long ENTRY_BYTES = 1024;

  /** What all entries take. */
  static final long SIZE_BYTES = sizeBytes(CAPACITY);

  private static final int LENGTH_BITS = 16;
  private static final long LENGTHS = (1L << LENGTH_BITS) - 1;
  private static final VarHandle COUNT = Ring.STAMP;

  /** What so many entries take. */
  static long sizeBytes(int entries) {
    return FIRST + entries * ENTRY_BYTES;
  }

  /** What one writer's records mean. */
  record Stream(String writer, String type, String layout) {}

  /**
   * Adds an entry; the log's lock is held.
   *
   * @param stream the entry
   * @return its number
   * @throws IllegalStateException if there is no room for another
   * @throws IllegalArgumentException if it is too long
   */
  int add(Stream stream) {
    long count = (long) COUNT.get(memory, 0L); // plain: only who holds the lock writes it
    if (count >= CAPACITY) {
      throw new IllegalStateException(
          "writers must not be more than "
              + CAPACITY
              + " in a log's life: writer="
              + stream.writer());
    }
    byte[][] parts = {bytes(stream.writer()), bytes(stream.type()), bytes(stream.layout())};
    long sizeBytes = Long.BYTES;
    long lengths = 0;
    for (int i = 0; i < parts.length; i++) {
      lengths |= Math.min(parts[i].length, LENGTHS) << (i * LENGTH_BITS);
      sizeBytes += parts[i].length;
    }
    Checks.inRange("bytes of writer, type and layout", sizeBytes, Long.BYTES, ENTRY_BYTES);
    long at = FIRST + count * ENTRY_BYTES;
    memory.set(ValueLayout.JAVA_LONG, at, lengths);
    at += Long.BYTES;
    for (byte[] part : parts) {
      MemorySegment.copy(part, 0, memory, ValueLayout.JAVA_BYTE, at, part.length);
      at += part.length;
    }
    COUNT.setRelease(memory, 0L, count + 1); // release A: the entry
    return (int) count;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** How many entries there are. */
  int count() {
    // acquire A: sees the count from add, hence the entries below it
    return (int) Math.clamp((long) COUNT.getAcquire(memory, 0L), 0L, CAPACITY);
  }

  /** Reads an entry below the count. */
  Stream get(int number) {
    long at = FIRST + number * ENTRY_BYTES;
    long lengths = memory.get(ValueLayout.JAVA_LONG, at);
    String[] parts = new String[3];
    long partAt = at + Long.BYTES;
    for (int i = 0; i < parts.length; i++) {
      long length = (lengths >>> (i * LENGTH_BITS)) & LENGTHS;
      if (partAt + length > at + ENTRY_BYTES) {
        throw new IllegalStateException(
            "lengths of writer "
                + number
                + " must fit its entry: lengths=0x"
                + Long.toHexString(lengths));
      }
      byte[] part = memory.asSlice(partAt, length).toArray(ValueLayout.JAVA_BYTE);
      parts[i] = new String(part, StandardCharsets.UTF_8);
      partAt += length;
    }
    return new Stream(parts[0], parts[1], parts[2]);
  }
}
