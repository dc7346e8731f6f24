package dev.millrace.stress.trial;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.queues.internal.LogWords;
import java.lang.foreign.MemorySegment;

/** What the roles of a log tell each other, in memory in place of a file, for scenarios. */
public final class LogRoles {
  private static final long POSITION = 8;
  private static final long OPENING = 16;

  private final MemorySegment file = NativeMemory.allocate(64).segment();
  private final LogWords words = new LogWords();

  /** Makes those of an empty log. */
  public LogRoles() {}

  /**
   * Writes the word of a message, or of the end of a segment.
   *
   * @param word not 0
   */
  public void publish(long word) {
    LogWords.publish(file, POSITION, word);
  }

  /**
   * Reads the word.
   *
   * @return 0 if there is none
   */
  public long read() {
    return LogWords.read(file, POSITION);
  }

  /**
   * Takes the log over for another opening.
   *
   * @param expected the opening that has it
   * @param opening the number of the other one
   * @return false if an opening has it that was not expected
   */
  public boolean takeOver(long expected, long opening) {
    while (!LogWords.exchange(file, OPENING, expected, opening)) {
      if (opening() != expected) {
        return false;
      }
    }
    return true;
  }

  /**
   * Which opening has the log, after all that was published.
   *
   * @return its number; 0 at first
   */
  public long opening() {
    return LogWords.readAgain(file, OPENING);
  }

  /**
   * Notes that messages are written.
   *
   * @param end the number behind them
   */
  public void written(long end) {
    words.markWritten(end);
  }

  /**
   * How far messages are written.
   *
   * @return the number behind them
   */
  public long written() {
    return words.written();
  }

  /**
   * Notes that messages are on the disk.
   *
   * @param end the number behind them
   */
  public void durable(long end) {
    words.markDurable(end);
  }

  /**
   * How far messages are on the disk.
   *
   * @return the number behind them
   */
  public long durable() {
    return words.durable();
  }
}
