package dev.millrace.queues.log;

import java.util.List;

/**
 * What was found in the directory of a {@link MessageLog} when it was opened or verified.
 *
 * @param segments how many segments there are
 * @param firstNumber the number of the oldest message still in the log
 * @param endNumber one past the number of the last message
 * @param messages how many messages were read and found whole. Opening a log reads only the
 *     segments that are not known to be complete on the disk, normally just the last segment
 * @param damages all damaged places, in the order of their numbers
 * @since 0.1.0
 */
public record LogReport(
    int segments, long firstNumber, long endNumber, long messages, List<LogDamage> damages) {
  /** Makes a report. */
  public LogReport {
    damages = List.copyOf(damages);
  }

  /**
   * Returns whether nothing is damaged.
   *
   * @return true if {@code damages} is empty
   */
  public boolean isWhole() {
    return damages.isEmpty();
  }
}
