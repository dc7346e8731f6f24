package dev.millrace.bench.onethread;

import java.nio.ByteBuffer;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** A ring of Agrona, claimed and written in place. */
final class AgronaLoop extends Loop {
  private static final int RECORD_BYTES = 3 * Long.BYTES;
  private static final int MESSAGE_TYPE = 1;

  private final RingBuffer ring;
  private final AtomicBuffer buffer;
  private final List<MessageHandler> handlers = handlers(this);

  AgronaLoop(RingBuffer ring) {
    this.ring = ring;
    this.buffer = ring.buffer();
  }

  // static: within a hidden class nothing can name it
  private static List<MessageHandler> handlers(Loop loop) {
    return List.of(
        (type, at, index, length) ->
            loop.sum += at.getLong(index) + at.getLong(index + 8) + at.getLong(index + 16),
        (type, at, index, length) ->
            loop.sum += at.getLong(index) + at.getLong(index + 8) + at.getLong(index + 16),
        (type, at, index, length) ->
            loop.sum += at.getLong(index) + at.getLong(index + 8) + at.getLong(index + 16),
        (type, at, index, length) ->
            loop.sum += at.getLong(index) + at.getLong(index + 8) + at.getLong(index + 16));
  }

  /** Memory for a ring of {@link Loop#CAPACITY} records with their headers. */
  static UnsafeBuffer memory() {
    int ringBytes = CAPACITY * (RECORD_BYTES + Long.BYTES);
    return new UnsafeBuffer(
        ByteBuffer.allocateDirect(ringBytes + RingBufferDescriptor.TRAILER_LENGTH));
  }

  private void put() {
    int index = ring.tryClaim(MESSAGE_TYPE, RECORD_BYTES);
    if (index > 0) {
      buffer.putLong(index, number);
      buffer.putLong(index + 8, number + 1);
      buffer.putLong(index + 16, number + 2);
      ring.commit(index);
      number++;
    }
  }

  @Override
  long singles(int records) {
    sum = 0;
    MessageHandler to = handlers.getFirst();
    for (int i = 0; i < records; i++) {
      put();
      ring.read(to, 1);
    }
    return sum;
  }

  @Override
  long handled(int records, int handler) {
    sum = 0;
    MessageHandler to = handlers.get(handler);
    for (int i = 0; i < records; i += RUN) {
      for (int j = 0; j < RUN; j++) {
        put();
      }
      ring.read(to, RUN);
    }
    return sum;
  }
}
