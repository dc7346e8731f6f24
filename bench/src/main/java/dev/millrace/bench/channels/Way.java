package dev.millrace.bench.channels;

import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** How bytes get from a channel to a message, and from there to another channel. */
public enum Way {
  /** The channels read and write the message's memory. */
  IN_PLACE {
    @Override
    int read(ReadableByteChannel source, Message message, Space space) throws IOException {
      return message.readFrom(source, message.length());
    }

    @Override
    void write(Message message, WritableByteChannel target, Space space) throws IOException {
      for (int at = 0; at < message.length(); ) {
        at += message.writeTo(target, at);
      }
    }
  },

  /** Through a direct buffer of the user's: the fewest copies without the message's methods. */
  DIRECT_BUFFER {
    @Override
    int read(ReadableByteChannel source, Message message, Space space) throws IOException {
      int count = source.read(space.direct.clear().limit(message.length()));
      if (count > 0) {
        message.putBytes(0, space.segment.asSlice(0, count));
      }
      return count;
    }

    @Override
    void write(Message message, WritableByteChannel target, Space space) throws IOException {
      message.getBytes(0, space.segment.asSlice(0, message.length()));
      ByteBuffer bytes = space.direct.clear().limit(message.length());
      while (bytes.hasRemaining()) {
        target.write(bytes);
      }
    }
  },

  /** Through an array, which the JDK copies once more on each side. */
  BYTE_ARRAY {
    @Override
    int read(ReadableByteChannel source, Message message, Space space) throws IOException {
      int count = source.read(space.heap.clear().limit(message.length()));
      if (count > 0) {
        message.putBytes(0, space.array, 0, count);
      }
      return count;
    }

    @Override
    void write(Message message, WritableByteChannel target, Space space) throws IOException {
      message.getBytes(0, space.array, 0, message.length());
      ByteBuffer bytes = space.heap.clear().limit(message.length());
      while (bytes.hasRemaining()) {
        target.write(bytes);
      }
    }
  };

  /** What the ways use that copy. */
  static final class Space {
    final byte[] array;
    final ByteBuffer heap;
    final ByteBuffer direct;
    final MemorySegment segment;

    Space(int bytes) {
      array = new byte[bytes];
      heap = ByteBuffer.wrap(array);
      direct = ByteBuffer.allocateDirect(bytes);
      segment = MemorySegment.ofBuffer(direct);
    }
  }

  /** Reads once. Returns how many bytes the message has now. */
  abstract int read(ReadableByteChannel source, Message message, Space space) throws IOException;

  /** Writes the whole message. */
  abstract void write(Message message, WritableByteChannel target, Space space) throws IOException;
}
