package dev.millrace.queues.internal.shared;

/**
 * Which process: for people, and to find out whether a process that has lost its lock still runs.
 *
 * @param pid its id, in its namespace
 * @param started when it started, in milliseconds since 1970; for people
 * @param startMark when it started, exactly, in a unit of the system's
 * @param namespace the PID namespace; 0 if the system has none
 * @param bootHigh half of the boot id, so that processes before a restart are not taken for others;
 *     0 if the system has none
 * @param bootLow the other half
 */
public record ProcessId(
    long pid, long started, long startMark, long namespace, long bootHigh, long bootLow) {
  private static final int PID_SHIFT = 32;
  private static final int MARK_SHIFT = 8;
  private static final long MARK_MASK = 0xFF_FFFF;
  private static final long PLACE_MASK = 0xFF;

  /**
   * One word that stands for the process, never 0. Processes with equal tickets have the same id,
   * and their starts are a multiple of 2<sup>24</sup> units apart: two days on Linux.
   */
  public long ticket() {
    return pid << PID_SHIFT | (startMark & MARK_MASK) << MARK_SHIFT | place();
  }

  /** Stands for the boot and the namespace, in which process ids mean something. */
  private long place() {
    long mixed = (namespace ^ bootHigh ^ bootLow) * 0x9E37_79B9_7F4A_7C15L;
    return mixed >>> (Long.SIZE - MARK_SHIFT) & PLACE_MASK;
  }

  /** Whether a ticket is of a process of the same boot and, as far as can be told, namespace. */
  boolean isOfSamePlace(long ticket) {
    return (ticket & PLACE_MASK) == place();
  }

  static long pidOf(long ticket) {
    return ticket >>> PID_SHIFT;
  }

  static boolean isStart(long startMark, long ticket) {
    return (startMark & MARK_MASK) == (ticket >>> MARK_SHIFT & MARK_MASK);
  }
}
