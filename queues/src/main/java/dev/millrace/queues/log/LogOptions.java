package dev.millrace.queues.log;

import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The options of a {@link MessageLog}.
 *
 * <p>By default the log leaves it to the system when messages reach the disk, keeps all of them,
 * stamps them with {@link System#currentTimeMillis}, and its readers wait as those of a queue do:
 * they spin, yield, then sleep 50 microseconds between tries.
 *
 * @param segmentBytes the size of a segment's file, a power of two in
 *     2<sup>16</sup>..2<sup>30</sup>. The index of a segment takes an eighth as much again.
 *     Existing segments keep their size
 * @param syncNanos nanoseconds from the end of one force to the next; 0 forces continuously, as
 *     long as there is something to force; {@link WaitStrategy#FOREVER} leaves it to calls of
 *     {@link MessageLog#sync}
 * @param retainBytes the bytes of segments to keep; the oldest are removed beyond that
 * @param retainAge how old messages may get, in the clock's unit, before their segment is removed;
 *     {@link Long#MAX_VALUE} for no limit
 * @param clock gives the time of messages, in any unit, and must not restart with the machine or
 *     the process. The log never lets times go back
 * @param readerWaits how a reader waits for a message. Nothing wakes it: where the strategy would
 *     park, it sleeps a millisecond between tries
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
   * Makes options.
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
   * Makes options with the defaults.
   *
   * @param segmentBytes the size of a segment's file, a power of two in
   *     2<sup>16</sup>..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if it is not
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
   * Returns a copy that forces what was committed to the disk at intervals, in a thread of the log.
   *
   * @param interval from the end of one force to the next; zero forces continuously, as long as
   *     there is something to force, and makes {@link MessageLog#awaitDurable} force at once: one
   *     force serves all waiting threads
   * @return the changed options
   * @throws IllegalArgumentException if it is negative
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
   * Returns a copy with a limit on the bytes of segments. Whole segments are removed, the oldest
   * first, never the last one.
   *
   * @param bytes how many to keep, indexes included
   * @return the changed options
   * @throws IllegalArgumentException if it is less than 1
   */
  public LogOptions withRetainBytes(long bytes) {
    return new LogOptions(segmentBytes, syncNanos, bytes, retainAge, clock, readerWaits);
  }

  /**
   * Returns a copy with a limit on the age of messages. A segment is removed, unless it is the
   * last, once all of its messages are older. Where the clock was ahead, what it said when the next
   * segment was begun counts.
   *
   * @param age in the clock's unit, milliseconds by default
   * @return the changed options
   * @throws IllegalArgumentException if it is less than 1
   */
  public LogOptions withRetainAge(long age) {
    return new LogOptions(segmentBytes, syncNanos, retainBytes, age, clock, readerWaits);
  }

  /**
   * Returns a copy with another clock. It must not restart with the machine or the process, as
   * {@link System#nanoTime} does: the log never lets times go back, so after a clock that was ahead
   * all messages have its last time until the new clock reaches it. The gauge {@code aheadOfClock}
   * shows this.
   *
   * @param clock gives the time of messages; called once for each commit, by the producer's thread,
   *     now and then by a thread of the log, and by {@link MessageLog#readMetrics}
   * @return the changed options
   */
  public LogOptions withClock(LongSupplier clock) {
    return new LogOptions(segmentBytes, syncNanos, retainBytes, retainAge, clock, readerWaits);
  }

  /**
   * Returns a copy with another wait strategy for the readers that the log makes.
   *
   * @param strategy how a reader waits for a message
   * @return the changed options
   */
  public LogOptions withReaderWaits(WaitStrategy strategy) {
    return new LogOptions(segmentBytes, syncNanos, retainBytes, retainAge, clock, strategy);
  }

  /** The longest message that fits a segment of this size, so that each holds at least one. */
  int maxLength() {
    return (int) (segmentBytes / 2) - LogSegment.MESSAGE_BYTES;
  }
}
