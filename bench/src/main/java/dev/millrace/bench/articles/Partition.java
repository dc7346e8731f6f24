package dev.millrace.bench.articles;

import java.io.Closeable;
import java.io.IOException;

/**
 * A log of messages of 16 bytes, as {@link LogFork} uses it: one thread appends, then reads. What
 * is in a message follows from its number, so that each one that is read can be checked.
 */
interface Partition extends Closeable {
  int BYTES = 16;

  /** Appends the next message. */
  void append(long first, long second) throws IOException;

  /** Appends messages, as many as a batch has: as a run, if the log supports runs. */
  default void appendRun(long from, int count) throws IOException {
    for (long number = from; number < from + count; number++) {
      append(first(number), second(number));
    }
  }

  /** Puts all messages on the disk. */
  void force() throws IOException;

  /** Hands to the system what the log itself gathers, if it does. */
  default void flush() throws IOException {}

  /**
   * Reads a message. A log that is faster at reading in order notices by itself that it is the next
   * one.
   *
   * @param number which, from 0
   * @return {@link #fold} of its two words
   */
  long read(long number) throws IOException;

  /** The first word of a message. */
  static long first(long number) {
    return (number + 1) * 0x9E3779B97F4A7C15L;
  }

  /** The second word of a message. */
  static long second(long number) {
    return ~number;
  }

  /** What differs where a word differs, or its place. */
  static long fold(long first, long second) {
    return first + 31 * second;
  }

  /** Checks what {@link #read} has returned. */
  static void check(long number, long read) {
    if (read != fold(first(number), second(number))) {
      throw new AssertionError("message must be as it was appended: number=" + number);
    }
  }
}
