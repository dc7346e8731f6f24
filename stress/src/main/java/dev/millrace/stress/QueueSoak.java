package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Producers and consumers on one queue, in every form of claim and poll; each record is checked and
 * accounted for.
 */
final class QueueSoak {
  /** The kinds of queues whose records come out in order. */
  enum Kind {
    /** {@link SpscQueue}. */
    SPSC("SpscQueue"),
    /** {@link MpscQueue}. */
    MPSC("MpscQueue"),
    /** {@link MpmcQueue}. */
    MPMC("MpmcQueue");

    private static final FlyweightType<Entry> TYPE = FlyweightType.of(Entry::new);

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    AnyQueue<Entry> newQueue(QueueOptions options) {
      return switch (this) {
        case SPSC -> new AnyQueue<>(SpscQueue.of(TYPE, options));
        case MPSC -> new AnyQueue<>(MpscQueue.of(TYPE, options));
        case MPMC -> new AnyQueue<>(MpmcQueue.of(TYPE, options));
      };
    }

    @Override
    public String toString() {
      return title;
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

  private final Kind kind;
  private final int producers;
  private final int consumers;
  private final int capacity;
  private final int run;
  private final WaitStrategy wait;
  private final long nanos;
  private final SoakProducer.Fault fault;

  /**
   * Makes a soak.
   *
   * @param run the longest run that is claimed and polled, if it fits
   * @param nanos how long producers put
   * @param fault what the first producer does wrong
   */
  QueueSoak(
      Kind kind,
      int producers,
      int consumers,
      int capacity,
      int run,
      WaitStrategy wait,
      long nanos,
      SoakProducer.Fault fault) {
    this.kind = kind;
    this.producers = producers;
    this.consumers = consumers;
    this.capacity = capacity;
    this.run = Math.min(run, capacity);
    this.wait = wait;
    this.nanos = nanos;
    this.fault = fault;
  }

  @Override
  public String toString() {
    return kind + "(" + capacity + ") " + producers + " -> " + consumers;
  }

  /**
   * What was seen.
   *
   * @param totals what the threads have counted, which agrees
   * @param nanos the time taken
   */
  record Result(Ledger.Totals totals, long nanos) {}

  /** Runs to the end; throws an {@link AssertionError} if a record is unaccounted for. */
  Result call() throws Exception {
    AnyQueue<Entry> queue =
        kind.newQueue(
            QueueOptions.ofCapacity(capacity).withProducerWaits(wait).withConsumerWaits(wait));
    List<SoakProducer> puts = new ArrayList<>();
    List<SoakConsumer> takes = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      Ledger.Put put = new Ledger.Put(i, producers);
      SoakProducer.Fault its = i == 0 ? fault : SoakProducer.Fault.NONE;
      Producer<Entry> second = kind == Kind.SPSC ? null : queue.newProducer();
      puts.add(new SoakProducer(queue.newProducer(), second, put, run, its, i));
    }
    for (int i = 0; i < consumers; i++) {
      takes.add(new SoakConsumer(queue.newConsumer(), producers, run, true, -1 - i));
    }
    Crew crew = new Crew(toString(), queue::close, queue::toString);
    long begin = System.nanoTime();
    for (SoakConsumer take : takes) {
      crew.start(Thread.ofPlatform().name("consumer").daemon(), () -> takeAll(take));
    }
    for (SoakProducer put : puts) {
      crew.start(Thread.ofPlatform().name("producer").daemon(), () -> putAll(put));
    }
    // a producer of runs may starve for long beside others
    crew.watchUntil(
        () -> System.nanoTime() - begin > nanos && puts.stream().allMatch(SoakProducer::isThrough),
        takes,
        () -> checkSize(queue));
    queue.complete(); // amid their claims: those that succeeded count
    crew.watchUntil(crew::isDone, takes, () -> {});
    Ledger.Totals totals =
        Ledger.balance(
            puts.stream().map(SoakProducer::put).toList(),
            takes.stream().map(SoakConsumer::taken).toList());
    Ledger.check("refused", totals.refused(), 0);
    checkEnd(queue, takes.getFirst().memory());
    return new Result(totals, System.nanoTime() - begin);
  }

  private static void takeAll(SoakConsumer take) throws InterruptedException {
    while (take.step() != SoakConsumer.DRAINED) {
      // each step is one
    }
  }

  private static void putAll(SoakProducer put) throws InterruptedException {
    while (put.step()) {
      // each step is one
    }
  }

  /** What any thread may ask while it runs. */
  static void checkSize(AnyQueue<Entry> queue) {
    Ledger.checkWithin("size", queue.sizeEstimate(), 0, queue.capacity());
  }

  /** Closes a queue that its consumers have drained, and looks whether it is. */
  static void checkEnd(AnyQueue<Entry> queue, MemorySegment memory) {
    if (!queue.isDrained()) {
      throw new AssertionError("queue must be drained: " + queue);
    }
    Ledger.check("size", queue.sizeEstimate(), 0);
    queue.close();
    if (memory.scope().isAlive()) {
      throw new AssertionError("memory must be freed: " + queue);
    }
  }
}
