package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.MessageQueueAccess;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Overwrites the memory of a queue that processes share. Finds a word that is believed: an access
 * outside the memory, a loop that does not end, an exception that says nothing.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedQueueDamageTest {
  private static final QueueOptions LEAST = QueueOptions.ofCapacity(1 << 9);
  private static final MessageQueueAccess ACCESS = MessageQueueAccess.SECRET.get();
  private static final int ENTRIES_BYTES = 1 << 9;
  private static final int ENTRY_BYTES = 16;
  private static final int WORD_BYTES = 128;
  private static final int STATES = Integer.getInteger("millrace.states", 4_000);

  /** Lets everybody in, and finds everybody dead. */
  private static class NoPeers implements RingPeers {
    private final Burial burial;
    private final long[] announced = {-1, -1}; // last

    NoPeers(Burial burial) {
      this.burial = burial;
    }

    @Override
    public Seat enter(Role role, boolean isSole) {
      burial.recover(role, 0, -1, -1, false);
      return new Place(announced);
    }

    @Override
    public boolean isInheritingDue() {
      return true;
    }

    @Override
    public Seat tryInherit(Role role) {
      if (burial.recover(role, 1, announced[0], announced[1], true)) {
        return null;
      }
      Place heir = new Place(announced);
      heir.declare(announced[0], announced[1]);
      heir.confirm();
      return heir;
    }

    @Override
    public boolean buryDead() {
      return burial.recover(Role.CONSUMER, 1, announced[0], announced[1], true);
    }

    @Override
    public boolean isConfirmed(int number) {
      return announced[0] >= 0;
    }

    @Override
    public void confirmFor(int number, long end) {}

    @Override
    public Fate fateOf(long sequence, boolean isMarked) {
      return isMarked ? Fate.FENCED : Fate.DEAD;
    }

    @Override
    public boolean isClaimedAgain(long sequence) {
      return false;
    }

    @Override
    public long patienceNanos() {
      return 64;
    }
  }

  /** A seat that notes the last claim of any. */
  private static final class Place implements RingPeers.Seat {
    private final long[] announced;
    private long first = -1;
    private long end;
    private final int number;
    private boolean isAbandoned;

    Place(long[] announced) {
      this(announced, 1);
    }

    Place(long[] announced, int number) {
      this.announced = announced;
      this.number = number;
    }

    @Override
    public void check() {}

    @Override
    public int number() {
      return number;
    }

    @Override
    public long claimed() {
      return first;
    }

    @Override
    public long claimedEnd() {
      return end;
    }

    @Override
    public void declare(long from, long to) {
      first = from;
      end = to;
    }

    @Override
    public void confirm() {
      announced[0] = first;
      announced[1] = end;
    }

    @Override
    public void withdraw() {
      first = -1;
    }

    @Override
    public void leave() {}

    @Override
    public void abandon() {
      isAbandoned = true;
    }
  }

  private static MessageQueue attach(MemorySegment memory, String kind, boolean repeats) {
    SharedRing ring = new SharedRing(memory, NoPeers::new, repeats, "test", _ -> false);
    return switch (kind) {
      case "mpmc" -> ACCESS.mpmc(LEAST, ring);
      case "mpsc" -> ACCESS.mpsc(LEAST, ring);
      default -> ACCESS.spsc(LEAST, ring);
    };
  }

  private static MemorySegment memory(Arena arena) {
    return arena.allocate(ACCESS.sharedBytes(LEAST.capacity(), true), 128);
  }

  @ParameterizedTest
  @ValueSource(strings = {"spsc", "mpsc", "mpmc"})
  void use_ofOverwrittenMemory_endsOrThrowsWhatIsWrong(String kind) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = memory(arena);
      SplittableRandom random = new SplittableRandom(17);
      int damaged = 0;
      for (int state = 0; state < STATES; state++) {
        memory.fill((byte) 0);
        damaged += use(memory, kind, random) ? 1 : 0;
      }
      assertThat(damaged).as("states that were found damaged").isGreaterThan(STATES / 20);
    }
  }

  /** In 2^20 cells, the stamp of a turn before the first would be one of a later turn. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 9, 1 << 24})
  void producer_whenDeadInTheMiddleOfACommit_isSucceeded(int capacity) {
    QueueOptions options = QueueOptions.ofCapacity(capacity);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(ACCESS.sharedBytes(capacity, false), 128);
      SharedRing ring = new SharedRing(memory, NoPeers::new, true, "test", _ -> false);
      assertThat(ACCESS.spsc(options, ring).newProducer().tryClaim(1, 8, 3)).isEqualTo(3);
      long secondOfRun = 1 << 3 | Stamps.COMMITTED; // of one cell, in the first turn
      memory.set(ValueLayout.JAVA_LONG, ENTRY_BYTES, secondOfRun);
      MessageQueue queue = ACCESS.spsc(options, ring);
      MessageProducer successor = queue.newProducer();
      MessageConsumer consumer = queue.newConsumer();
      for (int i = 0; i < 3; i++) {
        assertThat(successor.tryClaim(1, 8)).isNotNull();
        assertThat(consumer.tryPoll()).isNull();
        successor.commit();
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
      }
    }
  }

  /** Uses a queue, damages it, and uses it again; returns whether it was found damaged. */
  private static boolean use(MemorySegment memory, String kind, SplittableRandom random) {
    MessageQueue queue = attach(memory, kind, true);
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    boolean[] isDamaged = new boolean[1];
    for (int act = random.nextInt(40); act > 0; act--) {
      act(queue, producer, consumer, random, isDamaged);
    }
    for (int words = 1 + random.nextInt(3); words > 0; words--) {
      long at = offset(memory, random);
      memory.set(ValueLayout.JAVA_LONG, at, value(memory, at, random));
    }
    for (int act = 0; act < 20; act++) {
      act(queue, producer, consumer, random, isDamaged);
    }
    MessageQueue other = attach(memory, kind, random.nextBoolean());
    attempt(
        () -> {
          MessageProducer second = other.newProducer();
          MessageConsumer third = other.newConsumer();
          for (int act = 0; act < 10; act++) {
            act(other, second, third, random, isDamaged);
          }
        },
        isDamaged);
    return isDamaged[0];
  }

  /** An offset in an entry, of a word on cache lines of its own, or anywhere. */
  private static long offset(MemorySegment memory, SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0, 1 -> random.nextLong(ENTRIES_BYTES / Long.BYTES) * Long.BYTES;
      case 2, 3 -> random.nextLong(memory.byteSize() / WORD_BYTES) * WORD_BYTES;
      default -> random.nextLong(memory.byteSize() / Long.BYTES) * Long.BYTES;
    };
  }

  private static long value(MemorySegment memory, long at, SplittableRandom random) {
    long before = memory.get(ValueLayout.JAVA_LONG, at);
    return switch (random.nextInt(6)) {
      case 0 -> random.nextLong();
      case 1 -> before ^ 1L << random.nextInt(64);
      case 2 -> before + random.nextInt(65) - 32;
      case 3 -> -1;
      case 4 -> Long.MAX_VALUE - random.nextInt(100);
      default -> random.nextLong(1 << 22);
    };
  }

  private static void act(
      MessageQueue queue,
      MessageProducer producer,
      MessageConsumer consumer,
      SplittableRandom random,
      boolean[] isDamaged) {
    Runnable act =
        switch (random.nextInt(8)) {
          case 0 -> () -> offer(producer, random.nextInt(200));
          case 1 ->
              () -> {
                if (producer.tryClaim(1, random.nextInt(40), 1 + random.nextInt(4)) > 0) {
                  producer.commit();
                }
              };
          case 2 ->
              () -> {
                if (producer.tryClaim(1, random.nextInt(100)) != null) {
                  producer.abort();
                }
              };
          case 3 ->
              () -> {
                int limit = random.nextInt(8) > 0 ? 1 + random.nextInt(9) : Integer.MAX_VALUE;
                int count = consumer.tryPoll(limit);
                for (int i = 0; i < count; i++) {
                  read(consumer.at(i));
                }
                consumer.release();
              };
          case 4 -> () -> consumer.drain(SharedQueueDamageTest::read, 5);
          case 5 -> queue::metrics;
          case 6 -> () -> queue.isDrained();
          default ->
              () -> {
                if (consumer.tryPoll() != null) {
                  consumer.release();
                }
              };
        };
    attempt(act, isDamaged);
  }

  private static void offer(MessageProducer producer, int length) {
    Message message = producer.tryClaim(1, length);
    if (message != null) {
      for (int i = 0; i < length; i++) {
        message.putByte(i, (byte) i);
      }
      producer.commit();
    }
  }

  private static void read(Message message) {
    long sum = 0;
    for (int i = 0; i < message.length(); i++) {
      sum += message.getByte(i);
    }
    assertThat(sum).isLessThan(Long.MAX_VALUE);
  }

  private static void attempt(Runnable use, boolean[] isDamaged) {
    try {
      use.run();
    } catch (UncheckedIOException e) {
      assertThat(e).hasMessageContaining("damaged: ");
      isDamaged[0] = true;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageNotContaining("null");
    }
  }

  @Test
  void message_ofNoLengthThatFits_isDamage() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = memory(arena);
      MessageQueue queue = attach(memory, "spsc", true);
      offer(queue.newProducer(), 10);
      memory.set(ValueLayout.JAVA_INT, 12, 17);
      MessageConsumer consumer = queue.newConsumer();
      assertThatThrownBy(consumer::tryPoll)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("queue is damaged: message of 17 bytes in 1 cells, test");
    }
  }

  @Test
  void head_aheadOfTheTail_isDamage() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = memory(arena);
      MessageQueue queue = attach(memory, "spsc", true);
      MessageProducer producer = queue.newProducer();
      memory.set(ValueLayout.JAVA_LONG, 512 + 256, 5); // behind the entries
      assertThatThrownBy(() -> producer.tryClaim(1, 10))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("head is 5, not in 0..0, test");
    }
  }

  /** Of no cells, of freed memory, of a turn to come, and of a message that is longer. */
  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1L << 19 | 1 << 3 | Stamps.COMMITTED, 3 << 3 | Stamps.COMMITTED})
  void release_ofAnOverwrittenStamp_isDamage(long stamp) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = memory(arena);
      MessageQueue queue = attach(memory, "mpmc", true);
      MessageProducer producer = queue.newProducer();
      MessageConsumer consumer = queue.newConsumer();
      for (int i = 0; i < 4; i++) {
        offer(producer, 10);
      }
      queue.complete();
      assertThat(consumer.tryPoll(3)).isEqualTo(3);
      memory.set(ValueLayout.JAVA_LONG, ENTRY_BYTES, stamp);
      assertThatThrownBy(() -> consumer.at(2))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("queue is damaged: stamp ");
      assertThatThrownBy(consumer::release)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("queue is damaged: stamp ")
          .hasMessageContaining(" of cell 1, test");
    }
  }

  @Test
  void consumer_whosePlaceIsDamaged_leavesItToAnother() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = memory(arena);
      AtomicReference<Place> place = new AtomicReference<>();
      Function<RingPeers.Burial, RingPeers> peers =
          burial ->
              new NoPeers(burial) {
                @Override
                public Seat enter(Role role, boolean isSole) {
                  place.set(new Place(new long[2], 64));
                  return place.get();
                }
              };
      MessageQueue queue =
          ACCESS.mpmc(LEAST, new SharedRing(memory, peers, true, "test", _ -> false));
      assertThatThrownBy(queue::newConsumer)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("seat is 64, not in 0..63, test");
      assertThat(place.get().isAbandoned).isTrue();
    }
  }

  // ---- files ----

  @TempDir Path folder;

  @Test
  void file_thatIsOpenedAgain_hasTheMessagesThatWereCommitted() throws IOException {
    Path file = folder.resolve("queue");
    try (MessageQueue queue = MessageQueue.spsc(LEAST, file)) {
      offer(queue.newProducer(), 10);
      assertThatThrownBy(queue::newProducer)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("there is a producer already: pid=");
    }
    try (MessageQueue queue = MessageQueue.spsc(LEAST, file)) {
      Message message = queue.newConsumer().tryPoll();
      assertThat(message.length()).isEqualTo(10);
      assertThat(message.isRepeated()).isFalse();
    } // with the message in hand
    try (MessageQueue queue = MessageQueue.spsc(LEAST, file)) {
      assertThat(queue.newConsumer().tryPoll().isRepeated()).isTrue();
      queue.complete();
      assertThatThrownBy(() -> queue.newProducer().tryClaim(1, 1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("queue is completed");
    }
    assertThatThrownBy(() -> MessageQueue.spsc(LEAST.withCapacity(1 << 10), file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("other settings: capacity=512, expected 1024");
    assertThatThrownBy(() -> MessageQueue.mpsc(LEAST, file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another kind of ring: kind=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"spsc", "mpsc", "mpmc"})
  void message_inHandWhenItsQueueIsClosed_isRepeatedOrLost(String kind) throws IOException {
    for (QueueOptions options : List.of(LEAST, LEAST.withoutRepeats())) {
      Path file = folder.resolve("queue-" + options.repeats());
      try (MessageQueue queue = open(kind, options, file)) {
        MessageProducer producer = queue.newProducer();
        MessageConsumer consumer = queue.newConsumer();
        for (int i = 0; i < 4; i++) {
          offer(producer, 10 * i);
        }
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
        assertThat(consumer.tryPoll(2)).isEqualTo(2);
      }
      try (MessageQueue queue = open(kind, options, file)) {
        MessageConsumer consumer = queue.newConsumer();
        List<String> come = new ArrayList<>();
        for (Message message = consumer.tryPoll(); message != null; message = consumer.tryPoll()) {
          come.add(message.length() + (message.isRepeated() ? " again" : ""));
          consumer.release();
        }
        boolean repeats = options.repeats();
        assertThat(come) // among many consumers, after the messages that none had
            .containsExactlyInAnyOrderElementsOf(
                repeats ? List.of("10 again", "20 again", "30") : List.of("30"));
        assertThat(queue.metrics())
            .containsEntry("repeated", repeats ? 2L : 0L)
            .containsEntry("lost", repeats ? 0L : 2L);
        assertThat(queue.sizeEstimate()).isZero();
      }
      assertThatThrownBy(() -> open(kind, options.repeats() ? LEAST.withoutRepeats() : LEAST, file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("other settings: repeats=");
    }
  }

  private static MessageQueue open(String kind, QueueOptions options, Path file)
      throws IOException {
    return switch (kind) {
      case "mpmc" -> MessageQueue.mpmc(options, file);
      case "mpsc" -> MessageQueue.mpsc(options, file);
      default -> MessageQueue.spsc(options, file);
    };
  }

  @Test
  void close_ofAQueueThatOthersUse_leavesThemAtWork() throws IOException {
    Path file = folder.resolve("queue");
    try (MessageQueue queue = MessageQueue.mpsc(LEAST, file)) {
      MessageConsumer consumer = queue.newConsumer();
      MessageQueue other = MessageQueue.mpsc(LEAST, file);
      MessageProducer producer = other.newProducer();
      offer(producer, 10);
      assertThat(producer.tryClaim(1, 100)).isNotNull();
      other.close(); // with a claim open
      assertThatThrownBy(() -> producer.tryClaim(1, 1)).isInstanceOf(IllegalStateException.class);
      assertThat(consumer.tryPoll().length()).isEqualTo(10);
      consumer.release();
      assertThat(consumer.tryPoll()).isNull();
      assertThat(queue.sizeEstimate()).isZero();
      assertThat(queue.isCompleted()).isFalse();
    }
  }
}
