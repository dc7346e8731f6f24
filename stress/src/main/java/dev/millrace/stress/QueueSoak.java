package dev.millrace.stress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.OffHeapQueue.Counters;
import dev.millrace.queues.QueueOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Producers and consumers on one queue of many producers, in every form of claim and poll; each
 * record is checked and accounted for.
 */
final class QueueSoak {
  /** The kinds of queues that take many producers. */
  enum Kind {
    /** {@link MpscQueue}. */
    MPSC,
    /** {@link MpmcQueue}. */
    MPMC;

    OffHeapQueue<Entry> newQueue(QueueOptions options) {
      return this == MPSC ? MpscQueue.of(options, Entry::new) : MpmcQueue.of(options, Entry::new);
    }

    @Override
    public String toString() {
      return this == MPSC ? "MpscQueue" : "MpmcQueue";
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

  /** So that a consumer that waits in vain comes back now and then, and is not taken for stuck. */
  static final Duration POLL_LIMIT = Duration.ofSeconds(1);

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
   * @param counters the queue's, which agree with what the threads have counted
   * @param checksum over the records that came out, equal to that of those that were put in
   * @param nanos the time taken
   */
  record Result(Counters counters, long checksum, long nanos) {}

  /** Runs to the end; throws an {@link AssertionError} if a record is unaccounted for. */
  Result call() throws Exception {
    QueueOptions options =
        QueueOptions.ofCapacity(capacity)
            .withProducerWaits(wait)
            .withConsumerWaits(wait.withTimeLimit(POLL_LIMIT));
    OffHeapQueue<Entry> queue = kind.newQueue(options);
    List<SoakProducer> puts = new ArrayList<>();
    List<SoakConsumer> takes = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      Ledger.Put put = new Ledger.Put(i, producers);
      SoakProducer.Fault its = i == 0 ? fault : SoakProducer.Fault.NONE;
      puts.add(new SoakProducer(queue, put, run, WaitStrategy.FOREVER, its, i));
    }
    for (int i = 0; i < consumers; i++) {
      takes.add(new SoakConsumer(queue, producers, run, -1 - i));
    }
    Crew crew = new Crew(toString(), queue);
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
        () -> sample(queue));
    queue.complete(); // amid their claims: those that succeeded count
    crew.watchUntil(crew::isDone, takes, () -> {});
    Ledger.Totals totals =
        Ledger.balance(
            puts.stream().map(SoakProducer::put).toList(),
            takes.stream().map(SoakConsumer::taken).toList());
    checkCounters(queue.counters(), totals);
    checkEnd(queue);
    checkCounters(queue.counters(), totals);
    return new Result(queue.counters(), totals.checksum(), System.nanoTime() - begin);
  }

  private static void takeAll(SoakConsumer take) throws InterruptedException {
    while (take.step() != OffHeapQueue.CLOSED) {
      // each step is one
    }
  }

  private static void putAll(SoakProducer put) throws Exception {
    while (put.step()) {
      // each step is one
    }
  }

  /** What any thread may ask while it runs. */
  static void sample(OffHeapQueue<Entry> queue) {
    int shown = queue.snapshot(Entry::wholeNumber);
    Ledger.checkWithin("records shown", shown, 0, queue.capacity());
    Ledger.checkWithin("size", queue.sizeEstimate(), 0, queue.capacity());
    Ledger.checkWithin("high water", queue.counters().highWater(), 0, queue.capacity());
  }

  private static void checkCounters(Counters counters, Ledger.Totals totals) {
    Ledger.check("claimed", counters.claimed(), totals.claimed());
    Ledger.check("committed", counters.committed(), totals.committed());
    Ledger.check("consumed", counters.consumed(), totals.committed());
    Ledger.check("aborted", counters.aborted(), totals.aborted());
    Ledger.check("refused", totals.refused(), 0);
    Ledger.check("refused, as counted", counters.refused(), 0);
    Ledger.check("stalled", counters.stalled(), 0);
    Ledger.check("out of use", counters.outOfUse(), 0);
    Ledger.check("dropped", counters.dropped(), 0);
  }

  /** Closes a queue that its consumers have drained, and looks whether it is. */
  static void checkEnd(OffHeapQueue<Entry> queue) {
    if (!queue.isDrained()) {
      throw new AssertionError("queue must be drained: " + queue);
    }
    Ledger.check("size", queue.sizeEstimate(), 0);
    queue.close();
    Ledger.check("claim of a closed queue", queue.tryClaim(), OffHeapQueue.CLOSED);
    Ledger.check("poll of a closed queue", queue.tryPoll(), OffHeapQueue.CLOSED);
    if (queue.memory().scope().isAlive()) {
      throw new AssertionError("memory must be freed: " + queue);
    }
  }
}
