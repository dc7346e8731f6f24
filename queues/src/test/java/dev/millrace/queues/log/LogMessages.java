package dev.millrace.queues.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Messages of logs for tests: all that is in one follows from its number and its length. */
final class LogMessages {
  private LogMessages() {}

  static int type(long number) {
    return (int) (number * 0x9E37_79B9L);
  }

  static byte byteOf(long number, int index) {
    return (byte) (31 * number + index + (index >> 8) + 1);
  }

  /** Claims, writes and commits the next message; returns its number. */
  static long append(LogProducer producer, int length) {
    long number = producer.number() + 1;
    write(producer.claim(type(number), length), number, length);
    producer.commit();
    assertThat(producer.number()).isEqualTo(number);
    return number;
  }

  /** The same, of a claim that is longer than it needs to be. */
  static void appendShortened(LogProducer producer, int length, int longer) {
    long number = producer.number() + 1;
    write(producer.claim(type(number), longer), number, longer);
    producer.commit(length);
  }

  /** Claims and writes a message, and gives it up. */
  static void abort(LogProducer producer, int length) {
    write(producer.claim(7, length), 7, length);
    producer.abort();
  }

  static void append(LogProducer producer, int count, int length) {
    for (int i = 0; i < count; i++) {
      append(producer, length);
    }
  }

  static void write(Message message, long number, int length) {
    for (int i = 0; i < length; i++) {
      message.putByte(i, byteOf(number, i));
    }
  }

  /** Checks a message that was read, whatever its length. */
  static void check(Message message, long number) {
    if (message.type() != type(number)) {
      throw new AssertionError("type of " + number + ": " + message);
    }
    checkBytes(message, number);
  }

  static void checkBytes(Message message, long number) {
    for (int i = 0; i < message.length(); i++) {
      if (message.getByte(i) != byteOf(number, i)) {
        throw new AssertionError("byte " + i + " of " + number + ": " + message);
      }
    }
  }

  /** Takes the next message and checks it; returns its length. */
  static int take(LogReader reader, long number) {
    Message message = reader.tryPoll();
    assertThat(message).as("message %d", number).isNotNull();
    assertThat(reader.number()).isEqualTo(number);
    check(message, number);
    int length = message.length();
    reader.release();
    return length;
  }

  static void take(LogReader reader, long from, long to) {
    for (long number = from; number < to; number++) {
      take(reader, number);
    }
  }

  /** Takes all that can be read; returns the numbers. Damaged messages are skipped. */
  static List<Long> takeAll(LogReader reader) {
    List<Long> numbers = new ArrayList<>();
    while (true) {
      try {
        Message message = reader.tryPoll();
        if (message == null) {
          return numbers;
        }
        check(message, reader.number());
        numbers.add(reader.number());
        reader.release();
      } catch (LogDamagedException e) {
        if (reader.skipDamaged() == 0) {
          return numbers;
        }
      }
    }
  }

  /** Checks that nothing is behind the last message, while no claim is open. */
  static void checkZerosBehind(LogFiles files, MessageLog log) throws IOException {
    long[] firsts = SegmentNames.firsts(files.names());
    try (LogSegment last = LogSegment.open(files, firsts[firsts.length - 1], false)) {
      long position = new SegmentSearch(last).find(log.endNumber());
      assertThat(last.isEmptyFrom(position)).as("zeros from %d", position).isTrue();
    }
  }

  /** A length of which most are short. */
  static int length(Random random, int most) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt(most + 1);
      case 1 -> random.nextInt(Math.min(most, 4_000) + 1);
      default -> random.nextInt(100);
    };
  }
}
