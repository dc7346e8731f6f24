package dev.millrace.queues.internal;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.WritableByteChannel;

/**
 * The memory of messages as the JDK's channels want it. They get one buffer over all of the memory
 * again and again, with the limits of a message, so that a transfer allocates nothing. One thread
 * at a time may use it.
 *
 * <p>With the buffer, a channel could reach other messages, even later. Only channels of the JDK
 * that do nothing but make a system call get it: see {@link #isFor}.
 */
public final class ChannelBuffer {
  private static final long STEP_BYTES = 1L << 30; // a power of two
  private static final long MOST_BYTES = STEP_BYTES + (1L << 29); // and the longest message

  private final MemorySegment memory;
  private ByteBuffer window; // null until there is a transfer
  private long start; // of the window in the memory

  /** Makes the buffer of {@code memory}. Nothing is allocated yet. */
  public ChannelBuffer(MemorySegment memory) {
    this.memory = memory;
  }

  /**
   * Returns whether a channel is one of those that do nothing but system calls with a buffer. Those
   * of {@link java.nio.channels.Channels} run streams, which are a user's code.
   */
  public static boolean isFor(Channel channel) {
    return (channel instanceof FileChannel || channel instanceof SelectableChannel)
        && channel.getClass().getModule() == Object.class.getModule();
  }

  /**
   * Reads up to {@code count} bytes to the place {@code at} of the memory. The transfer is one of
   * {@code transfers}, unless that is null.
   */
  public int read(ReadableByteChannel channel, long at, int count, Transfers transfers)
      throws IOException {
    return move(channel, true, at, count, transfers);
  }

  /**
   * Writes up to {@code count} bytes from the place {@code at} of the memory. The transfer is one
   * of {@code transfers}, unless that is null.
   */
  public int write(WritableByteChannel channel, long at, int count, Transfers transfers)
      throws IOException {
    return move(channel, false, at, count, transfers);
  }

  private int move(Channel channel, boolean reads, long at, int count, Transfers transfers)
      throws IOException {
    ByteBuffer bytes = bytes(at, count);
    if (transfers == null) {
      return move(channel, reads, bytes);
    }
    transfers.begin(channel);
    try {
      return move(channel, reads, bytes);
    } catch (ClosedChannelException e) {
      throw transfers.explained(e);
    } finally {
      transfers.end(channel);
    }
  }

  private static int move(Channel channel, boolean reads, ByteBuffer bytes) throws IOException {
    return reads
        ? ((ReadableByteChannel) channel).read(bytes)
        : ((WritableByteChannel) channel).write(bytes);
  }

  private ByteBuffer bytes(long at, int count) {
    if (window == null || at < start || at + count - start > window.capacity()) {
      start = memory.byteSize() > MOST_BYTES ? at & -STEP_BYTES : 0;
      long size = Math.min(memory.byteSize() - start, MOST_BYTES);
      window = memory.asSlice(start, size).asByteBuffer();
    }
    int from = (int) (at - start);
    return window.limit(from + count).position(from);
  }
}
