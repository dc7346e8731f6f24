package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.Handler;
import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.MessageConsumer.Then;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a message whose bytes reach into another's at some length and place of the ring, a claim
 * that wraps past the ring's end, and cells that never come free.
 */
@ParameterizedClass
@EnumSource
class MessageQueueTest {
  private static final int CELLS = 32;
  private static final int BYTES = CELLS * MessageQueue.CELL_BYTES;
  private static final int LONGEST = BYTES / 2;
  private static final Duration STALL = Duration.ofMillis(1);

  enum Kind {
    SPSC,
    MPSC,
    MPMC;

    MessageQueue make(QueueOptions options) {
      return switch (this) {
        case SPSC -> MessageQueue.spsc(options);
        case MPSC -> MessageQueue.mpsc(options);
        case MPMC -> MessageQueue.mpmc(options);
      };
    }

    MessageQueue lay(QueueOptions options, MemorySegment memory) {
      return switch (this) {
        case SPSC -> MessageQueue.spsc(options, memory);
        case MPSC -> MessageQueue.mpsc(options, memory);
        case MPMC -> MessageQueue.mpmc(options, memory);
      };
    }
  }

  @Parameter Kind kind;
  private final List<MessageQueue> queues = new ArrayList<>();
  private MessageQueue queue;
  private MessageProducer producer;
  private MessageConsumer consumer;

  private void open(QueueOptions options) {
    queue = kind.make(options);
    queues.add(queue);
    producer = queue.newProducer();
    consumer = queue.newConsumer();
  }

  private void open() {
    open(options());
  }

  private static QueueOptions options() {
    return QueueOptions.ofCapacity(BYTES);
  }

  private static QueueOptions parking() {
    return options()
        .withProducerWaits(WaitStrategy.parking())
        .withConsumerWaits(WaitStrategy.parking());
  }

  @AfterEach
  void close() {
    queues.forEach(MessageQueue::close);
  }

  // Each byte of a message follows from its type.

  private static Message write(Message message, int type, int length) {
    for (int i = 0; i < length; i++) {
      message.putByte(i, byteOf(type, i));
    }
    return message;
  }

  private static byte byteOf(int type, int index) {
    return (byte) (31 * type + index + (index >> 8));
  }

  private static boolean put(MessageProducer producer, int type, int length) {
    Message message = producer.tryClaim(type, length);
    if (message != null) {
      write(message, type, length);
      producer.commit();
    }
    return message != null;
  }

  private static void check(Message message, int type, int length) {
    check(message, type, length, type);
  }

  private static void check(Message message, int type, int length, int bytes) {
    assertThat(message).as("message of type %d", type).isNotNull();
    assertThat(message.type()).isEqualTo(type);
    checkBytes(message, length, bytes);
  }

  private static void checkBytes(Message message, int length) {
    checkBytes(message, length, message.type());
  }

  private static void checkBytes(Message message, int length, int bytes) {
    assertThat(message.length()).as("length, type %d", message.type()).isEqualTo(length);
    for (int i = 0; i < length; i++) {
      if (message.getByte(i) != byteOf(bytes, i)) {
        throw new AssertionError("byte " + i + " of " + message);
      }
    }
  }

  private void take(int type, int length) {
    check(consumer.tryPoll(), type, length);
    consumer.release();
  }

  // ---- every place and length ----

  @Test
  void everyLengthAtEveryPlaceOfTheRing_isTakenWhole() {
    for (int length = 0; length <= LONGEST; length++) {
      open();
      for (int place = 0; place <= CELLS; place++) {
        int type = length << 8 | place;
        assertThat(put(producer, type, length)).isTrue();
        take(type, length);
        assertThat(put(producer, ~type, 1)).isTrue();
        take(~type, 1);
        assertThat(consumer.tryPoll()).isNull();
        // the next one begins one cell further
        while ((queue.end() & (CELLS - 1)) != (place + 1) % CELLS) {
          assertThat(put(producer, -1, 0)).isTrue();
          take(-1, 0);
        }
      }
      queue.close();
    }
  }

  /** What the queue must do, call by call, as long as one thread uses it. */
  private final class Model {
    private record Run(int cells, int type, int bytes, int length, boolean isMessage) {
      Run(int cells, int type, int length, boolean isMessage) {
        this(cells, type, type, length, isMessage);
      }

      void check(Message message) {
        MessageQueueTest.check(message, type, length, bytes);
      }
    }

    private final Random random;
    private final Deque<Run> runs = new ArrayDeque<>(); // not passed over yet
    private long tail;
    private long released;
    private int next;
    private int longest; // of the runs

    Model(long seed) {
      random = new Random(seed);
    }

    void put() {
      int length = random.nextInt(4) > 0 ? random.nextInt(100) : random.nextInt(LONGEST + 1);
      int type = next++;
      boolean hasRoom = claims(cells(length), type, length);
      Message message = producer.tryClaim(type, length);
      assertThat(message != null)
          .as("room for %d, seed's call %d", length, next)
          .isEqualTo(hasRoom);
      if (!hasRoom) {
        return;
      }
      write(message, type, length);
      Run claimed = runs.removeLast();
      switch (random.nextInt(6)) {
        case 0 -> {
          producer.abort();
          runs.add(new Run(claimed.cells, type, 0, false));
        }
        case 1 -> {
          int shorter = random.nextInt(length + 1);
          producer.commit(shorter);
          runs.add(new Run(claimed.cells, type, shorter, true));
        }
        default -> {
          producer.commit();
          runs.add(claimed);
        }
      }
    }

