package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.spec.FifoSpec;
import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;

/**
 * What the messages of a round are like. Type, length, bytes and time of each follow from its
 * number, so that a consumer can check all of them.
 *
 * @param producers how many there are
 * @param longest the most bytes of a message
 * @param clocks how many of the producers, from the first on, send the time
 * @param small from which producer on messages take one cell
 * @param cuts whether claims of several are cut into messages; not with a stall limit
 */
record MessageShape(int producers, int longest, int clocks, int small, boolean cuts) {
  private static final long STEP = 0xD1B54A32D192ED03L;
  private static final long SCATTER = 0xBF58476D1CE4E5B9L;
  private static final int RARELY = 4_095; // a mask: a message without a time makes an exception

  /** Whether the messages of a producer carry the time. */
  boolean hasTime(int producer) {
    return producer < clocks;
  }

  /** The bytes that a time takes. */
  int timeBytes(int producer) {
    return hasTime(producer) ? Long.BYTES : 0;
  }

  /** How many bits of a type say which producer it is; the others are the place, or its end. */
  private int producerBits() {
    return Integer.SIZE - Integer.numberOfLeadingZeros(producers - 1);
  }

  int type(long number) {
    return (int) (((number / producers) << producerBits()) | (number % producers));
  }

  int length(long number) {
    int producer = (int) (number % producers);
    int most =
        producer < small
            ? longest
            : Math.min(longest, MessageQueue.CELL_BYTES - timeBytes(producer));
    long mixed = FifoSpec.mix(number);
    long drawn = ((mixed ^ (mixed >>> 32)) * SCATTER) >>> 33; // 31 bits
    return (int) ((drawn * (most + 1)) >>> 31);
  }

  static long time(long number) {
    return ~FifoSpec.mix(number);
  }

  /** The eight bytes at a position, of which the message may have fewer. */
  private static long word(long seed, int position) {
    return seed + position * STEP;
  }

  /** Writes the bytes of a message into a claim, which may be longer. */
  static void write(Message message, long number, int length) {
    long seed = FifoSpec.mix(number);
    int wholeWords = length & -Long.BYTES;
    for (int at = 0; at < wholeWords; at += Long.BYTES) {
      message.putLong(at, word(seed, at));
    }
    long rest = word(seed, wholeWords);
    for (int at = wholeWords; at < length; at++, rest >>>= Byte.SIZE) {
      message.putByte(at, (byte) rest);
    }
  }

  /** The same into other memory, from which it is copied. */
  static void write(MemorySegment memory, long number, int length) {
    long seed = FifoSpec.mix(number);
    int wholeWords = length & -Long.BYTES;
    for (int at = 0; at < wholeWords; at += Long.BYTES) {
      memory.set(JAVA_LONG_UNALIGNED, at, word(seed, at));
    }
    long rest = word(seed, wholeWords);
    for (int at = wholeWords; at < length; at++, rest >>>= Byte.SIZE) {
      memory.set(JAVA_BYTE, at, (byte) rest);
    }
  }

  /** Makes what reads the number of each message of a consumer, and checks all of the message. */
  ToLongFunction<Message> newReader() {
    return new Reader(this);
  }

  private static final class Reader implements ToLongFunction<Message> {
    private final MessageShape shape;
    private final long[] places; // of each producer's last message: a type has no more than its end

    Reader(MessageShape shape) {
      this.shape = shape;
      this.places = new long[shape.producers];
    }

    @Override
    public long applyAsLong(Message message) {
      int type = message.type();
      int bits = shape.producerBits();
      int producer = type & ((1 << bits) - 1);
      long last = places[producer];
      int distance = (type >>> bits) - (int) last; // without its highest bits
      long place = last + ((distance << bits) >> bits);
      long number = place * shape.producers + producer;
      if (place < 0 || message.length() != shape.length(number)) {
        throw torn(message, number, "length");
      }
      checkBytes(message, number);
      checkTime(message, producer, place, number);
      places[producer] = place;
      return number;
    }

    private static void checkBytes(Message message, long number) {
      long seed = FifoSpec.mix(number);
      int length = message.length();
      int wholeWords = length & -Long.BYTES;
      for (int at = 0; at < wholeWords; at += Long.BYTES) {
        if (message.getLong(at) != word(seed, at)) {
          throw torn(message, number, "bytes from " + at);
        }
      }
      long rest = word(seed, wholeWords);
      for (int at = wholeWords; at < length; at++, rest >>>= Byte.SIZE) {
        if (message.getByte(at) != (byte) rest) {
          throw torn(message, number, "byte " + at);
        }
      }
    }

    private void checkTime(Message message, int producer, long place, long number) {
      if (shape.hasTime(producer)) {
        if (message.time() != time(number)) {
          throw torn(message, number, "time");
        }
      } else if ((place & RARELY) == 0) {
        try {
          message.time();
        } catch (IllegalStateException e) {
          return;
        }
        throw torn(message, number, "time, which it must not have");
      }
    }

    private static AssertionError torn(Message message, long number, String what) {
      return new AssertionError("torn message: " + what + ", number=" + number + ", " + message);
    }
  }
}
