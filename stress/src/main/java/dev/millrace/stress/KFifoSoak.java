package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.QueueOptions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Producers and consumers on one {@link KFifoQueue} after the other, of many shapes; after each
 * round it is checked that each record came once, that none was overtaken by more than k allows,
 * and that "full", "empty", "completed" and the end were told only when they were true.
 */
final class KFifoSoak {
  private static final long ROUND_NANOS = 500_000_000;
  private static final int LARGEST_K_LOG2 = 6;
  private static final int LARGEST_SEGMENTS_LOG2 = 3;

  private static final List<QueueSoak.Wait> WAITS =
      List.of(QueueSoak.Wait.YIELDING, QueueSoak.Wait.SLEEPING, QueueSoak.Wait.PARKING);

  private final int producers;
  private final int consumers;
  private final long records;
  private final long nanos;
  private final SplittableRandom random;

  /**
   * Makes a soak.
   *
   * @param records how many producers put in a round at the most
   * @param nanos how long to begin rounds
   */
  KFifoSoak(int producers, int consumers, long records, long nanos, long seed) {
    this.producers = producers;
    this.consumers = consumers;
    this.records = records;
    this.nanos = nanos;
    this.random = new SplittableRandom(seed);
  }

  /**
   * What was seen of one k.
   *
   * @param rounds queues of it
   * @param totals of all of these
   */
  record PerK(long rounds, KFifoLedger.Totals totals) {
    PerK and(PerK other) {
      return new PerK(rounds + other.rounds, totals.and(other.totals));
    }
  }

  /**
   * What was seen.
   *
   * @param perK by k
   * @param nanos the time taken
   */
  record Result(Map<Integer, PerK> perK, long nanos) {
    PerK all() {
      return perK.values().stream().reduce(PerK::and).orElseThrow();
    }
  }

  /** Runs to the end; throws an {@link AssertionError} if a queue does not keep its word. */
  Result call() throws Exception {
    long begin = System.nanoTime();
    Map<Integer, PerK> perK = new TreeMap<>();
    do {
      int k = 1 << random.nextInt(LARGEST_K_LOG2 + 1);
      int capacity = Math.max(2, k << random.nextInt(LARGEST_SEGMENTS_LOG2 + 1));
      perK.merge(k, new PerK(1, round(k, capacity)), PerK::and);
    } while (System.nanoTime() - begin < nanos);
    return new Result(perK, System.nanoTime() - begin);
  }

  private KFifoLedger.Totals round(int k, int capacity) throws Exception {
    WaitStrategy wait = WAITS.get(random.nextInt(WAITS.size())).strategy();
    boolean waits = random.nextBoolean(); // who never waits knows better when its calls began
    KFifoQueue<Entry> queue =
        KFifoQueue.of(
            FlyweightType.of(Entry::new),
            k,
            QueueOptions.ofCapacity(capacity).withProducerWaits(wait).withConsumerWaits(wait));
    MemorySegment memory = memoryOf(queue);
    KFifoLedger ledger = new KFifoLedger(k, capacity);
    List<KFifoPutter> puts = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      puts.add(
          new KFifoPutter(queue, ledger.newLog(), i, producers, records, waits, random.nextLong()));
    }
    List<KFifoTaker> takes = new ArrayList<>();
    for (int i = 0; i < consumers; i++) {
      takes.add(new KFifoTaker(queue, ledger.newLog(), waits, random.nextLong()));
    }
    run(queue, ledger, puts, takes);
    KFifoLedger.Totals totals = ledger.balance();
    QueueSoak.checkEnd(new AnyQueue<>(queue), memory);
    return totals;
  }

  private void run(
      KFifoQueue<Entry> queue, KFifoLedger ledger, List<KFifoPutter> puts, List<KFifoTaker> takes)
      throws Exception {
    String name = "KFifoQueue k " + queue.k() + " " + producers + " -> " + consumers;
    Crew crew = new Crew(name, queue::close, queue::toString);
    long begin = System.nanoTime();
    for (KFifoTaker take : takes) {
      crew.start(Thread.ofPlatform().name("consumer").daemon(), take::run);
    }
    for (KFifoPutter put : puts) {
      crew.start(Thread.ofPlatform().name("producer").daemon(), put::run);
    }
    crew.watchUntil(
        () ->
            System.nanoTime() - begin > ROUND_NANOS
                || puts.stream().anyMatch(KFifoPutter::isThrough),
        takes,
        () -> QueueSoak.checkSize(new AnyQueue<>(queue)));
    ledger.complete(queue::complete); // amid their claims: those that succeeded count
    crew.watchUntil(crew::isDone, takes, () -> {});
  }

  private static MemorySegment memoryOf(KFifoQueue<Entry> queue) {
    try (Producer<Entry> producer = queue.newProducer()) {
      return producer.tryClaim().memory();
    }
  }
}