    /** A run of messages of one length and one type, which differ in their bytes. */
    void putRun() {
      int length = random.nextInt(150);
      int cells = cells(length);
      int limit = 1 + random.nextInt(8);
      int type = next++;
      long atOnce =
          Math.min(limit, Math.min(CELLS - tail % CELLS, CELLS - (tail - released)) / cells);
      int expected = (int) atOnce;
      if (atOnce > 1) {
        tail += atOnce * cells;
      } else if (claims(cells, type, length)) {
        runs.removeLast();
        expected = 1;
      } else {
        expected = 0;
      }
      int count = producer.tryClaim(type, length, limit);
      assertThat(count).as("run of %d, seed's call %d", length, next).isEqualTo(expected);
      Throws.outOfBounds(() -> producer.at(count), () -> producer.at(-1));
      if (count == 0) {
        return;
      }
      for (int i = count - 1; i >= 0; i--) {
        write(producer.at(i), type + i, length);
      }
      if (count > 1) {
        longest = Math.max(longest, count);
        Throws.illegalState(
            "only a claim of one message can be shortened: count=...", () -> producer.commit(0));
      }
      if (random.nextInt(6) == 0) {
        producer.abort();
        runs.add(new Run(count * cells, type, 0, false));
        return;
      }
      producer.commit();
      for (int i = 0; i < count; i++) {
        runs.add(new Run(cells, type, type + i, length, true));
      }
    }

    /** A claim that is cut into messages of several lengths and types. */
    void putCut() {
      int room = random.nextInt(LONGEST + 1);
      int type = next++;
      boolean hasRoom = claims(cells(room), type, room);
      Message message = producer.tryClaim(type, room);
      assertThat(message != null).isEqualTo(hasRoom);
      if (!hasRoom) {
        return;
      }
      int left = runs.removeLast().cells;
      int rest = room;
      List<Run> cut = new ArrayList<>();
      int length = random.nextInt(Math.min(room, 60) + 1);
      while (true) {
        write(message, type, length);
        int cells = cells(length);
        int most = rest - cells * MessageQueue.CELL_BYTES;
        Message more = most < 0 ? null : producer.next(length, ~type, most + 1);
        assertThat(more).as("more than is left").isNull();
        write(producer.at(0), type, length); // it is still in hand
        boolean goesOn = most >= 0 && left > cells;
        Message behind = producer.next(length, type + 1, Math.max(0, most));
        assertThat(behind != null).as("more of a claim of %d", room).isEqualTo(goesOn);
        if (!goesOn) {
          break;
        }
        cut.add(new Run(cells, type++, length, true));
        assertThat(behind.type()).isEqualTo(type);
        assertThat(behind.length()).isEqualTo(most);
        left -= cells;
        rest = most;
        message = behind;
        length = random.nextInt(Math.min(most, 60) + 1);
      }
      longest = Math.max(longest, cut.size() + 1);
      if (random.nextInt(6) == 0) {
        producer.abort();
        runs.add(new Run(cells(room), type, 0, false));
        return;
      }
      producer.commit(length);
      runs.addAll(cut);
      runs.add(new Run(left, type, length, true));
    }

    private static int cells(int length) {
      return Math.max(1, Math.ceilDiv(length, MessageQueue.CELL_BYTES));
    }

    private boolean claims(int cells, int type, int length) {
      int rest = (int) (CELLS - tail % CELLS);
      if (kind == Kind.SPSC && rest < cells) { // all in one step, or nothing
        if (tail + rest + cells - released > CELLS) {
          return false;
        }
        runs.add(new Run(rest, type, 0, false));
        tail += rest;
      }
      while (tail + cells - released <= CELLS) {
        boolean fits = tail % CELLS + cells <= CELLS;
        tail += cells;
        runs.add(new Run(cells, type, length, fits));
        if (fits) {
          return true;
        }
      }
      return false;
    }

    private void pass() {
      while (!runs.isEmpty() && !runs.peek().isMessage) {
        released += runs.remove().cells;
      }
    }

    void take() {
      pass();
      int limit = random.nextBoolean() ? 1 : 1 + random.nextInt(5);
      int count = consumer.tryPoll(limit);
      List<Run> taken = new ArrayList<>();
      while (taken.size() < limit && !runs.isEmpty() && runs.peek().isMessage) {
        taken.add(runs.remove());
      }
      assertThat(count).isEqualTo(taken.size());
      for (int k = 0; k < 2 * count; k++) { // in any order, then each
        int i = k < count ? random.nextInt(count) : k - count;
        taken.get(i).check(consumer.at(i));
      }
      if (count > 0) {
        int beyond = count;
        Throws.outOfBounds(() -> consumer.at(beyond), () -> consumer.at(-1));
        consumer.release();
      } else {
        Throws.illegalState("nothing to release: no open poll, ...", consumer::release);
      }
      Throws.outOfBounds(() -> consumer.at(0));
      taken.forEach(run -> released += run.cells);
    }

    void drain() {
      pass();
      int limit = 1 + random.nextInt(5);
      long[] bytesLeft = {1 + random.nextInt(200)};
      List<Run> expected = new ArrayList<>();
      long bytes = bytesLeft[0];
      // handlers of one consumer are given one run after the other, across what was aborted
      while (expected.size() < limit && bytes > 0 && !runs.isEmpty()) {
        Run run = runs.remove();
        released += run.cells;
        if (run.isMessage) {
          expected.add(run);
          bytes -= run.length;
        }
      }
      Deque<Run> left = new ArrayDeque<>(expected);
      int count = consumer.drain(message -> left.remove().check(message), limit, bytesLeft[0]);
      assertThat(count).isEqualTo(expected.size());
      assertThat(left).isEmpty();
    }

    void look() {
      List<Run> messages = runs.stream().filter(Run::isMessage).toList();
      Deque<Run> left = new ArrayDeque<>(messages);
      int shown = queue.snapshot(message -> left.remove().check(message));
      assertThat(shown).isEqualTo(messages.size());
      assertThat(queue.freeBytes())
          .isEqualTo((CELLS - (tail - released)) * MessageQueue.CELL_BYTES);
    }
  }

  @Test
  void randomCalls_doWhatTheModelDoes() {
    for (int seed = 0; seed < 200; seed++) {
      open();
      Model model = new Model(seed);
      for (int i = 0; i < 300; i++) {
        switch (model.random.nextInt(10)) {
          case 0, 1 -> model.put();
          case 2, 3 -> model.putRun();
          case 4, 5 -> model.putCut();
          case 6, 7 -> model.take();
          case 8 -> model.drain();
          default -> model.look();
        }
      }
      assertThat(model.longest).as("longest run").isGreaterThan(2);
      queue.close();
    }
  }

  // ---- threads ----

  /** What a producer's thread does, which is told its number. */
  private interface Producing {
    void run(MessageProducer out, int number) throws Exception;
  }

