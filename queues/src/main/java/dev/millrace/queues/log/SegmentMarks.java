package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.Speculative;
import dev.millrace.queues.internal.LogWords;
import java.lang.foreign.MemorySegment;

/**
 * The marks of a segment: which opening has it, where it ends, and how far it is on the disk. A
 * mark has a position in its low half and the complement in its high half; 0 is none.
 *
 * <pre>
 * 1024  sealed        8  where the segment ends; none while it is the last
 * 1152  durable       8  how far it is known to be on the disk
 * 1160  durableEnd    8  the number behind the last message up to there
 * 1168  ~durableEnd   8
 * 1176  complete      8  as sealed, once all and the index are known to be on the disk
 * 1280  opening       8  no position but a number: which opening for writing has the segment
 * 1288  closed        8  the opening that had it last, once that will never write it again
 * </pre>
 *
 * <p>A mark is published after what it stands for, so a thread that reads it finds that. Marks are
 * not forced: a crash may lose any of them, or a half.
 */
final class SegmentMarks {
  private static final int SEALED = 1024;
  private static final int DURABLE = 1152;
  private static final int DURABLE_END = 1160;
  private static final int NOT_DURABLE_END = 1168;
  private static final int COMPLETE = 1176;
  private static final int OPENING = 1280;
  private static final int CLOSED = 1288;
  private static final long MOST_OPENINGS = 0xFFFF_FFFFL; // that a mark can distinguish

  private final MemorySegment memory;
  private final long first;
  private final long limit;

  /**
   * Makes those of a segment.
   *
   * @param first the number of its first message
   * @param limit the highest position that there is in it
   */
  SegmentMarks(MemorySegment memory, long first, long limit) {
    this.memory = memory;
    this.first = first;
    this.limit = limit;
  }

  private static long mark(long position) {
    return (~position << Integer.SIZE) | position;
  }

  private static long position(long mark, long limit) {
    long position = mark & 0xFFFF_FFFFL;
    return mark == mark(position) && position <= limit ? position : 0;
  }

  // ---- openings ----

  /** Notes which opening has a segment that is not in the log yet. */
  static void putOpening(MemorySegment memory, long opening) {
    memory.set(JAVA_LONG, OPENING, mark(opening));
  }

  /** The opening that has a file, whatever else is in it; 0 if it says none. */
  static long opening(MemorySegment memory) {
    return memory.byteSize() < SegmentHeader.BYTES
        ? 0
        : position(LogWords.readAgain(memory, OPENING), MOST_OPENINGS);
  }

  /**
   * Takes a file over from the opening that has it.
   *
   * @param least the least number that the new opening may have
   * @return the number that it has in the file; 0 if the file has room for none, or has garbage
   *     there, in which no opening finds its number
   */
  static long takeOver(MemorySegment memory, long least) {
    if (memory.byteSize() < SegmentHeader.BYTES) {
      return 0;
    }
    while (true) {
      long word = LogWords.readAgain(memory, OPENING);
      long before = position(word, MOST_OPENINGS);
      if (before == 0) {
        return 0;
      }
      long next = Math.max(least, before + 1);
      if (LogWords.exchange(memory, OPENING, word, mark(next))) {
        return next;
      }
    }
  }

  /** The opening that has the segment; 0 if it says none. */
  long opening() {
    return opening(memory);
  }

  /** Notes that an opening will never write the segment again. */
  void markClosed(long opening) {
    LogWords.publish(memory, CLOSED, mark(opening));
  }

  /** The opening that said last that it will never write the segment again; 0 if none did. */
  long closed() {
    return position(LogWords.read(memory, CLOSED), MOST_OPENINGS);
  }

  // ---- its end ----

  /** Ends the segment, once the next one is there or there is none. */
  void seal(long position) {
    LogWords.publish(memory, SEALED, mark(position));
  }

  /** Where the segment ends; 0 if it is not sealed, or the mark is damaged. */
  long sealed() {
    return position(LogWords.read(memory, SEALED), limit);
  }

  /** Whether it was sealed, wherever. */
  boolean isSealed() {
    return LogWords.read(memory, SEALED) != 0;
  }

  // ---- the disk ----

  /** Notes that the messages up to a position are on the disk: never before they are. */
  void markDurable(long position, long end) {
    LogWords.publish(memory, DURABLE_END, end);
    LogWords.publish(memory, NOT_DURABLE_END, ~end);
    LogWords.publish(memory, DURABLE, mark(position));
  }

  /** How far it is known to be on the disk; 0 if nothing is. */
  long durable() {
    return isWhole(LogWords.read(memory, DURABLE_END))
        ? position(LogWords.read(memory, DURABLE), limit)
        : 0;
  }

  /** The number behind the last message that was on the disk, even if the file was cut since. */
  long durableEnd() {
    long end = LogWords.read(memory, DURABLE_END);
    return isWhole(end) ? end : first;
  }

  private boolean isWhole(long end) {
    return end >= first && LogWords.read(memory, NOT_DURABLE_END) == ~end;
  }

  /** Notes that all of a sealed segment is on the disk, and its index too: never before it is. */
  void markComplete(long position, long end) {
    markDurable(position, end);
    memory.set(JAVA_LONG, COMPLETE, mark(position));
  }

  /** Whether all of it, up to its end, was on the disk, and its index too. */
  @Speculative
  boolean isComplete() {
    long sealed = sealed();
    return sealed != 0 && durable() == sealed && memory.get(JAVA_LONG, COMPLETE) == mark(sealed);
  }
}
