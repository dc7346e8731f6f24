package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.QueueOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a process does that is killed at one of its steps. It notes in a file of its own how far it
 * is, which survives it.
 */
public final class KilledPeer {
  static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  static final int MESSAGES = 12; // of one process

  /** Where the notes are. */
  public static final int BEGUN = 0; // a producer's commits; a consumer's messages in hand

  public static final int DONE = 8; // a producer's commits that returned
  public static final int RELEASING = 16; // a consumer's messages, or how far a reader has come
  public static final int RELEASED = 24;

  /** How many messages consumers have begun to release, and have released. */
  static final int GIVING = 32;

  static final int GIVEN = 40;
  static final int FATES = 48; // of the messages of consumers that share, a byte each

  static final int MOST = 1 << 18; // such messages
  static final int SIZE = FATES + MOST;

  private static final long REST_NANOS = 100_000;

  private KilledPeer() {}

  /**
   * Opens a file of notes.
   *
   * @throws IOException if it cannot be opened
   */
  public static MemorySegment notes(Path path, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
    }
  }

  /** Reads a note. */
  public static long note(MemorySegment notes, int at) {
    return notes.get(ValueLayout.JAVA_LONG, at);
  }

  /** Writes a note. */
  public static void note(MemorySegment notes, int at, long value) {
    notes.set(ValueLayout.JAVA_LONG, at, value);
  }

  /**
   * Does something until a process has stopped, and then kills it. Returns whether it had ended.
   *
   * @throws Exception if it did neither
   */
  public static boolean killWhenStopped(Process process, Runnable meanwhile) throws Exception {
    BufferedReader lines = process.inputReader();
    while (!lines.ready() && process.isAlive()) {
      meanwhile.run();
      LockSupport.parkNanos(REST_NANOS);
    }
    String line = lines.readLine();
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(line).isIn("stopped", "ended");
    return line.equals("ended");
  }

  /** A message's length, which says its number, too. */
  static int length(long number) {
    return (int) (16 + number % 5 * 17);
  }

  /**
   * Takes part: what to be, such as {@code spsc producer} or {@code spsc consumer lossy}, the
   * queue's file, the notes' file, and the step at which to stop.
   *
   * @throws Exception if it fails
   */
  public static void main(String... args) throws Exception {
    MessageQueue queue = open(args[0], Path.of(args[1]));
    MemorySegment notes = notes(Path.of(args[2]), Arena.global());
    SteppingJvm.Stop.at(Long.parseLong(args[3]));
    if (args[0].contains("producer")) {
      produce(queue, notes);
    } else if (args[0].startsWith("mpmc")) {
      consumeSome(queue, notes);
    } else {
      consume(queue, notes, args[0].endsWith("lossy"));
    }
    SteppingJvm.Stop.at(-1);
    queue.close();
    System.out.println("ended");
  }

  /** Opens the queue for a role of its kind. */
  static MessageQueue open(String role, Path file) throws IOException {
    QueueOptions options = role.endsWith("lossy") ? OPTIONS.withoutRepeats() : OPTIONS;
    return switch (role.substring(0, 4)) {
      case "mpmc" -> MessageQueue.mpmc(options, file);
      case "mpsc" -> MessageQueue.mpsc(options, file);
      default -> MessageQueue.spsc(options, file);
    };
  }

  private static void produce(MessageQueue queue, MemorySegment notes) throws Exception {
    MessageProducer producer = queue.newProducer();
    long number = note(notes, BEGUN);
    for (int i = 0; i < MESSAGES; i++) {
      int count = i % 3 == 2 ? producer.claim(1, length(number), 3) : 1;
      if (i % 3 != 2) {
        producer.claim(1, length(number));
      }
      for (int at = 0; at < count; at++) {
        write(producer.at(at), number + at);
      }
      note(notes, BEGUN, number + count);
      producer.commit();
      number += count;
      note(notes, DONE, number);
    }
  }

  private static void consume(MessageQueue queue, MemorySegment notes, boolean isLossy)
      throws Exception {
    MessageConsumer consumer = queue.newConsumer();
    for (int i = 0; i < MESSAGES; i++) {
      int count = consumer.poll(1 + i % 3);
      long last = 0;
      for (int at = 0; at < count; at++) {
        Message message = consumer.at(at);
        last = check(message, expected(message, notes, isLossy), note(notes, RELEASED));
        if (last >= note(notes, BEGUN)) {
          note(notes, BEGUN, last + 1);
        }
      }
      note(notes, RELEASING, last + 1);
      note(notes, GIVING, note(notes, GIVING) + count);
      consumer.release();
      note(notes, GIVEN, note(notes, GIVEN) + count);
      note(notes, RELEASED, last + 1);
    }
  }

  /** The number that a message has that comes for the first time; higher if some were lost. */
  static long expected(Message message, MemorySegment notes, boolean isLossy) {
    long next = note(notes, BEGUN);
    return isLossy ? Math.max(next, message.getLong(0)) : next;
  }

  /** Takes messages that others take too, and notes of each one how far it has come. */
  private static void consumeSome(MessageQueue queue, MemorySegment notes) throws Exception {
    MessageConsumer consumer = queue.newConsumer();
    for (int i = 0; i < MESSAGES; i++) {
      int count = consumer.poll(1 + i % 3);
      long[] numbers = new long[count];
      for (int at = 0; at < count; at++) {
        numbers[at] = take(notes, consumer.at(at));
      }
      fate(notes, numbers, GIVING_IT);
      consumer.release();
      fate(notes, numbers, GIVEN_BACK);
    }
  }

  /** What became of a message, by its number, behind the other notes. */
  static final byte IN_HAND = 1;

  static final byte GIVING_IT = 2;
  static final byte GIVEN_BACK = 3;

  static byte fate(MemorySegment notes, long number) {
    return notes.get(ValueLayout.JAVA_BYTE, FATES + number);
  }

  private static void fate(MemorySegment notes, long[] numbers, byte fate) {
    for (long number : numbers) {
      notes.set(ValueLayout.JAVA_BYTE, FATES + number, fate);
    }
  }

  /** Checks and notes a message that has come, perhaps not for the first time. */
  static long take(MemorySegment notes, Message message) {
    long number = message.getLong(0);
    byte before = number < 0 || number >= MOST ? GIVEN_BACK : fate(notes, number);
    boolean isWhole = message.getLong(message.length() - Long.BYTES) == -number;
    if (!isWhole || before == GIVEN_BACK || (before > 0 && !message.isRepeated())) {
      throw new IllegalStateException(
          "number %d, whole %s, before %d, %s"
              .formatted(number, isWhole, before, message.isRepeated() ? "again" : "first"));
    }
    fate(notes, new long[] {number}, IN_HAND);
    return number;
  }

  /** Writes what {@link #check} expects. */
  static void write(Message message, long number) {
    message.putLong(0, number).putLong(message.length() - Long.BYTES, -number);
  }

  /** Checks a message that comes after so many in hand, of which some were released. */
  static long check(Message message, long inHand, long released) {
    long number = message.getLong(0);
    boolean isWhole = message.getLong(message.length() - Long.BYTES) == -number;
    if (!isWhole || number < released || number > inHand) {
      throw new IllegalStateException(
          "number %d, whole %s, in hand %d, released %d"
              .formatted(number, isWhole, inHand, released));
    }
    if (number < inHand && !message.isRepeated()) {
      throw new IllegalStateException("came again, not marked: " + number);
    }
    return number;
  }
}