  private List<TestCall<Boolean>> produce(int producers, Producing producing) {
    List<TestCall<Boolean>> calls = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      int number = p;
      MessageProducer out = p == 0 ? producer : queue.newProducer();
      calls.add(TestCall.run(() -> producing.run(out, number)));
    }
    return calls;
  }

  @Test
  void threads_exchangeEachMessageOnceAndWhole_inOrderOfEachProducer() throws Exception {
    int producers = kind == Kind.SPSC ? 1 : 3;
    int consumers = kind == Kind.MPMC ? 3 : 1;
    int each = 3_000;
    open();
    AtomicLong sum = new AtomicLong();
    List<TestCall<Boolean>> calls =
        produce(
            producers,
            (out, number) -> {
              Random random = new Random(number);
              for (int i = 0; i < each; i++) {
                int length = 8 + random.nextInt(random.nextInt(10) == 0 ? LONGEST - 8 : 60);
                int type = i * producers + number;
                Message message = out.claim(type, length);
                write(message, type, length);
                if (random.nextInt(10) == 0) {
                  out.abort();
                  i--;
                } else {
                  out.commit();
                }
              }
            });
    List<TestCall<Boolean>> takers = new ArrayList<>();
    for (int c = 0; c < consumers; c++) {
      MessageConsumer in = c == 0 ? consumer : queue.newConsumer();
      takers.add(
          TestCall.run(
              () -> {
                int[] last = new int[producers];
                java.util.Arrays.fill(last, -1);
                in.forEach(
                    message -> {
                      int type = message.type();
                      checkBytes(message, message.length());
                      assertThat(type / producers).isGreaterThan(last[type % producers]);
                      last[type % producers] = type / producers;
                      sum.addAndGet(type);
                    });
              }));
    }
    TestCall.results(calls);
    queue.complete();
    TestCall.results(takers);
    long count = (long) each * producers;
    assertThat(sum.get()).isEqualTo(count * (count - 1) / 2);
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void drain_ofLongMessages_freesTheFirstBeforeTheLastIsHandled() {
    assumeThat(kind).isNotEqualTo(Kind.MPMC);
    int length = 1 << 14;
    long capacity = 1 << 18;
    open(QueueOptions.ofCapacity(capacity));
    for (int type = 0; type < 7; type++) {
      assertThat(put(producer, type, length)).isTrue();
    }
    int[] next = new int[1];
    List<Long> used = new ArrayList<>();
    Handler<Message> handler =
        message -> {
          check(message, next[0], length);
          used.add((capacity - queue.freeBytes()) / length);
          Throws.illegalState("a poll is already open, release it first: ...", consumer::tryPoll);
          if (next[0]++ == 5) {
            throw new IllegalArgumentException("the handler's");
          }
        };
    int drained =
        consumer.drainWhile(
            message -> {
              if (message.type() == 2) {
                return Then.STOP_BEFORE; // just after two were freed
              }
              handler.handle(message);
              return Then.GO_ON;
            },
            7);
    assertThat(drained).isEqualTo(2);
    Throws.illegalArgument("the handler's", () -> consumer.drain(handler, 7));
    assertThat(used).containsExactly(7L, 7L, 5L, 5L, 3L, 3L);
    take(6, length);
    assertThat(queue.sizeEstimate()).isZero();
  }

  @Test
  void next_cutsAClaimIntoMessagesOfOneTime() {
    open();
    long[] clock = {41};
    MessageQueue own = kind.make(options());
    MessageProducer timed = own.newProducer(() -> ++clock[0]);
    MessageConsumer in = own.newConsumer();
    write(timed.tryClaim(1, 100), 1, 20); // 108 bytes with its time: 7 cells
    assertThat(timed.next(20, 2, 69)).as("100 bytes less 2 cells").isNull();
    write(timed.next(20, 2, 68), 2, 68);
    timed.commit(24); // 3 of its cells stay unused
    assertThat(in.tryPoll(3)).isEqualTo(2);
    check(in.at(0), 1, 20);
    assertThat(in.at(0).time()).isEqualTo(42);
    check(in.at(1), 2, 24);
    assertThat(in.at(1).time()).isEqualTo(42);
    in.release();
    assertThat(own.sizeEstimate()).isZero();
    timed.tryClaim(1, 0);
    assertThat(timed.next(0, 1, 0)).as("one cell, which is taken").isNull();
    timed.commit();
    check(in.tryPoll(), 1, 0);
    own.close();
  }

  @Test
  void next_withAStallLimit_isRefusedAndChangesNothing() {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    open(options().withStallLimit(STALL));
    write(producer.tryClaim(1, 100), 1, 100);
    assertThat(producer.next(10, 2, 0)).isNull();
    producer.commit();
    take(1, 100);
  }

  @Test
  void threads_exchangeRuns_eachWholeAndInOrder() throws Exception {
    int producers = kind == Kind.SPSC ? 1 : 3;
    long each = 10_000;
    open();
    List<TestCall<Boolean>> calls =
        produce(
            producers,
            (out, type) -> {
              Random random = new Random(type);
              for (long next = 0; next < each; ) {
                int limit = (int) Math.min(each - next, 1 + random.nextInt(6));
                int length = 8 * (1 + random.nextInt(8));
                if (random.nextBoolean()) {
                  Message message = out.claim(type, Math.min(length * limit, LONGEST));
                  for (; message != null; message = out.next(length, type, length)) {
                    message.putLong(0, next).putLong(length - 8, next++);
                  }
                  out.commit(length);
                  continue;
                }
                int count = out.claim(type, length, limit);
                for (int i = 0; i < count; i++) {
                  out.at(i).putLong(0, next + i).putLong(length - 8, next + i);
                }
                out.commit();
                next += count;
              }
            });
    long[] expected = new long[producers];
    TestCall<Boolean> taker =
        TestCall.run(
            () ->
                consumer.forEach(
                    message -> {
                      long number = message.getLong(message.length() - 8);
                      assertThat(message.getLong(0)).isEqualTo(number);
                      assertThat(number).isEqualTo(expected[message.type()]++);
                    }));
    TestCall.results(calls);
    queue.complete();
    TestCall.results(List.of(taker));
    assertThat(expected).containsOnly(each);
  }

  @Test
  void waitingEnds_areWokenByEachOther_andByTheEnd() throws Exception {
    open(parking());
    TestCall<Message> polled = TestCall.of(consumer::poll).awaitResting();
    put(producer, 7, 40);
    check(polled.result(), 7, 40);
    consumer.release();

    assertThat(put(producer, 1, LONGEST)).isTrue();
    while (put(producer, 1, 0)) {}
    TestCall<Message> claimed = TestCall.of(() -> producer.claim(2, LONGEST)).awaitResting();
    consumer.drain(_ -> {}, CELLS);
    while (!claimed.isOver()) {
      consumer.drain(_ -> {}, CELLS); // passes over what was aborted at the end of the memory
    }
    write(claimed.result(), 2, LONGEST);
    producer.commit();
    take(2, LONGEST);

    while (put(producer, 1, 0)) {}
    TestCall<Integer> run = TestCall.of(() -> producer.claim(3, 0, 5)).awaitResting();
    take(1, 0);
    assertThat(run.result()).as("room for one").isEqualTo(1);
    producer.commit();
    consumer.drain(_ -> {}, CELLS);

    TestCall<Message> last = TestCall.of(consumer::poll).awaitResting();
    queue.complete();
    assertThat(last.result()).isNull();
    assertThat(consumer.isDrained()).isTrue();
    Throws.illegalState("queue is completed, ...", () -> producer.tryClaim(1, 1));
    assertThat(queue.awaitDrained(Duration.ZERO)).isTrue();
  }

  @Test
  void producers_thatWaitForDifferentRoom_areAllWoken() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    open(parking());
    while (put(producer, 1, 0)) {}
    MessageProducer other = queue.newProducer();
    TestCall<Message> large = TestCall.of(() -> producer.claim(2, LONGEST)).awaitResting();
    TestCall<Message> small = TestCall.of(() -> other.claim(3, 0)).awaitResting();
    take(1, 0); // room for the small one alone, which came later
    assertThat(small.result()).isNotNull();
    assertThat(large.isOver()).isFalse();
    other.commit();
    while (!large.isOver()) {
      consumer.drain(_ -> {}, CELLS);
    }
    assertThat(large.result()).isNotNull();
  }

  @Test
  void strictPoll_endsOnceTheQueueIsClosed_whateverIsLeft() throws Exception {
    open(parking());
    producer.tryClaim(1, 10);
    TestCall<Message> polled = TestCall.of(consumer::strictPoll).awaitResting();
    queue.close();
    assertThat(polled.result()).isNull();
    producer.close(); // its claim is lost
    open();
    put(producer, 1, 10);
    queue.close();
    assertThat(consumer.strictPoll()).isNull();
  }

  @Test
  void timeouts_areKept() throws Exception {
    open();
    assertThat(consumer.poll(Duration.ofMillis(2))).isNull();
    while (put(producer, 1, 0)) {}
    assertThat(producer.claim(1, 1, Duration.ofMillis(2))).isNull();
    Thread.currentThread().interrupt();
    Throws.a(InterruptedException.class, () -> producer.claim(1, 1));
  }

  // ---- the end ----

  @Test
  void complete_letsAnOpenClaimBeCommitted_andThenDrains() {
    open();
    write(producer.tryClaim(3, 50), 3, 50);
    queue.complete();
    assertThat(queue.isCompleted()).isTrue();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(queue.isDrained()).isFalse();
    producer.commit();
    check(consumer.tryPoll(), 3, 50);
    assertThat(queue.isDrained()).as("in hand").isFalse();
    assertThat(consumer.isDrained()).isEqualTo(kind == Kind.MPMC);
    consumer.release();
    assertThat(queue.isDrained()).isTrue();
    assertThat(consumer.isDrained()).isTrue();
  }

  @Test
  void close_letsEveryCallEndClearly() {
    open();
    assertThat(put(producer, 1, 100)).isTrue();
    assertThat(put(producer, 1, 100)).isTrue();
    Message polled = consumer.tryPoll();
    Message claimed = producer.tryClaim(1, 8);
    Map<String, Long> before = queue.metrics();
    queue.close();
    queue.close();
    assertThat(polled).hasToString("Message[type=1, length=100]");
    assertThat(claimed.length()).isEqualTo(8);
    Throws.a(IllegalStateException.class, producer::commit);
    consumer.release();
    assertThat(consumer.tryPoll()).isNull();
    assertThat(consumer.isDrained()).isTrue();
    assertThat(queue.isCompleted()).isTrue();
    assertThat(queue.sizeEstimate()).isZero();
    assertThat(queue.snapshot(_ -> {})).isZero();
    assertThat(queue.metrics()).containsEntry("claimed", before.get("claimed"));
    assertThat(queue).hasToString("MessageQueue[capacity=32, size~0, closed]");
    Throws.illegalState("queue is completed, ...", () -> producer.tryClaim(1, 1));
  }

  @Test
  void accesses_afterClose_sayWhoseMemoryItWas() throws Exception {
    open();
    put(producer, 1, 100);
    Message polled = consumer.tryPoll();
    queue.close();
    String reason = "may no longer be used: its memory was freed by close() of MessageQueue[";
    Throws.illegalState("view of Trade " + reason + "...", () -> polled.as(TRADES).id());
    int accesses = 0;
    for (Method access : Message.class.getMethods()) {
      if (access.getName().matches("(get|put)(?!Class).*")) {
        Object[] arguments =
            Stream.of(access.getParameterTypes()).map(MessageQueueTest::some).toArray();
        assertThatThrownBy(() -> access.invoke(polled, arguments))
            .as("%s", access)
            .cause()
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("message " + reason);
        accesses++;
      }
    }
    assertThat(accesses).isEqualTo(24);
  }

  private static final FlyweightType<Trade> TRADES = FlyweightType.of(Trade.class);

  interface Trade {
    long id();
  }

  /** Some argument of a type. */
  @SuppressWarnings("UnnecessaryStringBuilder") // a method appends to it
  private static Object some(Class<?> type) {
    return switch (type.getSimpleName()) {
      case "int" -> 1;
      case "byte" -> (byte) 1;
      case "short" -> (short) 1;
      case "char" -> 'a';
      case "long" -> 1L;
      case "float" -> 1f;
      case "double" -> 1d;
      case "byte[]" -> new byte[4];
      case "MemorySegment" -> MemorySegment.ofArray(new byte[4]);
      case "CharSequence" -> "a";
      default -> new StringBuilder();
    };
  }

  @Test
  void polls_afterClose_findNothing_thoughMoreWasSeen() throws Exception {
    open();
    for (int i = 0; i < 3; i++) {
      put(producer, i, 8);
    }
    assertThat(consumer.tryPoll()).isNotNull();
    consumer.release();
    queue.close();
    for (int i = 0; i < 2; i++) {
      assertThat(consumer.tryPoll()).isNull();
      assertThat(consumer.tryPoll(3)).isZero();
      assertThat(consumer.poll()).isNull();
      assertThat(consumer.poll(Duration.ofDays(1))).isNull();
      assertThat(consumer.drain(_ -> {}, 3)).isZero();
      consumer.forEach(_ -> {});
    }
  }

  @Test
  void commit_afterClose_saysThatTheMessageIsLost() {
    open();
    producer.tryClaim(1, 8);
    queue.close();
    Throws.illegalState("closed, so the message is lost: ...", producer::commit);
    Throws.illegalState("no open claim...", producer::abort);
  }

  @Test
  void commit_ofSeveralAfterClose_saysThatTheyAreLost() {
    open();
    producer.tryClaim(1, 8, 2);
    queue.close();
    Throws.illegalState("closed, so the message is lost: ...", producer::commit);
    Throws.illegalState("queue is completed...", () -> producer.tryClaim(1, 8));
  }

  @Test
  void abort_afterClose_hasNothingToGiveBack() {
    open();
    producer.tryClaim(1, 8);
    queue.close();
    producer.abort();
    Throws.illegalState("no open claim...", producer::commit);
  }

  @Test
  void messages_ofLongText_areShortAndOnOneLine() {
    open();
    Message message = producer.tryClaim(1, 8);
    Throws.readably(
        () -> message.putAscii(0, Throws.FLOOD),
        () -> message.putAscii(0, Throws.FLOOD + "\u00E4"),
        () -> message.putUtf8(0, Throws.FLOOD),
        () -> message.putUtf8(0, Throws.FLOOD + "\uD83D"),
        () -> message.cursor().putUtf8(Throws.FLOOD));
    producer.abort();
  }

  @Test
  void snapshot_showsWhatIsBehindAnOpenClaim() {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    open();
    assertThat(producer.tryClaim(1, 0, CELLS + 1)).isEqualTo(CELLS);
    producer.abort();
    assertThat(consumer.tryPoll()).isNull();
    producer.tryClaim(2, 0);
    put(queue.newProducer(), 3, 10);
    assertThat(queue.snapshot(message -> check(message, 3, 10))).isEqualTo(1);
  }

  // ---- full ----

  @Test
  void dropNewest_refusesAndCounts() throws Exception {
    open(options().withOnFull(OnFull.DROP_NEWEST));
    while (put(producer, 1, 0)) {}
    assertThat(producer.claim(2, 0)).isNull();
    assertThat(queue.metrics()).containsEntry("dropped", 1L).containsEntry("size", (long) CELLS);
    assertThat(producer.claim(2, 0, 3)).isZero();
    assertThat(queue.metrics()).containsEntry("dropped", 4L);
  }

  @Test
  void dropOldest_makesRoomForWhatIsNew() throws Exception {
    assumeThat(kind).isEqualTo(Kind.MPMC);
    open(options().withOnFull(OnFull.DROP_OLDEST));
    for (int i = 0; i < 100; i++) {
      write(producer.claim(i, 100), i, 100);
      producer.commit();
    }
    List<Integer> types = new ArrayList<>();
    consumer.drain(message -> types.add(message.type()), 100);
    assertThat(types).endsWith(98, 99).hasSize(100 - (int) (long) queue.metrics().get("dropped"));
    while (put(producer, 1, 0)) {}
    assertThat(producer.claim(2, 0, 3)).as("room for what was dropped").isEqualTo(1);
  }

  @Test
  void dropOldest_whereThatIsInHand_dropsNothingAndWaits() throws Exception {
    assumeThat(kind).isEqualTo(Kind.MPMC);
    open(parking().withOnFull(OnFull.DROP_OLDEST));
    while (put(producer, 1, 0)) {}
    consumer.tryPoll();
    TestCall<Message> claimed = TestCall.of(() -> producer.claim(2, 0)).awaitResting();
    assertThat(queue.metrics()).containsEntry("dropped", 0L);
    consumer.release();
    assertThat(claimed.result()).isNotNull();
    assertThat(queue.metrics()).containsEntry("dropped", 0L);
  }

  // ---- stalled producers ----

  @Test
  void stalledClaim_isGivenUp_andItsCellsAreUsedAgainOnceItsProducerEnds() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    open(options().withStallLimit(STALL));
    MessageProducer other = queue.newProducer();
    Message stalled = producer.tryClaim(1, 50);
    for (int i = 0; i < 200; i++) { // some laps around what is out of use
      assertThat(put(other, i, i)).isTrue();
      check(consumer.poll(), i, i);
      consumer.release();
      stalled.putByte(i % 50, (byte) -1); // touches nothing that is in use
    }
    assertThat(queue.metrics()).containsEntry("stalled", 4L).containsEntry("outOfUse", 4L);
    Throws.illegalState(
        "claim was given up, because it was open for longer than the stall limit: ...",
        producer::commit);
    for (int i = 0; i < 200; i++) {
      assertThat(put(other, i, i)).isTrue();
      check(consumer.poll(), i, i);
      consumer.release();
    }
    assertThat(queue.metrics()).containsEntry("refused", 4L).containsEntry("outOfUse", 0L);
    assertThat(producer.tryClaim(1, 0, 5)).isEqualTo(1);
  }

  @Test
  void claim_thatFitsNoRowBetweenStalledOnes_isRefused() throws Exception {
    assumeThat(kind).isNotEqualTo(Kind.SPSC);
    open(options().withStallLimit(STALL));
    MessageProducer other = queue.newProducer();
    for (int cell = 0; cell < CELLS; cell++) {
      if (cell == 8 || cell == 20) {
        queue.newProducer().tryClaim(1, 0); // and stops
      } else {
        assertThat(put(other, cell, 0)).isTrue();
      }
    }
    for (int i = 0; i < CELLS - 2; i++) {
      assertThat(consumer.poll()).isNotNull();
      consumer.release();
    }
    // 19 cells in a row, but the end of the memory is among them
    Throws.illegalState(
        "no room left for 16 in a row: ...",
        () -> {
          for (int lap = 0; lap < 10; lap++) {
            assertThat(other.tryClaim(1, LONGEST)).isNull();
            assertThat(consumer.tryPoll()).isNull(); // passes over what was aborted
          }
        });
    assertThat(consumer.tryPoll()).isNull();
    assertThat(put(other, 1, 150)).isTrue();
  }

  // ---- handlers ----

  @Test
  void handlerThatThrows_hasConsumedItsMessageAlone() {
    open();
    for (int i = 0; i < 4; i++) {
      put(producer, i, 10 * i);
    }
    Throws.a(
        ArithmeticException.class,
        () ->
            consumer.drain(
                message -> {
                  if (message.type() == 1) {
                    throw new ArithmeticException();
                  }
                },
                10));
    take(2, 20);
    Throws.illegalState(
        "a poll is already open, release it first: ...",
        () -> consumer.drain(_ -> consumer.tryPoll(), 1));
    assertThat(consumer.tryPoll()).isNull();
  }

  @Test
  void controlledDrain_stopsAfterOrBeforeAMessage() {
    open();
    for (int i = 0; i < 6; i++) {
      put(producer, i, 10);
    }
    assertThat(consumer.drainWhile(message -> message.type() == 1 ? Then.STOP : Then.GO_ON, 10))
        .isEqualTo(2);
    if (kind == Kind.MPMC) {
      Throws.illegalState(
          "STOP_BEFORE is not supported in a queue with many consumers: ...",
          () -> consumer.drainWhile(_ -> Then.STOP_BEFORE, 10));
    } else {
      assertThat(
              consumer.drainWhile(
                  message -> message.type() == 3 ? Then.STOP_BEFORE : Then.GO_ON, 10))
          .isEqualTo(1);
      assertThat(consumer.drainWhile(_ -> Then.STOP_BEFORE, 10)).isZero();
    }
    take(3, 10);
    assertThat(consumer.drainWhile(_ -> Then.GO_ON, 1)).isEqualTo(1);
    take(5, 10);
  }

  // ---- the message ----

  @Test
  void message_hasNumbersTextBytesAndRecords() {
    open();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocateFrom("seg");
      Message out = producer.tryClaim(-5, 200);
      out.putByte(0, (byte) -1).putShort(1, (short) -2).putChar(3, 'é').putInt(5, -4);
      out.putLong(9, -5).putFloat(17, 1.5f).putDouble(21, -2.5);
      out.putUtf8(57, "aé€😀\0z").putAscii(70, "ASCII").putBytes(75, new byte[] {9, 8, 7, 6}, 1, 2);
      out.putBytes(77, segment);
      out.as(POINT, 100).x(3).y(4);
      producer.commit();
      Message in = consumer.tryPoll();
      assertThat(in.type()).isEqualTo(-5);
      assertThat(in.getByte(0)).isEqualTo((byte) -1);
      assertThat(in.getShort(1)).isEqualTo((short) -2);
      assertThat(in.getChar(3)).isEqualTo('é');
      assertThat(in.getInt(5)).isEqualTo(-4);
      assertThat(in.getLong(9)).isEqualTo(-5);
      assertThat(in.getFloat(17)).isEqualTo(1.5f);
      assertThat(in.getDouble(21)).isEqualTo(-2.5);
      assertThat(Message.utf8Length("aé€😀\0z")).isEqualTo(12);
      assertThat(in.getUtf8(57, 12)).isEqualTo("aé€😀\0z");
      StringBuilder text = new StringBuilder();
      in.getUtf8(57, 12, text);
      in.getAscii(70, 5, text);
      assertThat(text).hasToString("aé€😀\0zASCII");
      byte[] bytes = new byte[4];
      in.getBytes(75, bytes, 2, 2);
      assertThat(bytes).containsExactly(0, 0, 8, 7);
      MemorySegment copy = arena.allocate(4);
      in.getBytes(77, copy);
      assertThat(copy.getString(0)).isEqualTo("seg");
      Pair pair = in.as(POINT, 100);
      assertThat(pair.x()).isEqualTo(3);
      assertThat(in.as(POINT, 100)).isSameAs(pair);
      consumer.release();
      Throws.outOfBounds(pair::x);
    }
  }

  private static final FlyweightType<Pair> POINT = FlyweightType.of(Pair.class);

  interface Pair {
    long x();

    Pair x(long value);

    long y();

    Pair y(long value);
  }

  @Test
  void time_isThatOfTheCommit_andTakesEightBytes() {
    open();
    Throws.nullArgument("clock", () -> queue.newProducer(null));
    put(producer, 1, 10);
    consumer.tryPoll();
    Throws.illegalState(
        "message has no time, because its producer has no clock: Message[type=1, length=10]",
        () -> consumer.at(0).time());
    consumer.release();
    try (MessageQueue timed = kind.make(options())) {
      AtomicLong clock = new AtomicLong(1000);
      MessageProducer out = timed.newProducer(clock::incrementAndGet);
      MessageConsumer in = timed.newConsumer();
      Throws.illegalArgument(
          "length must be in 0..248: length=249", () -> out.tryClaim(1, LONGEST - 7));
      for (int length = 0; length <= LONGEST - 8; length++) {
        write(out.tryClaim(~length, length), ~length, length);
        out.commit(length / 2);
        assertThat(timed.snapshot(m -> assertThat(m.time()).isEqualTo(clock.get()))).isEqualTo(1);
        check(in.tryPoll(), ~length, length / 2);
        assertThat(in.at(0).time()).isEqualTo(1001 + length);
        in.release();
      }
      Throws.outOfBounds(() -> in.at(0));
      long before = clock.get();
      while (out.tryClaim(5, 20, 3) < 3) {
        out.abort(); // at the end of the memory
        in.tryPoll();
      }
      out.commit();
      assertThat(in.tryPoll(4)).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(in.at(i).time()).as("one for the run").isEqualTo(before + 1);
      }
    }
  }

  @Test
  void clockThatThrows_leavesTheClaimOpen() {
    try (MessageQueue timed = kind.make(options())) {
      boolean[] fails = {true};
      MessageProducer out =
          timed.newProducer(
              () -> {
                if (fails[0]) {
                  throw new IllegalStateException("no time");
                }
                return 7;
              });
      MessageConsumer in = timed.newConsumer();
      write(out.tryClaim(1, 10), 1, 10);
      Throws.illegalState("no time", out::commit);
      fails[0] = false;
      out.commit();
      assertThat(in.tryPoll().time()).isEqualTo(7);
      in.release();
      fails[0] = true;
      assertThat(out.tryClaim(2, 10, 3)).isEqualTo(3);
      Throws.illegalState("no time", out::commit);
      assertThat(out.at(2)).isNotNull();
      out.abort();
      assertThat(in.tryPoll()).isNull();
    }
  }

  @Test
  void offerThatFails_leavesNoClaim() {
    open();
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(10);
    }
    Throws.illegalState("Already closed", () -> producer.offer(1, freed));
    Throws.illegalState(
        "Already closed", () -> producer.offer(1, MemorySegment.ofArray(new byte[3]), freed));
    assertThat(consumer.tryPoll()).isNull();
    assertThat(producer.offer(2, MemorySegment.ofArray(new byte[0]))).isTrue();
    take(2, 0);
  }

  @Test
  void cursor_readsWhatItWrote() {
    open();
    MessageCursor out = producer.tryClaim(1, 100).cursor();
    out.putByte((byte) 1).putShort((short) 2).putChar('c').putInt(4).putLong(5);
    out.putFloat(6.5f).putDouble(7.5).putUtf8("übrig");
    producer.commit(out.position());
    MessageCursor in = consumer.tryPoll().cursor();
    assertThat(in.remaining()).isEqualTo(29 + 4 + 6);
    assertThat(in.getByte()).isEqualTo((byte) 1);
    assertThat(in.getShort()).isEqualTo((short) 2);
    assertThat(in.getChar()).isEqualTo('c');
    assertThat(in.getInt()).isEqualTo(4);
    assertThat(in.getLong()).isEqualTo(5);
    assertThat(in.getFloat()).isEqualTo(6.5f);
    assertThat(in.getDouble()).isEqualTo(7.5);
    assertThat(in.getUtf8()).isEqualTo("übrig");
    assertThat(in.remaining()).isZero();
    Throws.outOfBounds(in::getByte);
    assertThat(in.to(9).position()).isEqualTo(9);
  }

  @Test
  void accessOutsideTheMessage_isRefused() {
    open();
    put(producer, 1, 40); // its last cell is half empty
    put(producer, 2, 40);
    Message message = consumer.tryPoll();
    byte[] bytes = new byte[41];
    StringBuilder text = new StringBuilder();
    Throws.outOfBounds(
        "access must be within the message: offset=33, bytes=8, length=40",
        () -> message.getLong(33),
        () -> message.putLong(33, 1));
    Throws.outOfBounds(
        () -> message.getByte(-1),
        () -> message.getByte(40),
        () -> message.getLong(Integer.MAX_VALUE),
        () -> message.getLong(Integer.MIN_VALUE),
        () -> message.getBytes(0, bytes, 0, 41),
        () -> message.putBytes(0, bytes, 0, 41),
        () -> message.putBytes(0, bytes, 40, 2),
        () -> message.putBytes(40, MemorySegment.ofArray(bytes)),
        () -> message.getBytes(1, MemorySegment.ofArray(new byte[40])),
        () -> message.putUtf8(39, "é"),
        () -> message.putAscii(39, "ab"),
        () -> message.getUtf8(0, 41),
        () -> message.getUtf8(41),
        () -> message.getAscii(39, 2, text),
        () -> message.getUtf8(39, 2, text),
        () -> message.as(POINT, 25));
    assertThat(message.getUtf8(40)).isEmpty();
    Throws.outOfBounds(
        () -> message.getUtf8(0, -1), () -> message.getAscii(0, Integer.MIN_VALUE, text));
    Throws.illegalArgument(
        "text must have its surrogates in pairs: ...", () -> message.putUtf8(0, "\ud800"));
    Throws.illegalArgument("text must be ASCII: index=1...", () -> message.putAscii(0, "aé"));
    checkBytes(message, 40);
    consumer.release();
    Throws.outOfBounds(
        "no message in hand: claim or poll one first",
        message::type,
        message::length,
        () -> message.getByte(0),
        () -> message.as(POINT),
        () -> message.getUtf8(0, 0),
        () -> message.getLong(Integer.MAX_VALUE));
  }

  // ---- bad calls ----

  @Test
  void badCalls_areRefusedBeforeAnythingChanges() {
    open();
    String range = "length must be in 0..256: length=";
    Throws.illegalArgument(range + "-1", () -> producer.tryClaim(1, -1));
    Throws.illegalArgument(range + "257", () -> producer.tryClaim(1, 257));
    Throws.illegalArgument(
        range + "258",
        () ->
            producer.offer(
                1, MemorySegment.ofArray(new byte[257]), MemorySegment.ofArray(new byte[1])));
    Throws.illegalState("no open claim: ...", producer::commit, producer::abort);
    Throws.illegalState("no open claim: ...", () -> producer.commit(1));
    producer.tryClaim(1, 10);
    Throws.illegalState(
        "a claim is already open, commit or abort it first: ...", () -> producer.tryClaim(1, 1));
    Throws.illegalArgument("length must be in 0..10: length=11", () -> producer.commit(11));
    Throws.outOfBounds(() -> producer.at(1));
    producer.close();
    Throws.outOfBounds(() -> producer.at(0));
    Throws.illegalArgument("limit must be in 1...", () -> producer.tryClaim(1, 1, 0));
    Throws.illegalArgument(range + "257", () -> producer.tryClaim(1, 257, 2));
    Throws.illegalState("no open claim: ...", () -> producer.next(0, 1, 0));
    producer.tryClaim(1, 100);
    Throws.illegalArgument("length must be in 0..100: length=101", () -> producer.next(101, 1, 0));
    Throws.illegalArgument("least must be in 0..256: least=-1", () -> producer.next(9, 1, -1));
    Throws.illegalArgument("least must be in 0..256: least=257", () -> producer.next(9, 1, 257));
    producer.close();
    assertThat(producer.tryClaim(1, 10, 2)).isEqualTo(2);
    Throws.illegalState(
        "only a claim of one message can be shortened: count=2, ...", () -> producer.next(1, 1, 0));
    producer.close();
    Throws.illegalArgument("limit must be in 1...", () -> consumer.tryPoll(0));
    Throws.illegalArgument("limit must be in 1...", () -> consumer.drain(_ -> {}, 0));
    Throws.illegalArgument("bytes must be in 1...", () -> consumer.drain(_ -> {}, 1, 0));
    Throws.nullArgument("handler", () -> consumer.drain(null, 1), () -> consumer.forEach(null));
    Throws.nullArgument("controller", () -> consumer.drainWhile(null, 1));
    assertThat(consumer.tryPoll()).isNull();
    if (kind != Kind.MPMC) {
      Throws.illegalState("this queue already has its one consumer: ...", queue::newConsumer);
    }
    if (kind == Kind.SPSC) {
      Throws.illegalState("this queue already has its one producer: ...", queue::newProducer);
    }
  }

  @Test
  void badOptions_areRefused() {
    String powers = "capacity must be a power of two in 512..17179869184: capacity=";
    Throws.illegalArgument(powers + "1000", () -> kind.make(QueueOptions.ofCapacity(1000)));
    Throws.illegalArgument(powers + "256", () -> kind.make(QueueOptions.ofCapacity(256)));
    Throws.illegalArgument(powers + "0", () -> MessageQueue.requiredBytes(0));
    Throws.nullArgument("options", () -> kind.make(null));
    Throws.illegalArgument(
        "onFull must be one of ...", () -> kind.make(options().withOnFull(OnFull.SIGNAL)));
    if (kind == Kind.SPSC) {
      Throws.illegalArgument(
          "stallNanos must be FOREVER in this kind of queue: ...",
          () -> kind.make(options().withStallLimit(STALL)));
    }
  }

  // ---- memory ----

  @Test
  void usersMemory_isUsed_andLeftToTheUser() {
    try (NativeMemory memory = NativeMemory.allocate(MessageQueue.requiredBytes(BYTES) + 128)) {
      memory.segment().fill((byte) -1);
      MemorySegment part = memory.segment().asSlice(128);
      MessageQueue laid = kind.lay(options(), part);
      MessageProducer out = laid.newProducer();
      MessageConsumer in = laid.newConsumer();
      for (int i = 0; i < 100; i++) {
        assertThat(put(out, i, 2 * i)).isTrue();
        check(in.tryPoll(), i, 2 * i);
        in.release();
      }
      laid.close();
      assertThat(memory.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)).isEqualTo(-1);
      String rule =
          "memory must be native, writable, aligned to 128 bytes, of at least 1536 bytes: ...";
      Throws.illegalArgument(
          rule,
          () -> kind.lay(options(), part.asSlice(8)),
          () -> kind.lay(options(), part.asSlice(0, 1535)),
          () -> kind.lay(options(), part.asReadOnly()),
          () -> kind.lay(options(), MemorySegment.ofArray(new long[1000])));
      Throws.nullArgument("memory", () -> kind.lay(options(), null));
    }
  }

  @Test
  void usersMemory_thatIsFreedBeforeTheQueueIsClosed_isAnError() {
    MessageQueue laid;
    MessageProducer out;
    MessageConsumer in;
    try (Arena arena = Arena.ofShared()) {
      laid = kind.lay(options(), arena.allocate(MessageQueue.requiredBytes(BYTES), 128));
      out = laid.newProducer();
      in = laid.newConsumer();
      assertThat(put(out, 1, 10)).isTrue();
    }
    Throws.illegalState("Already closed", in::tryPoll);
    assertThatThrownBy(() -> put(out, 1, 10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("closed"); // "Already", or of the message
  }

  @Test
  void viewOnAMessage_isLeftWithIt() {
    open();
    put(producer, 1, 40);
    put(producer, 2, 40);
    List<Pair> kept = new ArrayList<>();
    consumer.drain(
        message -> {
          kept.forEach(point -> Throws.outOfBounds(point::x));
          kept.add(message.as(POINT));
        },
        2);
    assertThat(kept).hasSize(2);
  }

  @Test
  void messages_allocateNothing() throws Exception {
    open();
    MemorySegment part = MemorySegment.ofArray(new byte[30]);
    StringBuilder text = new StringBuilder(100);
    Runnable exchange =
        () -> {
          for (int i = 0; i < 50_000; i++) {
            Message message = producer.tryClaim(i, 100);
            message.as(POINT).x(i).y(i);
            message.cursor().to(16).putInt(i).putUtf8("text");
            producer.commit();
            producer.offer(1, part);
            for (int k = producer.tryClaim(i, 16, 4) - 1; k >= 0; k--) {
              producer.at(k).putLong(8, k);
            }
            producer.commit();
            Message polled = consumer.tryPoll();
            polled.as(POINT).x();
            text.setLength(0);
            polled.getUtf8(24, 4, text);
            consumer.release();
            consumer.drain(_ -> {}, 10, 1_000);
          }
        };
    exchange.run();
    assertThat(Allocations.bytesIn(exchange::run)).isLessThan(50_000);
  }

  @Test
  void longestMessage_isBoundedByWhatAStampCounts() {
    open(QueueOptions.ofCapacity(1 << 23));
    assertThat(queue.maxLength()).isEqualTo(1_048_560);
    for (int i = 0; i < 20; i++) {
      assertThat(put(producer, i, queue.maxLength())).isTrue();
      take(i, queue.maxLength());
    }
  }
}
