package dev.millrace.queues.log;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The options of a {@link MessageLog}.
 *
 * <p>By default, the operating system decides when messages reach the disk, and the log keeps all
 * messages. The log stamps messages with {@link System#currentTimeMillis}. A waiting reader spins,
 * then yields, then sleeps for 50 microseconds between tries.
 *
 * @param segmentBytes the size of a segment's file, a power of two in
 *     2<sup>16</sup>..2<sup>30</sup>. The index of a segment adds an eighth of the segment's size.
 *     Existing segments keep their size
 * @param syncNanos nanoseconds from the end of one force to the start of the next. With 0, the log
 *     forces continuously as long as there is something to force. With {@link
 *     WaitStrategy#FOREVER}, the log by itself forces only full segments, and leaves the last
 *     segment to {@link MessageLog#sync} and {@link MessageLog#close}
 * @param retainBytes how many bytes of segments to keep. While the segments take more bytes, the
 *     oldest segments are removed
 * @param retainAge how old messages may get, in the clock's unit, before their segment is removed,
 *     or {@link Long#MAX_VALUE} for no limit
 * @param clock gives the time of messages in any unit. The clock must not restart with the machine
 *     or the process. The log never lets the times of messages go back
 * @param readerWaits how a reader waits for a message. Because nothing wakes a reader, the reader
 *     sleeps for a millisecond between tries where the strategy would park
 * @since 0.1.0
 */
public record LogOptions(
    long segmentBytes,
    long syncNanos,
    long retainBytes,
    long retainAge,
    LongSupplier clock,
    WaitStrategy readerWaits) {
  static final WaitStrategy WAITS = new WaitStrategy(1_000, 10, 50_000);
  private static final long LEAST_BYTES = 1L << 16;
  static final long MOST_BYTES = 1L << 30;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public LogOptions {
    Checks.powerOfTwo("segmentBytes", segmentBytes, LEAST_BYTES, MOST_BYTES);
    Checks.inRange("syncNanos", syncNanos, 0, WaitStrategy.FOREVER);
    Checks.inRange("retainBytes", retainBytes, 1, Long.MAX_VALUE);
    Checks.inRange("retainAge", retainAge, 1, Long.MAX_VALUE);
    Checks.notNull("clock", clock);
    Checks.notNull("readerWaits", readerWaits);
  }

  /**
   * Makes options with the given segment size, and the defaults for everything else.
   *
   * @param segmentBytes the size of a segment's file, a power of two in
   *     2<sup>16</sup>..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if {@code segmentBytes} is not a power of two or is out of
   *     range
   */
  public static LogOptions ofSegmentBytes(long segmentBytes) {
    return new LogOptions(
        segmentBytes,
        WaitStrategy.FOREVER,
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        System::currentTimeMillis,
        WAITS);
  }

  /**
   * Returns a copy with which a thread of the log forces committed messages to the disk at
   * intervals.
   *
   * @param interval the time from the end of one force to the start of the next. With zero, the log
   *     forces continuously as long as there is something to force, and {@link
   *     MessageLog#awaitDurable} forces at once, with one force for all waiting threads
   * @return the changed options
   * @throws IllegalArgumentException if {@code interval} is negative
   */
  public LogOptions withSync(Duration interval) {
    return new LogOptions(
        segmentBytes,
        Checks.nanos("interval", interval),
        retainBytes,
        retainAge,
        clock,
        readerWaits);
  }

  /**
   * Returns a copy with a limit on the total size of the segments. Whole segments are removed,
   * oldest first. The last segment is never removed.
   *
   * @param bytes how many bytes to keep, including indexes
   * @return the changed options
   * @throws IllegalArgumentException if {@code bytes} is less than 1
   */
  public LogOptions withRetainBytes(long bytes) {
    return new LogOptions(segmentBytes, syncNanos, bytes, retainAge, clock, readerWaits);
  }

  /**
   * Returns a copy with a limit on the age of messages. A segment is removed once all of its
   * messages are older than the limit. The last segment is never removed. If the log's times were
   * ahead of the clock, a segment's age is measured from the clock's time at the start of the next
   * segment.
   *
   * @param age how old messages may get, in the clock's unit, which is milliseconds by default
   * @return the changed options
   * @throws IllegalArgumentException if {@code age} is less than 1
   */
  public LogOptions withRetainAge(long age) {
    return new LogOptions(segmentBytes, syncNanos, retainBytes, age, clock, readerWaits);
  }

  /**
   * Returns a copy with a different clock. The clock must not restart with the machine or the
   * process, so {@link System#nanoTime} is not suitable. The log never lets the times of messages
   * go back. If an earlier clock ran ahead, new messages repeat the last time of that clock until
   * the new clock catches up. The gauge {@code aheadOfClock} shows how far the start time of the
   * last segment is ahead of the clock.
   *
   * @param clock gives the time of messages. The producer's thread calls it once for each commit. A
   *     thread of the log calls it now and then, as does {@link MessageLog#readMetrics}
   * @return the changed options
   */
  public LogOptions withClock(LongSupplier clock) {
    return new LogOptions(segmentBytes, syncNanos, retainBytes, retainAge, clock, readerWaits);
  }

  /**
   * Returns a copy with a different wait strategy for the readers that the log makes.
   *
   * @param strategy how a reader waits for a message
   * @return the changed options
   */
  public LogOptions withReaderWaits(WaitStrategy strategy) {
    return new LogOptions(segmentBytes, syncNanos, retainBytes, retainAge, clock, strategy);
  }

  /**
   * Returns the length of the longest message. It is chosen so that each segment holds at least one
   * message.
   */
  int maxLength() {
    return (int) (segmentBytes / 2) - LogSegment.MESSAGE_BYTES;
  }
}
