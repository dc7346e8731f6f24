package dev.millrace.bench.ipc;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import org.agrona.IoUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** A ring buffer of Agrona over a mapped file, whose messages are claimed. */
final class AgronaChannel extends Channel implements MessageHandler {
  private static final int TYPE = 1;

  private final MappedByteBuffer mapped;
  private final RingBuffer ring;
  private final AtomicBuffer buffer;

  AgronaChannel(Path file, Function<AtomicBuffer, RingBuffer> kind, int capacity, int bytes)
      throws IOException {
    super(bytes);
    long size = (long) capacity + RingBufferDescriptor.TRAILER_LENGTH;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
    }
    ring = kind.apply(new UnsafeBuffer(mapped));
    buffer = ring.buffer();
  }

  @Override
  boolean send(long number) {
    int index = ring.tryClaim(TYPE, words * Long.BYTES);
    if (index < 0) {
      return false;
    }
    for (int i = 0; i < words; i++) {
      buffer.putLong(index + i * Long.BYTES, number + i);
    }
    ring.commit(index);
    return true;
  }

  @Override
  int receive(int limit) {
    return ring.read(this, limit);
  }

  @Override
  public void onMessage(int type, MutableDirectBuffer from, int index, int length) {
    long sum = 0;
    for (int i = 0; i < words; i++) {
      sum += from.getLong(index + i * Long.BYTES);
    }
    take(from.getLong(index), sum);
  }

  @Override
  public void close() {
    IoUtil.unmap(mapped);
  }
}
