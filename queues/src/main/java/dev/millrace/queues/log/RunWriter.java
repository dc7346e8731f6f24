package dev.millrace.queues.log;

import dev.millrace.queues.internal.ChannelBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.NullUnmarked;

/**
 * Writes the bytes of a reader's run of messages to a channel. A system call takes longer than a
 * copy of a short message, so short messages that follow each other are written together, from a
 * copy. Long ones are written where they lie.
 */
@NullUnmarked // which fields are null follows from the state
final class RunWriter {
  private static final int LONG = 1 << 12; // the least bytes that are worth a call of their own
  private static final int MOST_COPIED = 1 << 16;

  private ByteBuffer copies; // null until there are short messages
  private MemorySegment copied; // the same memory

  private LogSegment segment; // null until a run is written
  private ChannelBuffer buffer; // of its memory
  private long first; // the position of the run
  private long position; // of the message of the run at which the last call began
  private long before; // how many bytes of the run precede that message

  /** Returns how many bytes the messages from {@code first} to {@code behind} have together. */
  static long length(LogSegment segment, long first, long behind) {
    long length = 0;
    for (long at = first; at < behind; at = segment.behind(at)) {
      length += segment.lengthAt(at);
    }
    return length;
  }

  /**
   * Writes bytes of the messages from {@code first} to {@code behind}, starting with the byte
   * {@code from} of them all, with one call of the channel. Returns how many bytes were written.
   */
  int write(LogSegment run, long first, long behind, long from, WritableByteChannel channel)
      throws IOException {
    goTo(run, first, behind, from);
    if (position == behind) {
      return 0;
    }
    int offset = (int) (from - before);
    int rest = run.lengthAt(position) - offset;
    boolean isPlain = ChannelBuffer.isFor(channel);
    if (isPlain && rest >= LONG) {
      return buffer.write(channel, bytesAt(position) + offset, rest, null);
    }
    if (isPlain && copies == null) {
      copies = ByteBuffer.allocateDirect(MOST_COPIED);
      copied = MemorySegment.ofBuffer(copies);
    }
    // another channel may keep the buffer, and would read later messages in it
    ByteBuffer own = isPlain ? copies.clear() : ByteBuffer.allocate(MOST_COPIED);
    int count = copy(offset, behind, isPlain ? copied : MemorySegment.ofBuffer(own), isPlain);
    return channel.write(own.limit(count));
  }

  /** Goes to the message that has the byte {@code from} of the run, or to the end of the run. */
  private void goTo(LogSegment run, long first, long behind, long from) {
    if (run != segment) {
      buffer = new ChannelBuffer(run.memory());
    }
    if (run != segment || first != this.first || position > behind || from < before) {
      segment = run;
      this.first = first;
      position = first;
      before = 0;
    }
    while (position < behind && from - before >= run.lengthAt(position)) {
      before += run.lengthAt(position);
      position = run.behind(position);
    }
    if (from < 0 || (position == behind && from > before)) {
      throw new IndexOutOfBoundsException(
          "no such byte in the open poll: from=%d, bytes=%d"
              .formatted(from, length(run, first, behind)));
    }
  }

  /**
   * Copies bytes from the place of the run on, as far as they fit, and up to the next long message
   * if the channel can do without the copy. Returns how many.
   */
  private int copy(int offset, long behind, MemorySegment target, boolean isPlain) {
    int count = 0;
    long at = position;
    for (int from = offset; at < behind && count < MOST_COPIED; from = 0) {
      int length = segment.lengthAt(at);
      if (isPlain && length - from >= LONG) {
        break;
      }
      int part = Math.min(length - from, MOST_COPIED - count);
      MemorySegment.copy(segment.memory(), bytesAt(at) + from, target, count, part);
      count += part;
      at = segment.behind(at);
    }
    return count;
  }

  private static long bytesAt(long position) {
    return position + LogSegment.MESSAGE_BYTES;
  }
}
