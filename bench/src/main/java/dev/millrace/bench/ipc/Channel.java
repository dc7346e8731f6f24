package dev.millrace.bench.ipc;

import java.io.Closeable;
import java.io.IOException;

/**
 * One end of a channel between two processes, for one thread. A message is a run of words, each of
 * which is written and read in place, where the contender allows it: the first is the message's
 * number, the next one more, and so on.
 */
abstract class Channel implements Closeable {
  /** The number of the last message, after which nothing is sent. */
  static final long LAST = -1;

  /** How many words a message has. */
  protected final int words;

  private long next;
  private boolean hasEnded;

  Channel(int bytes) {
    this.words = bytes / Long.BYTES;
  }

  /** Sends a message if there is room for it. */
  abstract boolean send(long number) throws IOException;

  /**
   * Sends several messages in the way in which the contender sends several at once.
   *
   * @return how many
   */
  int send(long first, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      if (!send(first + i)) {
        return i;
      }
    }
    return count;
  }

  /** Passes what has come to {@link #take}, and returns how many messages. */
  abstract int receive(int limit) throws IOException;

  /** Checks that a message is the next one and whole. */
  protected final void take(long first, long sum) {
    if (sum != sumOf(first)) {
      throw new IllegalStateException("message is torn: number=%d, sum=%d".formatted(first, sum));
    }
    if (first == LAST) {
      hasEnded = true;
    } else if (first == next) {
      next++;
    } else {
      throw new IllegalStateException(
          "message is not the next one: number=%d, next=%d".formatted(first, next));
    }
  }

  private long sumOf(long first) {
    return first * words + (long) words * (words - 1) / 2;
  }

  /** How many messages were taken, without the last. */
  final long taken() {
    return next;
  }

  /** Whether the last message was taken. */
  final boolean hasEnded() {
    return hasEnded;
  }
}
