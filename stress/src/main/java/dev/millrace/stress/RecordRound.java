package dev.millrace.stress;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.internal.RecordStore;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

/**
 * Producers and consumers on a {@link RecordQueue} of records some of which do not fit into their
 * slots, in every form of putting, taking and looking; each value is checked, and that nothing is
 * left beside the slots in the end.
 *
 * @param kind how many threads may be on each side
 * @param records after how many records producers stop, together
 * @param nanos how long they put at most
 * @param stallNanos the stall limit; 0 for none
 * @param seed of all that is random
 * @param fault what the first producer does wrong: nothing, repeat or tear a record
 */
record RecordRound(
    RecordStore.Kind kind,
    int capacity,
    int producers,
    int consumers,
    long records,
    long nanos,
    long stallNanos,
    long seed,
    Fault fault)
    implements Callable<Counts> {
  private static final int TEXT_BYTES = 40;
  private static final String LETTERS = "abcdefgh\u20ac".repeat(8);
  private static final int FAULT_AFTER = 1_000;

  /** What is in the queue. */
  sealed interface Line {
    /** Its number. */
    long number();
  }

  /** A line of text; null, or with a NUL, now and then. */
  record Written(long number, String text) implements Line {}

  /** A line of a number that takes few bits or many. */
  @SuppressWarnings("ArrayRecordComponent") // wholeNumber compares them
  record Counted(long number, BigInteger count, int[] digits) implements Line {}

  private static Line line(long number) {
    long bits = FifoSpec.mix(number);
    int length = (int) (bits >>> 58);
    int kind = (int) (bits >>> 48) & 63;
    if (kind < 16) {
      return new Counted(number, BigInteger.valueOf(bits).shiftLeft(2 * length), new int[length]);
    }
    String text = LETTERS.substring(0, length);
    return new Written(number, kind == 16 ? null : kind == 17 ? text + '\0' : text);
  }

  /** The number; throws if another value came with it. */
  private static long wholeNumber(Line line) {
    boolean isWhole =
        switch (line(line.number())) {
          case Written written -> written.equals(line);
          case Counted(long _, BigInteger count, int[] digits) ->
              line instanceof Counted(long _, BigInteger its, int[] itsDigits)
                  && count.equals(its)
                  && digits.length == itsDigits.length;
        };
    if (!isWhole) {
      throw new AssertionError("torn record: " + line);
    }
    return line.number();
  }

  @Override
  public String toString() {
    return "RecordQueue(%s, %d) %d producers, %d consumers%s"
        .formatted(kind, capacity, producers, consumers, stallNanos > 0 ? ", stall limit" : "");
  }

  private RecordQueue<Line> newQueue() {
    QueueOptions options = QueueOptions.ofCapacity(capacity).withTextBytes(TEXT_BYTES);
    if (stallNanos > 0) {
      options = options.withStallLimit(Duration.ofNanos(stallNanos));
    }
    return switch (kind) {
      case SPSC -> RecordQueue.spsc(Line.class, options);
      case MPSC -> RecordQueue.mpsc(Line.class, options);
      case MPMC -> RecordQueue.of(Line.class, options);
    };
  }

  /** Runs to the end; throws an {@link AssertionError} if a record is lost, repeated or changed. */
  @Override
  public Counts call() throws Exception {
    RecordQueue<Line> queue = newQueue();
    LongAdder taken = new LongAdder();
    AtomicInteger producing = new AtomicInteger(producers);
    Crew crew = new Crew(toString(), queue::complete, () -> queue.metrics().toString());
    List<Sent> sents = new ArrayList<>();
    List<Received> receiveds = new ArrayList<>();
    long end = System.nanoTime() + nanos;
    for (int i = 0; i < consumers; i++) {
      // a put that takes longer than the limit is made again, behind later ones
      Received received = new Received(producers, stallNanos == 0);
      receiveds.add(received);
      SplittableRandom random = new SplittableRandom(seed + i);
      crew.start("consumer", () -> consume(queue, received, taken, random));
    }
    for (int i = 0; i < producers; i++) {
      Sent sent = new Sent(i, producers, false);
      sents.add(sent);
      SplittableRandom random = new SplittableRandom(seed - 1 - i);
      crew.start(
          "producer",
          () -> {
            produce(queue, sent, end, random);
            if (producing.decrementAndGet() == 0) {
              queue.complete();
            }
          });
    }
    crew.watch("records must be taken", taken::sum);
    crew.join();
    Counts counts = FifoSpec.balance(sents, receiveds);
    checkNothingIsLeft(queue);
    return counts.add("spilled", queue.metrics().get("spilled"));
  }

  private void checkNothingIsLeft(RecordQueue<Line> queue) {
    RecordStore store = RecordStore.SECRET.get().apply(queue);
    long left =
        LongStream.range(0, store.protocol.end())
            .filter(sequence -> store.spills.find(sequence) != null)
            .count();
    Counts.check("records left beside their slots", left, 0);
    Counts.check("size", queue.size(), 0);
  }

  // ---- producers ----

  private void produce(RecordQueue<Line> queue, Sent sent, long end, SplittableRandom random)
      throws InterruptedException {
    long most = Math.ceilDiv(records, producers);
    while (sent.committed() < most && System.nanoTime() - end < 0) {
      long number = sent.nextNumber();
      boolean isFaulty = number == (long) FAULT_AFTER * producers; // the first producer's
      Line line = line(number);
      if (isFaulty && fault == Fault.TEAR) {
        line = new Written(number, "of another record");
      }
      put(queue, line, random);
      sent.committed(number, 1, true);
      if (isFaulty && fault == Fault.REPEAT) {
        put(queue, line, random);
      }
    }
  }

  private static void put(RecordQueue<Line> queue, Line line, SplittableRandom random)
      throws InterruptedException {
    boolean isPut =
        switch (random.nextInt(3)) {
          case 0 -> queue.offer(line);
          case 1 -> queue.offer(line, random.nextInt(100_000), TimeUnit.NANOSECONDS);
          default -> false;
        };
    if (!isPut) {
      queue.put(line);
    }
  }

  // ---- consumers ----

  private void consume(
      RecordQueue<Line> queue, Received received, LongAdder taken, SplittableRandom random)
      throws InterruptedException {
    List<Line> some = new ArrayList<>();
    while (!queue.isDrained()) {
      switch (random.nextInt(8)) {
        case 0 -> queue.drainTo(some, 1 + random.nextInt(8));
        case 1 -> addIfAny(some, queue.poll());
        case 2 -> look(queue, random);
        default -> addIfAny(some, queue.poll(random.nextInt(1_000_000), TimeUnit.NANOSECONDS));
      }
      for (Line line : some) {
        received.take(wholeNumber(line));
        taken.increment();
      }
      some.clear();
    }
  }

  private static void addIfAny(List<Line> some, Line line) {
    if (line != null) {
      some.add(line);
    }
  }

  private void look(RecordQueue<Line> queue, SplittableRandom random) {
    Line oldest = queue.peek();
    if (oldest != null) {
      wholeNumber(oldest);
    }
    if (random.nextInt(capacity) < 8) { // it looks at all of them
      queue.forEach(RecordRound::wholeNumber);
    }
  }
}
