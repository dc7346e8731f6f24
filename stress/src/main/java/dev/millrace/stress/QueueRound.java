package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.SoakProducer.Patience;
import dev.millrace.stress.SoakProducer.Ways;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.trial.AnyQueue;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Producers and consumers on one queue, in every form of claim and poll; each record is checked and
 * accounted for. Of a k-FIFO queue each call is written down and judged, too.
 *
 * @param kind the queue's
 * @param k how many places records may be out of order, plus one; 1 but for k-FIFO queues
 * @param run the longest run that is claimed and polled
 * @param waits whether threads wait; those that do not know better when their calls began
 * @param records after how many records producers stop
 * @param nanos how long producers put at most
 * @param seed of all that is random
 * @param shape what messages are like; null of records
 * @param stallEvery after how many claims a producer exceeds the stall limit on average
 * @param stallNanos the stall limit; 0 for none
 * @param fault what the first producer or the consumers do wrong
 */
record QueueRound(
    Kind kind,
    int k,
    int capacity,
    int producers,
    int consumers,
    int run,
    Wait strategy,
    boolean waits,
    long records,
    long nanos,
    long seed,
    MessageShape shape,
    int stallEvery,
    long stallNanos,
    Fault fault)
    implements Callable<Counts> {
  private static final int ENDS = 4; // of a consumer that holds records for a while
  private static final int LARGEST_K_LOG2 = 6;
  private static final int LARGEST_SEGMENTS_LOG2 = 3;
  private static final long K_FIFO_NANOS = 500_000_000;

  /** The kinds of queues. */
  enum Kind {
    /** {@link SpscQueue}. */
    SPSC(false, false),
    /** {@link MpscQueue}. */
    MPSC(true, false),
    /** {@link MpmcQueue}. */
    MPMC(true, true),
    /** {@link KFifoQueue}. */
    K_FIFO(true, true),
    /** {@link MessageQueue#spsc}. */
    MESSAGES_SPSC(false, false),
    /** {@link MessageQueue#mpsc}. */
    MESSAGES_MPSC(true, false),
    /** {@link MessageQueue#mpmc}. */
    MESSAGES_MPMC(true, true);

    final boolean hasManyProducers;
    final boolean hasManyConsumers;

    Kind(boolean hasManyProducers, boolean hasManyConsumers) {
      this.hasManyProducers = hasManyProducers;
      this.hasManyConsumers = hasManyConsumers;
    }

    /** The kind of messages with as many producers and consumers. */
    Kind ofMessages() {
      return hasManyConsumers ? MESSAGES_MPMC : hasManyProducers ? MESSAGES_MPSC : MESSAGES_SPSC;
    }

    boolean isOfMessages() {
      return compareTo(MESSAGES_SPSC) >= 0;
    }

    /** Makes a queue, of messages if they have a shape. */
    SoakQueue newQueue(int k, QueueOptions options, MessageShape shape, Fault fault) {
      return switch (this) {
        case SPSC -> SoakQueue.ofRecords(new AnyQueue<>(SpscQueue.of(Entry.TYPE, options)));
        case MPSC -> SoakQueue.ofRecords(new AnyQueue<>(MpscQueue.of(Entry.TYPE, options)));
        case MPMC -> SoakQueue.ofRecords(new AnyQueue<>(MpmcQueue.of(Entry.TYPE, options)));
        case K_FIFO -> SoakQueue.ofRecords(new AnyQueue<>(KFifoQueue.of(Entry.TYPE, k, options)));
        case MESSAGES_SPSC -> SoakQueue.ofMessages(MessageQueue.spsc(options), shape, true, fault);
        case MESSAGES_MPSC -> SoakQueue.ofMessages(MessageQueue.mpsc(options), shape, true, fault);
        case MESSAGES_MPMC -> SoakQueue.ofMessages(MessageQueue.mpmc(options), shape, false, fault);
      };
    }
  }

  /** The strategies by name. */
  enum Wait {
    /** Spins. */
    SPINNING,
    /** Yields. */
    YIELDING,
    /** Sleeps. */
    SLEEPING,
    /** Parks. */
    PARKING;

    WaitStrategy strategy() {
      return switch (this) {
        case SPINNING -> WaitStrategy.busySpin();
        case YIELDING -> WaitStrategy.yielding();
        case SLEEPING -> WaitStrategy.sleeping(Duration.ofNanos(50_000));
        case PARKING -> WaitStrategy.parking();
      };
    }
  }

  /** A queue in order, for a time. */
  static QueueRound ordered(
      Kind kind,
      int capacity,
      int producers,
      int consumers,
      int run,
      Wait strategy,
      long nanos,
      Fault fault) {
    return new QueueRound(
        kind,
        1,
        capacity,
        producers,
        consumers,
        Math.min(run, capacity),
        strategy,
        true,
        Long.MAX_VALUE,
        nanos,
        1,
        null,
        0,
        0,
        fault);
  }

  /** A queue of messages, for a time or until there were so many. */
  static QueueRound messages(
      Kind kind,
      int capacity,
      int producers,
      int consumers,
      int run,
      Wait strategy,
      long records,
      long nanos,
      MessageShape shape,
      int stallEvery,
      long stallNanos,
      Fault fault) {
    return new QueueRound(
        kind,
        1,
        capacity,
        producers,
        consumers,
        run,
        strategy,
        true,
        records,
        nanos,
        1,
        shape,
        stallEvery,
        stallNanos,
        fault);
  }

  /** A k-FIFO queue of random shape, for at most that many records. */
  static QueueRound kFifo(int producers, int consumers, long records, long seed, Fault fault) {
    SplittableRandom random = new SplittableRandom(seed);
    int k = 1 << random.nextInt(LARGEST_K_LOG2 + 1);
    return new QueueRound(
        Kind.K_FIFO,
        k,
        Math.max(2, k << random.nextInt(LARGEST_SEGMENTS_LOG2 + 1)),
        producers,
        consumers,
        16,
        Wait.values()[1 + random.nextInt(3)],
        random.nextBoolean(),
        records,
        K_FIFO_NANOS,
        seed,
        null,
        0,
        0,
        fault);
  }

  @Override
  public String toString() {
    String of = kind == Kind.K_FIFO ? " k " + k + " seed " + seed : "";
    String limit = stallNanos > 0 ? ", limit " + stallNanos / 1_000 + " us" : "";
    String most = shape != null ? ", <= " + shape.longest() + " bytes" : "";
    return kind + "(" + capacity + ")" + of + " " + producers + " -> " + consumers + most + limit;
  }

  /** Runs to the end; throws an {@link AssertionError} if the queue does not keep its word. */
  @Override
  public Counts call() throws Exception {
    boolean isOrdered = kind != Kind.K_FIFO;
    SoakQueue ends =
        kind.newQueue(
            k,
            QueueOptions.ofCapacity(capacity)
                .withProducerWaits(strategy.strategy())
                .withConsumerWaits(strategy.strategy())
                .withStallLimit(Duration.ofNanos(stallNanos > 0 ? stallNanos : Long.MAX_VALUE)),
            shape,
            fault);
    MemorySegment memory = ends.memory();
    KFifoSpec spec = new KFifoSpec(k, capacity);
    List<SoakProducer> puts = new ArrayList<>();
    List<SoakConsumer<?>> takes = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      FifoSpec.Sent sent = new FifoSpec.Sent(i, producers, false);
      puts.add(
          new SoakProducer(
              ends.newProducer(i, sent),
              kind.hasManyProducers ? ends.newProducer(i, sent) : null,
              sent,
              isOrdered ? KFifoSpec.Log.none() : spec.newLog(),
              new Ways(
                  run,
                  waits,
                  !isOrdered,
                  0,
                  stallNanos > 0 ? stallEvery : 0,
                  stallNanos,
                  OnFull.WAIT),
              i == 0 ? fault : Fault.NONE,
              seed + i));
    }
    for (int i = 0; i < consumers; i++) {
      boolean holds = !isOrdered || (kind == Kind.MESSAGES_MPMC && i % 2 == 1);
      takes.add(
          ends.newConsumer(
              holds ? ENDS : 1,
              producers,
              new FifoSpec.Received(producers, isOrdered),
              isOrdered ? KFifoSpec.Log.none() : spec.newLog(),
              run,
              waits ? Patience.ENDLESS : Patience.NONE,
              seed - 1 - i));
    }
    run(ends.queue, puts, takes, spec);
    Counts counts =
        FifoSpec.balance(
            puts.stream().map(SoakProducer::sent).toList(),
            takes.stream().map(SoakConsumer::received).toList());
    if (stallNanos == 0) {
      Counts.check("refused", counts.get("refused"), 0);
    }
    if (!isOrdered) {
      counts.add(spec.balance());
    }
    checkEnd(ends.queue, memory);
    return counts;
  }

  private void run(
      AnyQueue<?> queue, List<SoakProducer> puts, List<SoakConsumer<?>> takes, KFifoSpec spec)
      throws Exception {
    Crew crew = new Crew(toString(), queue::close, queue::toString);
    AtomicBoolean hasPutAll = new AtomicBoolean();
    long begin = System.nanoTime();
    takes.forEach(take -> crew.start("consumer", take::run));
    watch(crew, takes);
    for (SoakProducer put : puts) {
      crew.start(
          "producer",
          () -> {
            if (put.run(() -> kind == Kind.K_FIFO && put.sent().peekNumber() >= records)) {
              hasPutAll.set(true);
            }
          });
    }
    // a producer of runs may starve for long beside others
    crew.watchUntil(
        () ->
            (hasPutAll.get()
                    || System.nanoTime() - begin > nanos
                    || puts.stream().mapToLong(SoakProducer::committed).sum() >= records)
                && puts.stream().allMatch(SoakProducer::isThrough)
                && takes.stream().allMatch(SoakConsumer::isThrough),
        () -> checkSize(queue));
    KFifoSpec.Log log = spec.newLog();
    long call = log.now();
    queue.complete(); // while producers claim: the claims that succeeded count
    log.add(KFifoSpec.Kind.COMPLETE, -1, call);
    crew.join();
  }

  /** Demands that records are taken, and that each consumer's calls return. */
  static void watch(Crew crew, List<? extends SoakConsumer<?>> takes) {
    takes.forEach(take -> crew.watch("consumer must return from its poll", take::steps));
    crew.watch(
        "records must be taken", () -> takes.stream().mapToLong(SoakConsumer::seenSum).sum());
  }

  /** What any thread may ask while it runs. */
  static void checkSize(AnyQueue<?> queue) {
    Counts.checkWithin("size", queue.sizeEstimate(), 0, queue.capacity());
  }

  /** Closes a queue that its consumers have drained, and checks that it is. */
  static void checkEnd(AnyQueue<?> queue, MemorySegment memory) {
    check(queue.isDrained(), "queue must be drained", queue);
    Counts.check("size", queue.sizeEstimate(), 0);
    queue.close();
    check(!memory.scope().isAlive(), "memory must be freed", queue);
  }

  static void check(boolean holds, String rule, Object state) {
    if (!holds) {
      throw new AssertionError(rule + ": " + state);
    }
  }
}
