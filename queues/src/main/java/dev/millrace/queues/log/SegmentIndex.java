package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.millrace.core.internal.Speculative;
import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.NullUnmarked;

/**
 * The index of a segment. Each message has an int, which is its position / 8, or 0 if the message
 * is not there. An entry is trusted only after the message was found at its position.
 */
@NullUnmarked // which fields are null follows from the state
final class SegmentIndex {
  private static final int UNIT_SHIFT = 3; // messages begin at multiples of 8
  private static final int ENTRY_SHIFT = 2;
  private static final int CLEARED_BYTES = 4096; // how much is cleared at once

  private final MemorySegment entries; // null if there is no file
  private final long first;
  private final long count;

  /**
   * Makes an index.
   *
   * @param entries the file's memory, or null if there is no file
   * @param first the number of the segment's first message
   */
  SegmentIndex(MemorySegment entries, long first) {
    this.entries = entries;
    this.first = first;
    this.count = entries == null ? 0 : entries.byteSize() >> ENTRY_SHIFT;
  }

  /** Returns the size of the index for a segment of {@code segmentBytes}. */
  static long bytes(long segmentBytes) {
    long most = segmentBytes - SegmentHeader.BYTES - SegmentHeader.END_BYTES;
    return (most / LogSegment.MESSAGE_BYTES) << ENTRY_SHIFT;
  }

  /** Maps the index of a segment. Returns null if there is no file of the right size. */
  static LogFiles.Mapped map(LogFiles files, String name, long segmentBytes, boolean isWritten)
      throws IOException {
    LogFiles.Mapped index;
    try {
      index = files.map(name, isWritten);
    } catch (NoSuchFileException e) {
      return null;
    }
    if (index.memory().byteSize() != bytes(segmentBytes)) {
      index.close();
      return null;
    }
    return index;
  }

  boolean isThere() {
    return entries != null;
  }

  /** Sets the position of message {@code number}. */
  void put(long number, long position) {
    entries.set(JAVA_INT, (number - first) << ENTRY_SHIFT, (int) (position >>> UNIT_SHIFT));
  }

  /**
   * Returns the position that the index gives for message {@code number}, or 0 if it gives none.
   */
  @Speculative
  long position(long number) {
    long entry = number - first;
    return entry < 0 || entry >= count
        ? 0
        : (entries.get(JAVA_INT, entry << ENTRY_SHIFT) & 0xFFFF_FFFFL) << UNIT_SHIFT;
  }

  /** Corrects the entry of message {@code number}, if there is an index. */
  void correct(long number, long position) {
    if (isThere() && position(number) != position) {
      put(number, position);
    }
  }

  /** Copies the entries below the number {@code end} to another index of the same segment. */
  void copyTo(SegmentIndex other, long end) {
    MemorySegment.copy(entries, 0, other.entries, 0, (end - first) << ENTRY_SHIFT);
  }

  /** Clears the entries of message {@code number} and all later ones. */
  void clearFrom(long number) {
    long from = (number - first) << ENTRY_SHIFT;
    while (from < entries.byteSize()) {
      long at = Zeros.firstOther(entries, from, entries.byteSize());
      if (at < 0) {
        return;
      }
      from = Math.min(entries.byteSize(), at + CLEARED_BYTES);
      entries.asSlice(at, from - at).fill((byte) 0);
    }
  }

  /**
   * Returns the last number that has an entry, or one less than the first number if there is no
   * entry.
   */
  long last() {
    long low = first;
    long high = first + count;
    while (low < high) { // binary search, because entries are written in order
      long middle = (low + high) >>> 1;
      if (position(middle) != 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
