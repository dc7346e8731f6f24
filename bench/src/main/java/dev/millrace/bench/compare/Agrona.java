package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.bench.Words;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Agrona's message rings, claimed and written in place.
 *
 * @param lengths how long messages are; null if they are records
 */
record Agrona(RingBuffer ring, Lengths lengths) implements Contender {
  static final int RECORD_BYTES = Words.COUNT * Long.BYTES;
  private static final int TYPE = 1;
  private static final int SLOT_BYTES = RECORD_BYTES + Long.BYTES; // with its header

  /** That for as many producers as a work has. */
  static Agrona of(Work work) {
    // a power of two, as it demands: room for as many records as asked for, or more
    int ringBytes = Math.toIntExact(Long.highestOneBit(2L * work.capacity() * SLOT_BYTES - 1));
    AtomicBuffer memory = memory(ringBytes);
    return new Agrona(
        work.producers() == 1 ? new OneToOneRingBuffer(memory) : new ManyToOneRingBuffer(memory),
        null);
  }

  /** A kind of them, with as many bytes as a work asks for. */
  static Agrona of(Work work, Function<AtomicBuffer, RingBuffer> kind) {
    return new Agrona(kind.apply(memory(work.capacity())), work.lengths());
  }

  private static AtomicBuffer memory(int ringBytes) {
    return new UnsafeBuffer(
        ByteBuffer.allocateDirect(ringBytes + RingBufferDescriptor.TRAILER_LENGTH));
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return lengths == null ? Ends.of(Records.class, ring) : Ends.of(Messages.class, ring, lengths);
  }

  @Override
  public long offHeapBytes() {
    return ring.buffer().capacity();
  }

  /** Records as messages. */
  static final class Records extends Ends implements MessageHandler {
    private final RingBuffer ring;
    private final AtomicBuffer buffer;

    Records(RingBuffer ring) {
      this.ring = ring;
      this.buffer = ring.buffer();
    }

    @Override
    boolean send(long number) {
      int index = ring.tryClaim(TYPE, RECORD_BYTES);
      if (index < 0) {
        return false;
      }
      if (Tick.USUAL) {
        buffer.putLong(index, number);
        buffer.putLong(index + 8, number + 1);
        buffer.putLong(index + 16, number + 2);
      } else {
        setAll(index, number);
      }
      ring.commit(index);
      return true;
    }

    private void setAll(int index, long number) {
      for (int i = 0; i < Words.COUNT; i++) {
        buffer.putLong(index + i * Long.BYTES, number + i);
      }
    }

    @Override
    long receive() {
      runSum = 0;
      return ring.read(this, 1) == 0 ? NONE : runSum;
    }

    @Override
    int receive(int limit) {
      return ring.read(this, limit);
    }

    @Override
    public void onMessage(int type, MutableDirectBuffer message, int index, int length) {
      runSum +=
          Tick.USUAL
              ? message.getLong(index) + message.getLong(index + 8) + message.getLong(index + 16)
              : sumOfAll(message, index);
    }

    private static long sumOfAll(MutableDirectBuffer message, int index) {
      long sum = 0;
      for (int i = 0; i < Words.COUNT; i++) {
        sum += message.getLong(index + i * Long.BYTES);
      }
      return sum;
    }
  }

  /** Messages of several lengths. */
  static final class Messages extends Ends implements MessageHandler {
    private final RingBuffer ring;
    private final AtomicBuffer buffer;
    private final Lengths lengths;

    Messages(RingBuffer ring, Lengths lengths) {
      this.ring = ring;
      this.buffer = ring.buffer();
      this.lengths = lengths;
    }

    @Override
    boolean send(long number) {
      int length = lengths.of(number);
      int index = ring.tryClaim(TYPE, length);
      if (index < 0) {
        return false;
      }
      set(index, length, number);
      ring.commit(index);
      return true;
    }

    private void set(int index, int length, long number) {
      int last = length - Long.BYTES;
      buffer.putLong(index, number);
      long sum = number;
      for (int i = Lengths.STEP_BYTES; i < last; i += Lengths.STEP_BYTES) {
        buffer.putLong(index + i, number + i);
        sum += number + i;
      }
      buffer.putLong(index + last, Words.sum(number) - sum);
    }

    @Override
    long receive() {
      runSum = 0;
      return ring.read(this, 1) == 0 ? NONE : runSum;
    }

    @Override
    int receive(int limit) {
      return ring.read(this, limit);
    }

    @Override
    public void onMessage(int type, MutableDirectBuffer message, int index, int length) {
      int last = length - Long.BYTES;
      long sum = message.getLong(index) + message.getLong(index + last);
      for (int i = Lengths.STEP_BYTES; i < last; i += Lengths.STEP_BYTES) {
        sum += message.getLong(index + i);
      }
      runSum += sum;
    }
  }
}
