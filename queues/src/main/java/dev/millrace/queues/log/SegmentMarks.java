package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.Speculative;
import dev.millrace.queues.internal.LogWords;
import java.lang.foreign.MemorySegment;

/**
 * The marks of a segment. They say which opening has it, where it ends, and how much of it is on
 * the disk. A mark has a position in its low half and the complement of that in its high half. A
 * mark that is not set is 0.
 *
 * <pre>
 * 1024  sealed        8  where the segment ends; none while it is the last
 * 1152  durable       8  how far it is known to be on the disk
 * 1160  durableEnd    8  one past the last message up to there
 * 1168  ~durableEnd   8
 * 1176  complete      8  same as sealed, once the segment and its index are on the disk
 * 1280  opening       8  a number, not a position: the opening that has the segment
 * 1288  closed        8  the last opening that had it and will never write to it again
 * </pre>
 *
 * <p>A mark is published after the state that it describes, so a thread that reads the mark finds
 * that state. Marks are not forced, so a crash may lose any of them, or half of one.
 *
 * <p>If an opening has lost its lock, two openings may write the marks of one segment. The later
 * one does not append there, because it finds that the earlier one has not closed it. The marks of
 * both together say at most that less is on the disk, so the segment is scanned again, or that
 * messages of the earlier opening are lost.
 */
final class SegmentMarks {
  private static final int SEALED = 1024;
  private static final int DURABLE = 1152;
  private static final int DURABLE_END = 1160;
  private static final int NOT_DURABLE_END = 1168;
  private static final int COMPLETE = 1176;
  private static final int OPENING = 1280;
  private static final int CLOSED = 1288;
  private static final long MOST_OPENINGS = 0xFFFF_FFFFL; // the highest number in a mark

  private final MemorySegment memory;
  private final long first;
  private final long limit;

  /**
   * Makes the marks of a segment.
   *
   * @param first the number of its first message
   * @param limit the highest position in the segment
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

  /** Notes that {@code opening} has a segment that is not in the log yet. */
  static void putOpening(MemorySegment memory, long opening) {
    memory.set(JAVA_LONG, OPENING, mark(opening));
  }

  /**
   * Returns the opening that has a file, whatever else the file contains, or 0 if it names none.
   */
  static long opening(MemorySegment memory) {
    return memory.byteSize() < SegmentHeader.BYTES
        ? 0
        : position(LogWords.readAgain(memory, OPENING), MOST_OPENINGS);
  }

  /**
   * Takes a file over from the opening that has it.
   *
   * @param least the lowest number that the new opening may have
   * @return the new opening's number in the file. It is 0 if the file is too short for a number, or
   *     has garbage in its place, where no opening would find its own number
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

  /** Returns the opening that has the segment, or 0 if the segment names none. */
  long opening() {
    return opening(memory);
  }

  /** Notes that {@code opening} will never write to the segment again. */
  void markClosed(long opening) {
    LogWords.publish(memory, CLOSED, mark(opening));
  }

  /** Returns the last opening that will never write to the segment again, or 0 if there is none. */
  long closed() {
    return position(LogWords.read(memory, CLOSED), MOST_OPENINGS);
  }

  // ---- its end ----

  /** Ends the segment at {@code position}, once the next one exists or none will follow. */
  void seal(long position) {
    LogWords.publish(memory, SEALED, mark(position));
  }

  /** Returns where the segment ends, or 0 if it is not sealed or the mark is damaged. */
  long sealed() {
    return position(LogWords.read(memory, SEALED), limit);
  }

  /** Returns whether the segment was sealed at any position. */
  boolean isSealed() {
    return LogWords.read(memory, SEALED) != 0;
  }

  // ---- the disk ----

  /**
   * Notes that the messages before {@code position} are on the disk. Never called before they are.
   */
  void markDurable(long position, long end) {
    LogWords.publish(memory, DURABLE_END, end);
    LogWords.publish(memory, NOT_DURABLE_END, ~end);
    LogWords.publish(memory, DURABLE, mark(position));
  }

  /**
   * Returns the position before which the segment is known to be on the disk, or 0 if nothing is.
   */
  long durable() {
    return isWhole(LogWords.read(memory, DURABLE_END))
        ? position(LogWords.read(memory, DURABLE), limit)
        : 0;
  }

  /** Returns one past the last message that was on the disk, even if the file was cut since. */
  long durableEnd() {
    long end = LogWords.read(memory, DURABLE_END);
    return isWhole(end) ? end : first;
  }

  private boolean isWhole(long end) {
    return end >= first && LogWords.read(memory, NOT_DURABLE_END) == ~end;
  }

  /**
   * Notes that the whole sealed segment and its index are on the disk. Never called before they
   * are.
   */
  void markComplete(long position, long end) {
    markDurable(position, end);
    memory.set(JAVA_LONG, COMPLETE, mark(position));
  }

  /** Returns whether the whole segment, up to its end, and its index were on the disk. */
  @Speculative
  boolean isComplete() {
    long sealed = sealed();
    return sealed != 0 && durable() == sealed && memory.get(JAVA_LONG, COMPLETE) == mark(sealed);
  }
}
