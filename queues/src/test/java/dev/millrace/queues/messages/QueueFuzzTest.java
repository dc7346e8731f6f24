package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.shared.Magic;
import dev.millrace.testkit.Allocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Overwrites the file of a queue, all of it, single words and single bits, at rest and while a
 * producer, a consumer and an observer use it. Finds what believes the file: an access outside the
 * mapping, a loop that does not end, memory that is allocated on its account, an exception that is
 * not a sentence, and a lock or a mapping that is left behind.
 *
 * <p>A state is a change and what is done after it. {@code -Dmillrace.states=N} asks for as many,
 * and {@code -Dmillrace.seed=N} for others. A failure names the seed and the state.
 */
@Timeout(value = 1_800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueFuzzTest {
  private static final int STATES = Integer.getInteger("millrace.states", 40_000);
  private static final long SEED = Long.getLong("millrace.seed", 55);

  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 9);
  private static final int STATES_PER_OPENING = 16;
  private static final int IMAGES = 64;
  private static final long MOST_BYTES_PER_STATE = 1 << 16; // on the heap

  private static final int HEADER_BYTES = 4_096;
  private static final int FLAGS = 104;
  private static final int TABLE_BYTES = 64 * 128;
  private static final int ENTRIES_AT = HEADER_BYTES + TABLE_BYTES;
  private static final int WORDS_AT = ENTRIES_AT + (1 << 9);
  private static final int WORDS_BYTES = 4 * 128;
  private static final int MORE_WORDS_AT = WORDS_AT + WORDS_BYTES + (1 << 9);
  private static final int MORE_WORDS = 12;
  private static final int LEAST_END = MORE_WORDS_AT + MORE_WORDS * 128;
  private static final int ENTRIES = 6; // more than are in use

  /** Opens a queue of one of the kinds that can be in a file. */
  private interface Kind {
    MessageQueue open(QueueOptions options, Path path) throws IOException;
  }

  private static final Map<String, Kind> KINDS =
      Map.of("spsc", MessageQueue::spsc, "mpsc", MessageQueue::mpsc, "mpmc", MessageQueue::mpmc);
  private static final int STATES_OF_KIND = STATES / 3;

  @TempDir Path folder;
  private Path path;
  private FileChannel channel;
  private final Arena arena = Arena.ofShared();
  private MemorySegment file;
  private int end; // of the queue in the file
  private SplittableRandom random;
  private int state;
  private int refused;
  private int damaged;
  private boolean isVandalised; // by another thread

  @BeforeEach
  void begin() {
    random = new SplittableRandom(SEED);
  }

  @AfterEach
  void end() throws IOException {
    arena.close();
    if (channel != null) {
      channel.close();
    }
  }

  private void map(Kind kind) throws IOException {
    path = folder.resolve("queue");
    Files.deleteIfExists(path);
    kind.open(OPTIONS, path).close();
    channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    file = channel.map(MapMode.READ_WRITE, 0, Files.size(path), arena);
    assertThat(file.byteSize()).isBetween((long) LEAST_END, LEAST_END + 2 * 4_096L);
    end = (int) file.byteSize();
  }

  @ParameterizedTest
  @ValueSource(strings = {"spsc", "mpsc", "mpmc"})
  void file_thatIsOverwritten_makesUsersThrowSentences(String name) throws Exception {
    Kind kind = KINDS.get(name);
    map(kind);
    List<byte[]> images = images(kind);
    System.out.printf(
        Locale.ROOT, "QueueFuzzTest: %s, seed %d, %,d states%n", name, SEED, STATES_OF_KIND);
    long bytes =
        Allocations.bytesIn(
            () -> {
              for (state = 0; state < STATES_OF_KIND; ) {
                copy(images.get(random.nextInt(IMAGES)), file);
                open(kind);
              }
            });
    assertThat(bytes / STATES_OF_KIND).as("allocated per state").isLessThan(MOST_BYTES_PER_STATE);
    assertThat(refused).as("files that were refused").isGreaterThan(STATES_OF_KIND / 2_000);
    assertThat(damaged).as("states that were found damaged").isGreaterThan(STATES_OF_KIND / 20);
    copy(images.getFirst(), file);
    try (MessageQueue queue = kind.open(OPTIONS, path)) { // no lock was left behind
      queue.newProducer().close();
      assertThat(queue.newConsumer()).isNotNull();
    }
  }

  private static void copy(byte[] from, MemorySegment to) {
    MemorySegment.copy(from, 0, to, ValueLayout.JAVA_BYTE, 0, from.length);
  }

  /** Images of files that processes have left, with messages, open claims and open polls. */
  private List<byte[]> images(Kind kind) throws IOException {
    List<byte[]> images = new ArrayList<>();
    byte[] empty = file.toArray(ValueLayout.JAVA_BYTE);
    while (images.size() < IMAGES) {
      copy(empty, file);
      try (MessageQueue queue = kind.open(OPTIONS, path);
          MessageObserver observer = MessageObserver.open(path)) {
        Ends ends = new Ends(queue, observer);
        for (int acts = random.nextInt(200); acts > 0; acts--) {
          ends.act();
        }
        images.add(file.toArray(ValueLayout.JAVA_BYTE)); // as if the process were killed now
        for (int entry = 0; entry < ENTRIES; entry++) { // whose owner would have ended
          Arrays.fill(images.getLast(), owner(entry), owner(entry) + Long.BYTES, (byte) 0);
        }
      }
    }
    assertThat(damaged).as("nothing was damaged").isZero();
    return images;
  }

  private static int owner(int entry) {
    return HEADER_BYTES + entry * 128 + 8;
  }

  /** Opens the file, perhaps after it was overwritten at rest, and overwrites it at work. */
  private void open(Kind kind) throws IOException {
    if (random.nextInt(4) == 0) {
      change(true);
    }
    state++;
    try (MessageQueue queue = kind.open(OPTIONS, path)) {
      try (MessageObserver observer = MessageObserver.open(path)) {
        Ends ends = new Ends(queue, observer);
        for (int i = 1; i < STATES_PER_OPENING; i++) {
          Runnable undo = change(false);
          for (int acts = 0; acts < 6; acts++) {
            ends.act();
          }
          undo.run();
          state++;
        }
      } catch (UncheckedIOException | IllegalStateException e) {
        check(e);
      }
    } catch (IOException e) {
      refused++;
      assertThat(e).as(where()).message().startsWith(path + ": ").hasSizeLessThan(1_000);
    } catch (UncheckedIOException | IllegalStateException e) {
      check(e);
    }
  }

  private String where() {
    return "seed %d, state %d".formatted(SEED, state);
  }

  private void check(RuntimeException e) {
    String sentence = String.valueOf(e.getMessage());
    boolean isDamage = e instanceof UncheckedIOException;
    damaged += isDamage ? 1 : 0;
    if (sentence.contains("null") || (isDamage && !sentence.contains(" damaged: "))) {
      throw new AssertionError(where() + ": " + e, e);
    }
  }

  // ---- changes ----

  /** Changes something; returns what changes it back. */
  private Runnable change(boolean atRest) {
    if (atRest && random.nextInt(8) == 0) {
      byte[] garbage = new byte[end - ENTRIES_AT];
      random.nextBytes(garbage);
      copy(garbage, file.asSlice(ENTRIES_AT));
      return () -> {};
    }
    if (atRest && random.nextInt(4) == 0) {
      changeHeader();
      return () -> {};
    }
    Runnable undo = () -> {};
    for (int words = 1 + random.nextInt(3); words > 0; words--) {
      long at = offset();
      long before = file.get(ValueLayout.JAVA_LONG, at);
      long value = value(before);
      file.set(ValueLayout.JAVA_LONG, at, value);
      Runnable former = undo;
      undo =
          () -> {
            if (file.get(ValueLayout.JAVA_LONG, at) == value) {
              file.set(ValueLayout.JAVA_LONG, at, before);
            }
            former.run();
          };
    }
    return undo;
  }

  /** Most of them with a checksum that fits. */
  private void changeHeader() {
    file.set(ValueLayout.JAVA_INT, 4L * random.nextInt(HEADER_BYTES / 4), random.nextInt());
    if (random.nextInt(4) > 0) {
      int at = random.nextBoolean() ? 8 + 4 * random.nextInt(26) : 128 + 4 * random.nextInt(16);
      int value = random.nextBoolean() ? random.nextInt() : random.nextInt(1 << 13);
      file.set(ValueLayout.JAVA_INT, at, value);
      file.set(
          ValueLayout.JAVA_INT, FLAGS, 0); // or the file is removed, and another is made elsewhere
      CRC32C crc = new CRC32C();
      crc.update(file.asSlice(8, HEADER_BYTES - 12).toArray(ValueLayout.JAVA_BYTE));
      file.set(ValueLayout.JAVA_INT, HEADER_BYTES - 4L, (int) crc.getValue());
      file.set(ValueLayout.JAVA_LONG, 0, Magic.COMPLETE);
    }
  }

  /**
   * A word of the table, an entry, one that has cache lines of its own, or any behind the header.
   */
  private long offset() {
    return switch (random.nextInt(8)) {
      case 0 -> HEADER_BYTES + random.nextInt(ENTRIES) * 128L + random.nextInt(16) * 8L;
      case 1, 2, 3 -> ENTRIES_AT + random.nextInt((1 << 9) / 8) * 8L;
      case 4, 5 -> MORE_WORDS_AT + random.nextInt(MORE_WORDS) * 128L;
      case 6 -> WORDS_AT + random.nextInt(4) * 128L;
      default -> HEADER_BYTES + random.nextInt((end - HEADER_BYTES) / 8) * 8L;
    };
  }

  private long value(long before) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextLong();
      case 1 -> before ^ 1L << random.nextInt(64);
      case 2 -> before + random.nextInt(65) - 32;
      case 3 -> -1 - random.nextInt(3);
      case 4 -> Long.MAX_VALUE - random.nextInt(100);
      default -> random.nextLong(1 << 22);
    };
  }

  // ---- uses ----

  /** All that can be done with a queue without waiting. */
  private final class Ends {
    private final MessageQueue queue;
    private final MessageObserver observer;
    private MessageProducer producer;
    private MessageConsumer consumer;

    Ends(MessageQueue queue, MessageObserver observer) {
      this.queue = queue;
      this.observer = observer;
    }

    /** Does one thing, and checks what it throws. */
    void act() {
      try {
        if (producer == null) {
          producer = queue.newProducer();
        }
        if (consumer == null) {
          consumer = queue.newConsumer();
        }
        act(random.nextInt(16));
      } catch (UncheckedIOException | IllegalStateException e) {
        check(e);
      } catch (IndexOutOfBoundsException e) {
        if (!isVandalised) { // else a message's length may change while a consumer gets it
          throw new AssertionError(where() + ": " + e, e);
        }
      }
    }

    private void act(int kind) {
      switch (kind) {
        case 0, 1, 2 -> put(random.nextInt(100));
        case 3 -> {
          if (producer.tryClaim(1, random.nextInt(40), 1 + random.nextInt(4)) > 0) {
            producer.commit();
          }
        }
        case 4 -> {
          if (producer.tryClaim(1, random.nextInt(257)) != null && random.nextInt(4) > 0) {
            producer.abort();
          }
        }
        case 5 -> producer.commit(); // mostly none is open
        case 6 -> {
          int count =
              consumer.tryPoll(random.nextInt(8) > 0 ? 1 + random.nextInt(9) : Integer.MAX_VALUE);
          for (int i = 0; i < count; i++) {
            read(consumer.at(i));
          }
        }
        case 7, 8 -> consumer.release();
        case 9 -> consumer.drain(QueueFuzzTest::read, 5);
        case 10 -> {
          if (consumer.tryPoll() != null) {
            consumer.release();
          }
        }
        case 11 -> {
          assertThat(queue.sizeEstimate()).isBetween(0, queue.capacity());
          assertThat(queue.metrics().get("size")).isBetween(0L, (long) queue.capacity());
        }
        case 12 -> assertThat(queue.toString()).hasSizeLessThan(200);
        case 13 -> {
          for (int i = 0; i < 64; i++) {
            Message message = observer.tryPoll();
            if (message == null) {
              break;
            }
            read(message);
          }
        }
        case 14 -> {
          assertThat(observer.openCells()).isBetween(0L, (long) observer.capacity());
          long taken = observer.taken() - observer.head();
          assertThat(isVandalised || (taken >= 0 && taken <= observer.capacity())).isTrue();
          assertThat(observer.participants()).hasSizeLessThan(65);
        }
        default -> {
          if (random.nextInt(8) == 0) {
            int _ = queue.snapshot(QueueFuzzTest::read);
          }
        }
      }
    }

    private void put(int length) {
      Message message = producer.tryClaim(1, length);
      if (message != null) {
        for (int at = 0; at < length; at++) {
          message.putByte(at, (byte) at);
        }
        producer.commit();
      }
    }
  }

  private static void read(Message message) {
    for (int at = 0; at < message.length(); at++) {
      byte _ = message.getByte(at);
    }
  }

  @Test
  void snapshot_ofAMessageThatIsLongerThanAny_ends() throws IOException {
    map(MessageQueue::spsc);
    try (MessageQueue queue = MessageQueue.spsc(OPTIONS, path)) {
      MessageProducer producer = queue.newProducer();
      assertThat(producer.tryClaim(1, 16)).isNotNull();
      producer.commit();
      producer.close(); // or closing the queue would find the damage
      file.set(ValueLayout.JAVA_LONG, ENTRIES_AT, 60 << 3 | 2); // 60 cells, committed
      file.set(ValueLayout.JAVA_INT, ENTRIES_AT + 12, 900);
      assertThat(queue.snapshot(_ -> {})).isEqualTo(1);
    }
  }

  // ---- while others are at it ----

  @ParameterizedTest
  @ValueSource(strings = {"spsc", "mpsc", "mpmc"})
  void file_thatAThreadOverwritesAllTheTime_makesUsersThrowSentences(String name) throws Exception {
    Kind kind = KINDS.get(name);
    map(kind);
    byte[] empty = file.toArray(ValueLayout.JAVA_BYTE);
    isVandalised = true;
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicLong changes = new AtomicLong();
    Thread vandal =
        Thread.ofPlatform()
            .start(
                () -> {
                  SplittableRandom own = new SplittableRandom(SEED);
                  while (!isOver.get()) {
                    long at = ENTRIES_AT + own.nextInt((end - ENTRIES_AT) / 8) * 8L;
                    file.set(ValueLayout.JAVA_LONG, at, own.nextInt(3) == 0 ? own.nextLong() : 0);
                    changes.incrementAndGet();
                  }
                });
    try {
      for (state = 0; state < STATES_OF_KIND / 10; ) {
        copy(empty, file);
        open(kind);
      }
    } finally {
      isOver.set(true);
      vandal.join();
    }
    assertThat(changes).hasPositiveValue();
    assertThat(damaged).isPositive();
  }
}
